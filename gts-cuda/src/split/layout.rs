//! Divides the vertices into parts whose attributes fit into device memory.

use gts_core::cost::holding::{GRAIN, parts_of};
use std::ops::Range;

/// A division of the vertices into parts of consecutive vertices. Device i of n processes parts i, i + n, i + 2n and so
/// on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    bounds: Vec<u64>,
}

/// The memory of a device, and the memory that a part requires.
#[derive(Clone, Copy, Debug)]
pub(super) struct DeviceRoom {
    /// Bytes of available device memory.
    pub(super) available: u64,
    /// Bytes required in addition to the attributes of a part.
    pub(super) fixed: u64,
    /// Bytes per vertex for the values of all `wa`.
    pub(super) vertex: u64,
}

impl Parts {
    /// Creates the smallest number of parts such that every part fits and all devices have the same number of parts.
    /// Returns `None` if not even [`GRAIN`] vertices fit.
    pub(super) fn fitting(vertices: u64, devices: u64, rooms: &[DeviceRoom]) -> Option<Self> {
        let vertices_in =
            |room: &DeviceRoom| room.available.checked_sub(room.fixed).map(|left| left / room.vertex.max(1));
        let most = rooms.iter().map(vertices_in).min()??;
        Some(Self::even(vertices, parts_of(vertices, devices, most)?))
    }

    /// Creates `parts` parts of about the same size. The last parts may be smaller or empty.
    fn even(vertices: u64, parts: u64) -> Self {
        let grains = vertices.div_ceil(GRAIN);
        let bound = |part: u64| (grains.div_ceil(parts) * part * GRAIN).min(vertices);
        Self { bounds: (0..=parts).map(bound).collect() }
    }

    /// Returns the number of parts.
    pub(super) fn len(&self) -> usize {
        self.bounds.len() - 1
    }

    /// Returns the vertices of a part.
    pub(super) fn vertices(&self, part: usize) -> Range<u64> {
        self.bounds[part]..self.bounds[part + 1]
    }

    /// Returns the number of vertices in the largest part.
    pub(super) fn largest(&self) -> u64 {
        (0..self.len()).map(|part| self.vertices(part)).map(|part| part.end - part.start).max().unwrap_or(0)
    }

    /// Returns every part that overlaps a range of vertices, together with the overlap.
    pub(super) fn within(&self, range: Range<u64>) -> impl Iterator<Item = (usize, Range<u64>)> {
        (0..self.len()).filter_map(move |part| {
            let own = self.vertices(part);
            let common = own.start.max(range.start)..own.end.min(range.end);
            (!common.is_empty()).then_some((part, common))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_are_as_few_as_fit() {
        let room = |available| DeviceRoom { available, fixed: 1000, vertex: 8 };
        let parts = |available, devices| Parts::fitting(10_000, devices, &[room(available)]).map(|parts| parts.len());
        assert_eq!(parts(1_000_000, 1), Some(1));
        assert_eq!(parts(1_000_000, 4), Some(4));
        assert_eq!(parts(41_000, 1), Some(3));
        assert_eq!(parts(41_000, 2), Some(4));
        assert_eq!(parts(1_500, 1), None);
        assert_eq!(parts(999, 1), None);
    }

    proptest! {
        #[test]
        fn parts_cover_every_vertex_once(vertices in 0u64..5000, devices in 1u64..5, available in 512u64..40_000) {
            let rooms = [DeviceRoom { available, fixed: 0, vertex: 8 }];
            let parts = Parts::fitting(vertices, devices, &rooms).expect("room for 64 vertices");
            prop_assert_eq!(parts.len() as u64 % devices, 0);
            prop_assert!(parts.largest() * 8 <= available);
            let mut next = 0;
            for (_, part) in parts.within(0..vertices) {
                prop_assert_eq!(part.start, next);
                next = part.end;
            }
            prop_assert_eq!(next, vertices);
        }
    }
}
