//! Accumulators for globals. Each thread has its own accumulators, which are merged after a pass.

use super::memory::Bytes;
use gts_contract::{AttributeKind, AttributeSchema, Merge, ScalarType, Schema};
use gts_device::error::Result;
use gts_device::kernel::{RawColumn, identity, merge_bits, merge_totals, total_bytes, total_scalar};

/// The size of a word in bytes.
const WORD: usize = size_of::<u64>();
/// The largest number of words per total.
const MOST_WORDS: usize = 2;

/// A global's index in the schema, element type, number of elements, and merge.
#[derive(Clone, Copy, Debug)]
pub(super) struct GlobalShape {
    pub(super) attribute: usize,
    pub(super) scalar: ScalarType,
    pub(super) length: usize,
    pub(super) merge: Merge,
}

impl GlobalShape {
    /// Returns the shapes of a schema's globals.
    pub(super) fn of(schema: &Schema) -> Vec<Self> {
        let shape = |(attribute, declared): (usize, &AttributeSchema)| match declared.kind {
            AttributeKind::Global { merge } => {
                let (scalar, length) = (declared.ty.scalar, declared.ty.length as usize);
                Some(Self { attribute, scalar, length, merge })
            }
            _ => None,
        };
        schema.attributes.iter().enumerate().filter_map(shape).collect()
    }

    fn total_bytes(&self) -> usize {
        total_bytes(self.scalar, self.merge)
    }

    /// Returns the number of words per total.
    fn words(&self) -> usize {
        self.total_bytes().div_ceil(WORD)
    }

    /// Returns each word of the merge's identity. The identity of a wide total is 0 in both words.
    fn identity(&self) -> u64 {
        identity(total_scalar(self.scalar, self.merge), self.merge)
    }

    /// Returns the initial totals of a pass: the merge's identity for each element.
    pub(super) fn identities(&self) -> Vec<u64> {
        vec![self.identity(); self.length * self.words()]
    }

    /// Merges another thread's totals, `others`, into `totals`.
    pub(super) fn merge(&self, totals: &mut [u64], others: &[u64]) {
        if self.merge.has_wide_total(self.scalar) {
            let (totals, others) = (bytemuck::cast_slice_mut(totals), bytemuck::cast_slice(others));
            return merge_totals(self.scalar, self.merge, totals, others);
        }
        let total = total_scalar(self.scalar, self.merge);
        totals.iter_mut().zip(others).for_each(|(a, b)| *a = merge_bits(total, self.merge, *a, *b));
    }

    /// Converts totals to bytes.
    pub(super) fn bytes_of(&self, totals: &[u64]) -> Vec<u8> {
        totals.iter().flat_map(|bits| bits.to_le_bytes().into_iter().take(self.total_bytes())).collect()
    }
}

/// One thread's accumulator of one global.
#[derive(Debug)]
pub(super) struct Accumulator {
    shape: GlobalShape,
    /// The values that kernel bodies update during a unit of work.
    partial: Bytes,
    /// The merged values of all finished units.
    totals: Vec<u64>,
    touched: bool,
}

impl Accumulator {
    pub(super) fn new(shape: GlobalShape) -> Result<Self> {
        let partial = Bytes::zeroed(shape.length * shape.total_bytes(), "globals")?;
        let mut accumulator = Self { shape, partial, totals: shape.identities(), touched: false };
        accumulator.reset_partial();
        Ok(accumulator)
    }

    pub(super) fn column(&mut self) -> RawColumn {
        self.partial.column()
    }

    fn reset_partial(&mut self) {
        let words = [self.shape.identity(); MOST_WORDS];
        self.partial.fill(&bytemuck::bytes_of(&words)[..self.shape.total_bytes()]);
    }

    /// Merges the partial values into the totals after a unit of work.
    pub(super) fn flush(&mut self) {
        let (shape, size, words) = (self.shape, self.shape.total_bytes(), self.shape.words());
        for (total, bytes) in self.totals.chunks_exact_mut(words).zip(self.partial.as_slice().chunks_exact(size)) {
            let mut raw = [0u64; MOST_WORDS];
            bytemuck::cast_slice_mut::<u64, u8>(&mut raw)[..size].copy_from_slice(bytes);
            // A partial value of 0 means that the unit stored nothing, so `Merge::Any` must keep the total.
            if shape.merge == Merge::Any && raw[0] == 0 {
                continue;
            }
            shape.merge(total, &raw[..words]);
        }
        self.touched = true;
        self.reset_partial();
    }

    /// Merges this thread's totals into the pass's totals, and resets the thread's totals.
    pub(super) fn drain_into(&mut self, totals: &mut [u64]) {
        if std::mem::take(&mut self.touched) {
            self.shape.merge(totals, &self.totals);
            self.totals = self.shape.identities();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_changes_nothing() {
        use ScalarType::*;
        let samples = |scalar| match scalar {
            F32 => vec![1.5f32.to_bits().into(), (-2.0f32).to_bits().into()],
            F64 => vec![1.5f64.to_bits(), (-2.0f64).to_bits()],
            Bool => vec![0, 1],
            I32 => vec![7, (-7i32) as u32 as u64],
            I64 => vec![7, (-7i64) as u64],
            _ => vec![0, 7, 200],
        };
        for scalar in [U8, U16, U32, U64, I32, I64, F32, F64, Bool, VertexId] {
            for merge in [Merge::Sum, Merge::Min, Merge::Max, Merge::Or, Merge::And] {
                if matches!(scalar, F32 | F64) && matches!(merge, Merge::Or | Merge::And) {
                    continue;
                }
                for sample in samples(scalar) {
                    let found = merge_bits(scalar, merge, identity(scalar, merge), sample);
                    assert_eq!(found, sample, "{scalar} {merge:?}");
                }
            }
        }
    }

    #[test]
    fn sums_of_f32_keep_small_values() -> Result<()> {
        let shape = GlobalShape { attribute: 0, scalar: ScalarType::F32, length: 1, merge: Merge::Sum };
        let mut accumulator = Accumulator::new(shape)?;
        for _ in 0..20_000_000 / 1000 {
            accumulator.partial.fill(&1000.0f64.to_le_bytes());
            accumulator.flush();
        }
        accumulator.partial.fill(&1.0f64.to_le_bytes());
        accumulator.flush();
        let mut totals = shape.identities();
        accumulator.drain_into(&mut totals);
        assert_eq!(f64::from_bits(totals[0]), 20_000_001.0);
        Ok(())
    }
}
