//! Loads, stores and atomic operations of one lane.
#![allow(unsafe_code)]

use crate::fault;
use crate::lanes::{LANES, Slot};
use crate::memory::{Memory, Table, holds};
use crate::spaces::{Place, Space};
use crate::types::Type;
use std::sync::Arc;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64};

/// Operands and properties of an instruction that accesses memory.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) ty: Type,
    /// Offset added to the address register.
    pub(crate) offset: u64,
    /// Columns of the loaded or stored values: one per vector element.
    pub(crate) columns: Box<[Slot]>,
    /// Whether the access is volatile, relaxed or acquire, so that its value may change between loads.
    pub(crate) watched: bool,
    pub(crate) acquires: bool,
    pub(crate) releases: bool,
    /// The atomic operation, if the instruction is one.
    pub(crate) operation: Operation,
    /// Whether the atomic operation returns the old value.
    pub(crate) returns: bool,
    /// Index of the allocation that the instruction accessed last.
    pub(crate) hint: AtomicU32,
}

/// An atomic operation on a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    None,
    Add,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    CompareExchange,
    Increment,
    Decrement,
}

/// An invalid access and the reason.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bad {
    pub(crate) code: u32,
    pub(crate) address: u64,
    pub(crate) why: &'static str,
}

/// The memory that a warp can access.
pub(crate) struct Reach<'a> {
    pub(crate) memory: &'a dyn Memory,
    pub(crate) table: Arc<Table>,
    pub(crate) device: u32,
    pub(crate) shared: &'a mut [u64],
    /// Bytes of shared memory per block.
    pub(crate) shared_bytes: u64,
    /// Local memory of all lanes, consecutive by lane.
    pub(crate) local: &'a mut [u64],
    /// Bytes of local memory per lane.
    pub(crate) local_bytes: u64,
    pub(crate) parameters: &'a [u8],
}

impl Reach<'_> {
    /// Returns the first address and the size of the allocation that the instruction accessed last.
    #[inline(always)]
    pub(crate) fn window(&self, access: &Access) -> (u64, u64) {
        let hint = self.table.get(access.hint.load(Relaxed));
        hint.filter(|hint| hint.reach >> self.device & 1 != 0).map_or((0, 0), |hint| (hint.start, hint.bytes))
    }

    /// Returns the host address of the bytes. `window` is the allocation of the previous access.
    #[inline(always)]
    pub(crate) fn place(
        &mut self,
        access: &Access,
        lane: usize,
        address: u64,
        bytes: u64,
        window: &mut (u64, u64),
    ) -> Result<*mut u8, Bad> {
        let offset = address.wrapping_sub(window.0);
        let is_memory = matches!(access.space, Space::Generic | Space::Global);
        if is_memory && offset < window.1 && window.1 - offset >= bytes && address & (bytes - 1) == 0 {
            return Ok(address as *mut u8);
        }
        let found = self.pointer(access, lane, address, bytes)?;
        *window = self.window(access);
        Ok(found)
    }

    /// Returns the host address of the bytes, after checking their alignment and allocation.
    pub(crate) fn pointer(&mut self, access: &Access, lane: usize, address: u64, bytes: u64) -> Result<*mut u8, Bad> {
        if address & (bytes - 1) != 0 {
            return Err(Bad { code: fault::MISALIGNED, address, why: "is not aligned to the size of the access" });
        }
        match access.space.place(address) {
            Place::Memory(address) => {
                let hint = self.table.get(access.hint.load(Relaxed));
                // Devices that share a program share its hints, so check that this device can access the allocation.
                if hint.is_some_and(|hint| hint.reach >> self.device & 1 != 0 && holds(hint, address, bytes)) {
                    return Ok(address as *mut u8);
                }
                self.find(access, address, bytes)
            }
            Place::Shared(offset) => {
                if offset + bytes > self.shared_bytes {
                    let why = "lies outside of the block's shared memory";
                    return Err(Bad { code: fault::ILLEGAL_ADDRESS, address, why });
                }
                Ok(self.shared.as_mut_ptr().cast::<u8>().wrapping_add(offset as usize))
            }
            Place::Local(offset) => {
                if offset + bytes > self.local_bytes {
                    let why = "lies outside of the thread's own memory";
                    return Err(Bad { code: fault::ILLEGAL_ADDRESS, address, why });
                }
                let start = lane as u64 * self.local_bytes;
                Ok(self.local.as_mut_ptr().cast::<u8>().wrapping_add((start + offset) as usize))
            }
            Place::Parameter(offset) => {
                if offset + bytes > self.parameters.len() as u64 {
                    let why = "lies outside of the kernel's parameters";
                    return Err(Bad { code: fault::ILLEGAL_ADDRESS, address, why });
                }
                Ok(self.parameters.as_ptr().cast_mut().wrapping_add(offset as usize))
            }
        }
    }

    /// Finds the allocation of an address. Fetches the newest table if the current one does not contain the address.
    #[cold]
    fn find(&mut self, access: &Access, address: u64, bytes: u64) -> Result<*mut u8, Bad> {
        let mut found = self.table.find(address, bytes, self.device);
        if found.is_none() {
            self.table = self.memory.table();
            found = self.table.find(address, bytes, self.device);
        }
        match found {
            Some(number) => {
                access.hint.store(number, Relaxed);
                Ok(address as *mut u8)
            }
            None => {
                Err(Bad { code: fault::ILLEGAL_ADDRESS, address, why: "is in no allocation that the device reaches" })
            }
        }
    }
}

