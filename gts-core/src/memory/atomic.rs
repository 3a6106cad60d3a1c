//! Slices to which threads write concurrently.
//!
//! The unsafe code is a cast between types with the same layout.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::AtomicU32;

/// Returns a slice as atomic integers, to which threads may write concurrently during the borrow.
pub(crate) fn atomic(values: &mut [u32]) -> &[AtomicU32] {
    // SAFETY: both types have the same size and alignment, and nothing else accesses the numbers during the borrow.
    unsafe { &*(ptr::from_mut(values) as *const [AtomicU32]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parallel::*;
    use std::sync::atomic::Ordering;

    #[test]
    fn threads_write_to_one_slice() {
        let mut values = vec![0; 1000];
        let shared = atomic(&mut values);
        (0..1000u32).into_par_iter().for_each(|value| shared[999 - value as usize].store(value, Ordering::Relaxed));
        assert!(values.iter().rev().copied().eq(0..1000));
        assert!(atomic(&mut []).is_empty());
    }
}
