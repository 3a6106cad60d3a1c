//! Allocates buffers whose size depends on the graph. If there is too little memory, the functions return an error
//! instead of ending the process. Every buffer with an element per vertex or edge is created by this module or by other
//! fallible calls.

mod atomic;
mod huge;
mod prefetch;

pub(crate) use atomic::atomic;
pub(crate) use huge::{HUGE_PAGE, serves as huge_pages_serve};
pub use huge::{populate, populate_by_own_threads, prefer_huge_pages};
pub use prefetch::prefetch;

use crate::advice::{Advice, Explain};
use crate::parallel::*;
use bytemuck::Zeroable;
use gts_contract::language::Code;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};
use thiserror::Error;

/// The system has too little memory for a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Error)]
#[error("no memory for {bytes} bytes ({what})")]
pub struct NoMemory {
    /// The purpose of the buffer.
    pub what: &'static str,
    /// The number of bytes requested.
    pub bytes: u64,
}

crate::debug_by_explaining!(NoMemory);

impl Explain for NoMemory {
    fn code(&self) -> Code {
        Code::HostMemory
    }

    fn advice(&self) -> Option<Advice> {
        let fewer = "free memory, raise the limit of this process (`ulimit -v`), or allow a smaller `host_memory`";
        Some(Advice::new(Self::NEXT, fewer))
    }
}

impl NoMemory {
    /// The advice for the user of a command.
    pub const NEXT: &str = "free memory, raise the limit of this process (`ulimit -v`), or keep fewer pages of the graph \
                            in memory (`--host-memory`)";

    /// Creates the error for a buffer with `count` elements.
    fn of<T>(what: &'static str, count: usize) -> Self {
        Self { what, bytes: (count as u64).saturating_mul(size_of::<T>() as u64) }
    }
}

/// Creates an empty vector with capacity for `count` elements.
///
/// # Errors
///
/// Returns [`NoMemory`] if there is too little memory. The same applies to all functions in this module.
pub fn reserved<T>(what: &'static str, count: usize) -> Result<Vec<T>, NoMemory> {
    let mut vector = Vec::new();
    vector.try_reserve_exact(count).map_err(|_| NoMemory::of::<T>(what, count))?;
    prefer_huge_pages(vector.spare_capacity_mut());
    Ok(vector)
}

/// Creates a vector of `count` zeros. Its pages use memory only after they are written.
///
/// # Errors
///
/// Fails as [`reserved`] does.
pub fn zeroed<T: Zeroable>(what: &'static str, count: usize) -> Result<Vec<T>, NoMemory> {
    let mut vector = bytemuck::allocation::try_zeroed_vec(count).map_err(|()| NoMemory::of::<T>(what, count))?;
    prefer_huge_pages(&mut vector);
    Ok(vector)
}

/// Creates a vector of `count` equal values.
///
/// # Errors
///
/// Fails as [`reserved`] does.
pub fn filled<T: Clone>(what: &'static str, count: usize, value: T) -> Result<Vec<T>, NoMemory> {
    let mut vector = reserved(what, count)?;
    vector.resize(count, value);
    Ok(vector)
}

/// Copies values into a new vector.
///
/// # Errors
///
/// Fails as [`reserved`] does.
pub fn copied<T: Copy>(what: &'static str, values: &[T]) -> Result<Vec<T>, NoMemory> {
    let mut vector = reserved(what, values.len())?;
    vector.extend_from_slice(values);
    Ok(vector)
}

/// Collects the values of an iterator.
///
/// # Errors
///
/// Fails as [`reserved`] does.
pub fn collected<T>(what: &'static str, values: impl IntoIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let values = values.into_iter();
    let mut vector = reserved(what, values.size_hint().0)?;
    for value in values {
        push(what, &mut vector, value)?;
    }
    Ok(vector)
}

/// Collects the values of an iterator. Stops at the first error.
///
/// # Errors
///
/// Returns the iterator's first error, or fails as [`reserved`] does.
pub fn try_collected<T, E: From<NoMemory>>(
    what: &'static str,
    values: impl IntoIterator<Item = Result<T, E>>,
) -> Result<Vec<T>, E> {
    let mut vector = Vec::new();
    for value in values {
        push(what, &mut vector, value?)?;
    }
    Ok(vector)
}

/// Collects the values of a parallel iterator.
///
/// # Errors
///
/// Fails as [`reserved`] does.
pub fn collected_in_parallel<T: Send>(what: &'static str, values: impl Items<Item = T>) -> Result<Vec<T>, NoMemory> {
    let mut vector = reserved(what, values.len())?;
    populate(vector.spare_capacity_mut());
    extend(&mut vector, values);
    Ok(vector)
}