/// Reads a value atomically.
///
/// # Safety
///
/// The address is aligned to `bytes` and valid for `bytes` bytes.
#[inline(always)]
pub(crate) unsafe fn read(from: *mut u8, bytes: u64, acquires: bool) -> u64 {
    let order = if acquires { Acquire } else { Relaxed };
    // SAFETY: the caller guarantees the address. Each access is atomic because other threads access the memory
    // concurrently.
    unsafe {
        match bytes {
            1 => u64::from(AtomicU8::from_ptr(from).load(order)),
            2 => u64::from(AtomicU16::from_ptr(from.cast()).load(order)),
            4 => u64::from(AtomicU32::from_ptr(from.cast()).load(order)),
            _ => AtomicU64::from_ptr(from.cast()).load(order),
        }
    }
}

/// Writes a value atomically.
///
/// # Safety
///
/// The requirements are those of [`read`].
#[inline(always)]
pub(crate) unsafe fn write(to: *mut u8, bytes: u64, value: u64, releases: bool) {
    let order = if releases { Release } else { Relaxed };
    // SAFETY: as above.
    unsafe {
        match bytes {
            1 => AtomicU8::from_ptr(to).store(value as u8, order),
            2 => AtomicU16::from_ptr(to.cast()).store(value as u16, order),
            4 => AtomicU32::from_ptr(to.cast()).store(value as u32, order),
            _ => AtomicU64::from_ptr(to.cast()).store(value, order),
        }
    }
}

