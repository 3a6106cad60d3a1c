//! Layout of the values that travel with pages, beside the pages in a slot.

use gts_core::cost::holding::GRAIN;
use std::ops::Range;

/// Alignment in bytes of the address that vertex 0 of each column would have. Columns that are entirely on the device
/// have the same alignment. Therefore kernels may read several values at once.
const ALIGNED: u64 = 16;

/// Returns the offset of each column in memory of `room` bytes. Each column contains the values of `vertices`. `values`
/// contains the number of bytes per value for each column. Returns `None` if the room is too small.
pub(super) fn places(vertices: &Range<u64>, values: impl IntoIterator<Item = u64>, room: u64) -> Option<Vec<u64>> {
    let mut end = 0u64;
    let place = |value: u64| {
        let start = end.next_multiple_of(ALIGNED) + vertices.start * value % ALIGNED;
        end = start + (vertices.end - vertices.start) * value;
        start
    };
    let places = values.into_iter().map(place).collect();
    (end <= room).then_some(places)
}

/// Returns a count of consecutive vertices whose values fit into `room` bytes, regardless of the first vertex. The
/// result is a multiple of the number of vertices per word of an active set. Returns `None` if the values for a single
/// word do not fit.
pub(super) fn fitting(values: impl IntoIterator<Item = u64>, room: u64) -> Option<u64> {
    let (columns, bytes) = values.into_iter().fold((0, 0), |(columns, bytes), value| (columns + 1, bytes + value));
    let count = room.checked_sub(2 * ALIGNED * columns)?.checked_div(bytes)? / GRAIN * GRAIN;
    (count > 0).then_some(count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_core::cost::holding::Travelling;
    use proptest::prelude::*;

    #[test]
    fn values_lie_one_column_after_the_other() {
        assert_eq!(places(&(8..12), [4, 8], 48), Some(vec![0, 16]));
        assert_eq!(places(&(9..12), [4, 8], 64), Some(vec![4, 24]));
        assert_eq!(places(&(9..12), [4, 8], 47), None);
        assert_eq!(places(&(9..12), [], 0), Some(vec![]));
    }

    proptest! {
        #[test]
        fn columns_never_overlap_and_stay_aligned(
            first in 0u64..1 << 40,
            count in 0u64..1000,
            values in proptest::collection::vec(1u64..40, 0..5),
        ) {
            let places = places(&(first..first + count), values.iter().copied(), u64::MAX).unwrap();
            let mut end = 0;
            for (&place, value) in places.iter().zip(&values) {
                prop_assert!(place >= end);
                // The alignment is the same as if vertex 0 were at an aligned address.
                prop_assert_eq!(place % ALIGNED, first * value % ALIGNED);
                end = place + count * value;
            }
        }

        #[test]
        fn as_many_as_fit_have_places(first in 0u64..1 << 40, values in proptest::collection::vec(1u64..40, 1..5), room in 0u64..1 << 20) {
            if let Some(count) = fitting(values.iter().copied(), room) {
                prop_assert!(count % GRAIN == 0 && places(&(first..first + count), values, room).is_some());
            }
        }

        #[test]
        fn a_slot_has_room_for_vertices_with_edges(
            first in 0u64..1 << 40,
            pages in 1u64..20,
            values in proptest::collection::vec(1u64..40, 1..5),
        ) {
            // A vertex occupies at least eight bytes of a page: a slot and an entry.
            let page = 4096;
            let travelling = Travelling { columns: values.len() as u64, bytes: values.iter().sum() };
            let room = pages * travelling.beside_page(page);
            prop_assert!(places(&(first..first + pages * page / 8), values, room).is_some());
        }
    }
}
