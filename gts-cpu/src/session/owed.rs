//! Deferred fills of attributes, which let a CPU fill attributes while the GPUs of the same run work.

use super::CpuSession;

impl CpuSession {
    /// Sets an attribute to `value` at every vertex or edge, either now or in a deferred fill. A deferred fill is
    /// performed before the attribute's next use.
    pub(super) fn fill_or_owe(&mut self, attribute: usize, value: &[u8]) {
        self.owed.retain(|(other, _)| *other != attribute);
        match self.fills_late {
            true => self.owed.push((attribute, value.to_vec())),
            false => self.columns[attribute].fill_by(&self.pool, value),
        }
    }

    /// Performs the deferred fills of all attributes for which `used` returns `true`.
    pub(super) fn fill_owed(&mut self, used: impl Fn(usize) -> bool) {
        let Self { owed, columns, pool, .. } = self;
        owed.retain(|(attribute, value)| {
            let is_used = used(*attribute);
            if is_used {
                columns[*attribute].fill_by(pool, value);
            }
            !is_used
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_contract::{
        AttributeKind, AttributeSchema, AttributeType, Init, Merge, ScalarType, Schema, SourceLocation,
    };
    use gts_core::graph::{Graph, Vertex};
    use gts_core::threads;
    use gts_device::{Session, SessionOptions};
    use std::num::NonZeroUsize;
    use std::sync::Arc;

    const TYPE: AttributeType = AttributeType { scalar: ScalarType::U32, length: 1, array: false };
    static SCHEMA: Schema = Schema {
        name: "Ranks",
        parameter: None,
        attributes: &[
            AttributeSchema {
                name: "next",
                ty: TYPE,
                kind: AttributeKind::Wa { init: Init { bits: 3 }, merge: Merge::Sum },
                doc: "",
            },
            AttributeSchema { name: "rank", ty: TYPE, kind: AttributeKind::Ra { from: Some(0) }, doc: "" },
        ],
        location: SourceLocation { file: "", line: 1, column: 1 },
    };

    fn session(fills_late: bool) -> CpuSession {
        let pool = Arc::new(threads::pool("test", Some(NonZeroUsize::MIN)).unwrap());
        let graph = Graph::builder().edges([(0u64, 1u64), (1, 2)]).build().unwrap();
        let options = SessionOptions { fills_late, ..SessionOptions::default() };
        CpuSession::new(pool, None, graph, &SCHEMA, &options).unwrap()
    }

    fn values(session: &mut CpuSession, attribute: usize) -> Vec<u32> {
        let mut bytes = [0; 12];
        session.read(attribute, Vertex::from_dense(0), &mut bytes).unwrap();
        bytemuck::cast_slice(&bytes).to_vec()
    }

    #[test]
    fn what_is_owed_is_filled_before_it_is_used_and_moves_with_its_attribute() {
        let mut sessions = [session(false), session(true)];
        for session in &mut sessions {
            session.fill(0, &7u32.to_le_bytes()).unwrap();
            // If the fill is deferred, this write must perform the fill first.
            session.write(0, Vertex::from_dense(1), &9u32.to_le_bytes()).unwrap();
            session.rotate(1, 0).unwrap();
        }
        assert_eq!(sessions.each_ref().map(|session| session.owed.len()), [0, 1]);
        for session in &mut sessions {
            assert_eq!(values(session, 1), [7, 9, 7]);
            assert_eq!(values(session, 0), [3, 3, 3]);
            session.fill(0, &5u32.to_le_bytes()).unwrap();
            session.fill(1, &6u32.to_le_bytes()).unwrap();
            session.rotate(1, 0).unwrap();
            assert_eq!((values(session, 1), values(session, 0)), (vec![5; 3], vec![3; 3]));
        }
    }

    #[test]
    fn what_is_lent_is_filled_and_what_is_not_may_wait() {
        let mut session = session(true);
        session.fill(0, &7u32.to_le_bytes()).unwrap();
        session.fill(1, &8u32.to_le_bytes()).unwrap();
        Session::lend(&mut session, &[1]).unwrap();
        assert_eq!(session.owed.iter().map(|(attribute, _)| *attribute).collect::<Vec<_>>(), [0]);
        assert_eq!(session.columns[1].as_slice(), [8u32; 3].map(u32::to_le_bytes).concat());
    }
}
