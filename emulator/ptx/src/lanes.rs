//! Registers of a warp, stored as columns of 32 values, and loops over columns.
//!
//! A value occupies the low bits of its element. Instructions ignore the bits above the width of their type.
#![allow(unsafe_code)]

use crate::warp::Instruction;

/// Lanes per warp.
pub(crate) const LANES: usize = 32;
/// Mask of all lanes.
pub(crate) const ALL: u32 = u32::MAX;

/// Values of one register in all lanes.
pub(crate) type Column = [u64; LANES];

/// Number of a column: a register, or a constant if [`CONSTANT`] is set.
pub(crate) type Slot = u32;

/// Bit that marks the number of a constant.
pub(crate) const CONSTANT: Slot = 1 << 31;

/// A function that executes an instruction for the lanes of a mask.
pub(crate) type Execute = fn(&mut Lanes<'_>, &Instruction, u32);

/// The registers and constants of a warp.
pub(crate) struct Lanes<'a> {
    pub(crate) columns: &'a mut [Column],
    /// Predicates, one bit per lane.
    pub(crate) predicates: &'a mut [u32],
    pub(crate) constants: &'a [Column],
}

impl Lanes<'_> {
    /// Returns a column for reading.
    #[inline(always)]
    pub(crate) fn column(&self, slot: Slot) -> &Column {
        if slot & CONSTANT == 0 { &self.columns[slot as usize] } else { &self.constants[(slot & !CONSTANT) as usize] }
    }

    /// Returns a predicate as a mask with one bit per lane.
    #[inline(always)]
    pub(crate) fn predicate(&self, slot: Slot) -> u32 {
        match slot {
            NEVER => 0,
            ALWAYS => ALL,
            _ => self.predicates[slot as usize],
        }
    }

    /// Sets a predicate in the lanes of a mask.
    #[inline(always)]
    pub(crate) fn set_predicate(&mut self, slot: Slot, mask: u32, bits: u32) {
        let found = &mut self.predicates[slot as usize];
        *found = *found & !mask | bits & mask;
    }

    /// Sets a column in the lanes of a mask. `value` computes the value of a lane.
    #[inline(always)]
    pub(crate) fn each(&mut self, to: Slot, mask: u32, value: impl Fn(usize) -> u64) {
        let target = &mut self.columns[to as usize];
        if mask == ALL {
            for (lane, target) in target.iter_mut().enumerate() {
                *target = value(lane);
            }
        } else {
            for (lane, target) in target.iter_mut().enumerate() {
                if mask >> lane & 1 != 0 {
                    *target = value(lane);
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn one(&mut self, i: &Instruction, mask: u32, f: impl Fn(u64) -> u64) {
        let a: *const Column = self.column(i.a);
        // SAFETY: the column exists, and each element is read before it may be overwritten.
        self.each(i.d, mask, |lane| f(unsafe { a.cast::<u64>().add(lane).read() }));
    }

    #[inline(always)]
    pub(crate) fn two(&mut self, i: &Instruction, mask: u32, f: impl Fn(u64, u64) -> u64) {
        let (a, b): (*const Column, *const Column) = (self.column(i.a), self.column(i.b));
        // SAFETY: as above.
        let read = |from: *const Column, lane| unsafe { from.cast::<u64>().add(lane).read() };
        self.each(i.d, mask, |lane| f(read(a, lane), read(b, lane)));
    }

    #[inline(always)]
    pub(crate) fn three(&mut self, i: &Instruction, mask: u32, f: impl Fn(u64, u64, u64) -> u64) {
        let (a, b): (*const Column, *const Column) = (self.column(i.a), self.column(i.b));
        let c: *const Column = self.column(i.c);
        // SAFETY: as above.
        let read = |from: *const Column, lane| unsafe { from.cast::<u64>().add(lane).read() };
        self.each(i.d, mask, |lane| f(read(a, lane), read(b, lane), read(c, lane)));
    }

    /// Returns the mask of all lanes in which the comparison holds.
    #[inline(always)]
    pub(crate) fn compare(&self, i: &Instruction, holds: impl Fn(u64, u64) -> bool) -> u32 {
        let (a, b) = (self.column(i.a), self.column(i.b));
        let mut bits = 0;
        for lane in 0..LANES {
            bits |= u32::from(holds(a[lane], b[lane])) << lane;
        }
        bits
    }
}

/// A predicate that is always false.
pub(crate) const NEVER: Slot = u32::MAX - 1;
/// A predicate that is always true.
pub(crate) const ALWAYS: Slot = u32::MAX;

/// The NaN returned by 32-bit floating-point arithmetic.
pub(crate) const NAN: u32 = 0x7FFF_FFFF;

/// Returns the bits of the result of 32-bit floating-point arithmetic.
#[inline(always)]
pub(crate) fn f32_bits(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

/// Adds two 32-bit floating-point numbers, given as bits.
pub(crate) fn f32_add(a: u32, b: u32) -> u32 {
    f32_bits(f32::from_bits(a) + f32::from_bits(b))
}
