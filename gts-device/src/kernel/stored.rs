//! Converts the bytes of an answer to values, on all threads.
//!
//! `AttributeValue` has a method that calls this module, so that this crate compiles the conversion for each scalar type.
//! Otherwise, each program would compile it again.
#![allow(unsafe_code)]

use gts_core::graph::Graph;
use gts_core::parallel::*;
use std::mem::MaybeUninit;

/// Number of values that a thread converts per task.
pub const VALUES_AT_ONCE: usize = 1 << 16;

/// Consecutive values in the format of [`AttributeValue::write`](super::AttributeValue::write).
#[derive(Clone, Copy, Debug)]
pub struct StoredValues<'a> {
    /// The values.
    pub bytes: &'a [u8],
    /// The size of a stored vertex number.
    pub vertex_bytes: usize,
    /// The position in `bytes` of each value of the result, or `None` if `bytes` is in the order of the result.
    pub order: Option<&'a [u32]>,
    /// The graph whose original IDs replace the numbers of vertices, or `None` to keep the numbers.
    pub originals: Option<&'a Graph>,
}

/// Memory for values, filled from the front.
#[derive(Debug)]
pub enum AnswerTarget<'t, 'm, T> {
    /// Appends to a vector.
    Vector(&'t mut Vec<T>),
    /// Stores the values at the beginning of a slice. Afterwards, the slice starts after these values.
    Slice(&'t mut &'m mut [T]),
}

/// Converts values of `size` bytes with `read` and stores them in the target. `named` replaces the vertices in a value by
/// their original IDs in a graph.
pub(super) fn convert<T: Send>(
    values: &StoredValues<'_>,
    target: AnswerTarget<'_, '_, T>,
    size: usize,
    read: impl Fn(&[u8]) -> T + Sync,
    named: impl Fn(T, &Graph) -> T + Sync,
) {
    let count = values.order.map_or(values.bytes.len() / size, <[u32]>::len);
    match target {
        AnswerTarget::Vector(vector) => {
            vector.reserve(count);
            store(values, &mut vector.spare_capacity_mut()[..count], size, read, named);
            // SAFETY: `store` has initialised the elements, which are within the capacity.
            unsafe { vector.set_len(vector.len() + count) };
        }
        AnswerTarget::Slice(slice) => {
            let (now, rest) = std::mem::take(slice).split_at_mut(count);
            // SAFETY: `MaybeUninit<T>` has the layout of `T`, and `store` writes only initialised values.
            let places = unsafe { &mut *(std::ptr::from_mut(now) as *mut [MaybeUninit<T>]) };
            store(values, places, size, read, named);
            *slice = rest;
        }
    }
}

/// Converts a value for each place, and stores it there.
fn store<T: Send>(
    values: &StoredValues<'_>,
    places: &mut [MaybeUninit<T>],
    size: usize,
    read: impl Fn(&[u8]) -> T + Sync,
    named: impl Fn(T, &Graph) -> T + Sync,
) {
    let StoredValues { bytes, order, originals, .. } = *values;
    let value = |bytes: &[u8]| match originals {
        Some(graph) => named(read(bytes), graph),
        None => read(bytes),
    };
    // The values below have the same length as the places, so every place is written.
    let length = places.len();
    let places = places.par_iter_mut().with_min_len(VALUES_AT_ONCE);
    match order {
        Some(order) => places.zip(&order[..length]).for_each(|(place, &v)| {
            place.write(value(&bytes[v as usize * size..][..size]));
        }),
        None => places.zip(bytes[..length * size].par_chunks_exact(size)).for_each(|(place, bytes)| {
            place.write(value(bytes));
        }),
    }
}