/// Appends a value. A full vector doubles its capacity.
///
/// # Errors
///
/// Fails as [`reserved`] does.
#[inline]
pub fn push<T>(what: &'static str, vector: &mut Vec<T>, value: T) -> Result<(), NoMemory> {
    reserve(what, vector, 1)?;
    vector.push(value);
    Ok(())
}

/// Appends copies of all values.
///
/// # Errors
///
/// Fails as [`reserved`] does.
pub fn append<T: Copy>(what: &'static str, vector: &mut Vec<T>, values: &[T]) -> Result<(), NoMemory> {
    reserve(what, vector, values.len())?;
    vector.extend_from_slice(values);
    Ok(())
}

/// Ensures capacity for `more` further values. If the capacity is too small, it at least doubles.
///
/// # Errors
///
/// Fails as [`reserved`] does.
#[inline]
pub fn reserve<T>(what: &'static str, vector: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    if more <= vector.capacity() - vector.len() { Ok(()) } else { grow(what, vector, more) }
}

#[cold]
fn grow<T>(what: &'static str, vector: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    let wanted = vector.len().saturating_add(more).max(vector.capacity().saturating_mul(2));
    vector.try_reserve(more).map_err(|_| NoMemory::of::<T>(what, wanted))
}

/// Ensures capacity for one more entry in a map.
///
/// # Errors
///
/// Fails as [`reserved`] does.
#[inline]
pub fn reserve_entry<K: Eq + Hash, V, S: BuildHasher>(
    what: &'static str,
    map: &mut HashMap<K, V, S>,
) -> Result<(), NoMemory> {
    // A full map doubles its size.
    map.try_reserve(1).map_err(|_| NoMemory::of::<(K, V)>(what, 2 * (map.len() + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advice::{Reader, explain_within};

    const TOO_MANY: usize = isize::MAX as usize / 8;

    #[test]
    fn what_no_machine_has_is_an_error_that_names_it() {
        let error = NoMemory { what: "ranks", bytes: 8 * TOO_MANY as u64 };
        assert_eq!(reserved::<u64>("ranks", TOO_MANY), Err(error));
        assert_eq!(zeroed::<u64>("ranks", TOO_MANY), Err(error));
        assert_eq!(filled("ranks", TOO_MANY, 1u64), Err(error));
        assert_eq!(collected("ranks", (0..TOO_MANY).map(|rank| rank as u64)), Err(error));
        assert_eq!(collected_in_parallel("ranks", (0..TOO_MANY).into_par_iter().map(|rank| rank as u64)), Err(error));
        let told = explain_within(&error, Reader::CommandLine);
        assert!(told.starts_with(&format!("no memory for {} bytes (ranks); free memory", error.bytes)), "{told}");
        assert_eq!(reserved::<u64>("ranks", usize::MAX).map_err(|error| error.bytes), Err(u64::MAX));
    }

    #[test]
    fn vectors_hold_what_was_asked_for() {
        assert_eq!(zeroed::<u32>("zeros", 3), Ok(vec![0; 3]));
        assert_eq!(filled("ones", 3, 1), Ok(vec![1; 3]));
        assert_eq!(copied("values", &[1, 2]), Ok(vec![1, 2]));
        // A filter reports 0 as the minimum length, so the vector grows.
        assert_eq!(collected("even", (0..9).filter(|value| value % 2 == 0)), Ok(vec![0, 2, 4, 6, 8]));
        let squares = collected_in_parallel("squares", (0..1000u32).into_par_iter().map(|value| value * value));
        assert_eq!(squares, Ok((0..1000).map(|value| value * value).collect()));
        let mut vector = Vec::new();
        assert_eq!(append("values", &mut vector, &[3, 4]).and_then(|()| push("values", &mut vector, 5)), Ok(()));
        assert_eq!(vector, [3, 4, 5]);
    }

    #[test]
    fn the_first_error_of_an_iterator_is_the_answer() {
        #[derive(Debug, PartialEq)]
        struct Odd(u32);
        impl From<NoMemory> for Odd {
            fn from(_: NoMemory) -> Self {
                Odd(0)
            }
        }
        let even = |value: u32| if value.is_multiple_of(2) { Ok(value) } else { Err(Odd(value)) };
        assert_eq!(try_collected("even", [2, 3, 5].map(even)), Err(Odd(3)));
        assert_eq!(try_collected("even", [2, 4].map(even)), Ok(vec![2, 4]));
    }
}
