//! Numbers that threads write side by side.
//!
//! The unsafe code is one cast between types of the same shape.
#![allow(unsafe_code)]

use std::ptr;
use std::sync::atomic::AtomicU32;

/// Lets threads write to a slice side by side, for as long as it is borrowed.
pub(crate) fn atomic(values: &mut [u32]) -> &[AtomicU32] {
    // SAFETY: both types have one size and one alignment, and nobody else reaches the numbers while they are borrowed.
    unsafe { &*(ptr::from_mut(values) as *const [AtomicU32]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rayon::prelude::*;
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