/// Performs an atomic operation and returns the old value.
///
/// # Safety
///
/// The requirements are those of [`read`].
pub(crate) unsafe fn update(at: *mut u8, access: &Access, b: u64, c: u64) -> u64 {
    use Operation as Op;
    let (ty, operation) = (access.ty, access.operation);
    if ty.bytes() == 2 {
        // SAFETY: the caller guarantees the address.
        let word = unsafe { AtomicU16::from_ptr(at.cast()) };
        return loop_update(
            |old, new| {
                word.compare_exchange_weak(old as u16, new as u16, SeqCst, SeqCst)
                    .map_or_else(|found| Err(u64::from(found)), |_| Ok(()))
            },
            u64::from(word.load(Relaxed)),
            |old| updated(ty, operation, old, b, c),
        );
    }
    if ty.bytes() == 4 {
        // SAFETY: the caller guarantees the address.
        let word = unsafe { AtomicU32::from_ptr(at.cast()) };
        let b32 = b as u32;
        return u64::from(match (operation, ty) {
            (Op::Add, Type::U32 | Type::S32) => word.fetch_add(b32, SeqCst),
            (Op::And, _) => word.fetch_and(b32, SeqCst),
            (Op::Or, _) => word.fetch_or(b32, SeqCst),
            (Op::Xor, _) => word.fetch_xor(b32, SeqCst),
            (Op::Exchange, _) => word.swap(b32, SeqCst),
            (Op::CompareExchange, _) => match word.compare_exchange(b32, c as u32, SeqCst, SeqCst) {
                Ok(found) | Err(found) => found,
            },
            (Op::Min, Type::U32) => word.fetch_min(b32, SeqCst),
            (Op::Max, Type::U32) => word.fetch_max(b32, SeqCst),
            _ => loop_update(
                |old, new| {
                    word.compare_exchange_weak(old as u32, new as u32, SeqCst, SeqCst)
                        .map_or_else(|found| Err(u64::from(found)), |_| Ok(()))
                },
                u64::from(word.load(Relaxed)),
                |old| updated(ty, operation, old, b, c),
            ) as u32,
        });
    }
    // SAFETY: the caller guarantees the address.
    let word = unsafe { AtomicU64::from_ptr(at.cast()) };
    match (operation, ty) {
        (Op::Add, Type::U64 | Type::S64) => word.fetch_add(b, SeqCst),
        (Op::And, _) => word.fetch_and(b, SeqCst),
        (Op::Or, _) => word.fetch_or(b, SeqCst),
        (Op::Xor, _) => word.fetch_xor(b, SeqCst),
        (Op::Exchange, _) => word.swap(b, SeqCst),
        (Op::CompareExchange, _) => match word.compare_exchange(b, c, SeqCst, SeqCst) {
            Ok(found) | Err(found) => found,
        },
        (Op::Min, Type::U64) => word.fetch_min(b, SeqCst),
        (Op::Max, Type::U64) => word.fetch_max(b, SeqCst),
        _ => loop_update(
            |old, new| word.compare_exchange_weak(old, new, SeqCst, SeqCst).map(drop),
            word.load(Relaxed),
            |old| updated(ty, operation, old, b, c),
        ),
    }
}

/// Replaces a word by the result of `of` for the word. Retries if another thread has written the word in the meantime.
fn loop_update(replace: impl Fn(u64, u64) -> Result<(), u64>, first: u64, of: impl Fn(u64) -> u64) -> u64 {
    let mut old = first;
    loop {
        match replace(old, of(old)) {
            Ok(()) => return old,
            Err(found) => old = found,
        }
    }
}

/// Returns the new value of a word that contained `old`.
fn updated(ty: Type, operation: Operation, old: u64, b: u64, c: u64) -> u64 {
    use Operation as Op;
    let float = |f: fn(f64, f64) -> f64| f(f64::from_bits(old), f64::from_bits(b)).to_bits();
    let (old32, b32) = (old as u32, b as u32);
    match (operation, ty) {
        (Op::Add, Type::F32) => u64::from(crate::lanes::f32_add(old32, b32)),
        (Op::Add, Type::F64) => float(|a, b| a + b),
        (Op::Min, Type::S32) => (old32 as i32).min(b32 as i32) as u32 as u64,
        (Op::Max, Type::S32) => (old32 as i32).max(b32 as i32) as u32 as u64,
        (Op::Min, Type::S64) => (old as i64).min(b as i64) as u64,
        (Op::Max, Type::S64) => (old as i64).max(b as i64) as u64,
        (Op::Increment, _) => u64::from(if old32 >= b32 { 0 } else { old32 + 1 }),
        (Op::Decrement, _) => u64::from(if old32 == 0 || old32 > b32 { b32 } else { old32 - 1 }),
        (Op::CompareExchange, Type::U16 | Type::S16) => {
            if old as u16 == b as u16 {
                c
            } else {
                old
            }
        }
        (Op::Exchange, _) => b,
        (Op::Add, _) => old.wrapping_add(b),
        _ => old,
    }
}

/// Returns the lanes of a mask in ascending order.
#[inline(always)]
pub(crate) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        (lane < LANES).then(|| {
            mask &= mask - 1;
            lane
        })
    })
}
