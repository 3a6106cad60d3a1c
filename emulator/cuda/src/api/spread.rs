//! Functions for memory mapped at addresses chosen by the caller.

use super::{calls, set};
use crate::arena::Arena;
use crate::codes::{Code, Result};
use crate::contexts;
use crate::memory::{Allocation, Place, with};
use std::collections::BTreeMap;
use std::ffi::{c_int, c_uint, c_ulonglong};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Granularity in bytes of mapped memory.
const GRANULARITY: u64 = 2 << 20;
/// CUDA's value for an allocation type that is not migrated.
const PINNED: c_uint = 1;
/// CUDA's value for a location in device memory.
const ON_DEVICE: c_uint = 1;
/// CUDA's value for read and write access.
const READ_AND_WRITE: c_uint = 3;

/// A memory location: `CUmemLocation`.
#[repr(C)]
pub struct Location {
    kind: c_uint,
    device: c_int,
}

/// The first fields of `CUmemAllocationProp`.
#[repr(C)]
pub struct Properties {
    kind: c_uint,
    handles: c_uint,
    location: Location,
}

impl Properties {
    /// Returns the properties of device memory.
    pub fn of_device(device: c_int) -> Self {
        Self { kind: PINNED, handles: 0, location: Location { kind: ON_DEVICE, device } }
    }
}

/// Access by one device: `CUmemAccessDesc`.
#[repr(C)]
pub struct Access {
    location: Location,
    flags: c_uint,
}

impl Access {
    /// Returns read and write access for a device.
    pub fn of_device(device: c_int) -> Self {
        Self { location: Location { kind: ON_DEVICE, device }, flags: READ_AND_WRITE }
    }
}

/// Memory created by `cuMemCreate`.
#[derive(Clone, Copy, Debug)]
struct Made {
    device: u32,
    bytes: u64,
    /// Whether the memory's handle has been released.
    released: bool,
    /// Address at which the memory is mapped, if any.
    mapped: Option<u64>,
}

/// All created memory and all reserved address ranges.
#[derive(Debug, Default)]
struct Spread {
    made: BTreeMap<u64, Made>,
    last: u64,
    /// Bytes of each reserved address range, by its first address.
    reserved: BTreeMap<u64, u64>,
}

static SPREAD: Mutex<Option<Spread>> = Mutex::new(None);

fn spread<R>(action: impl FnOnce(&mut Spread) -> R) -> R {
    let mut spread: MutexGuard<'_, Option<Spread>> = SPREAD.lock().unwrap_or_else(PoisonError::into_inner);
    action(spread.get_or_insert_with(Spread::default))
}

calls! {
    fn cuMemGetAllocationGranularity(bytes: *mut usize, properties: *const Properties, _option: c_uint) {
        of(properties)?;
        set(bytes, GRANULARITY as usize)
    }

    fn cuMemAddressReserve(address: *mut u64, bytes: usize, _alignment: usize, _wanted: u64, _flags: c_ulonglong) {
        let bytes = whole(bytes)?;
        let start = with(|memory| memory.reserve(bytes, GRANULARITY))?;
        spread(|spread| spread.reserved.insert(start, bytes));
        set(address, start)
    }

    fn cuMemAddressFree(address: u64, bytes: usize) {
        spread(|spread| {
            let range = address..address + bytes as u64;
            if spread.made.values().any(|made| made.mapped.is_some_and(|start| range.contains(&start))) {
                return Err(Code::INVALID_VALUE);
            }
            match spread.reserved.get(&address) {
                Some(&reserved) if reserved == bytes as u64 => drop(spread.reserved.remove(&address)),
                _ => return Err(Code::INVALID_VALUE),
            }
            Ok(())
        })
    }

    fn cuMemCreate(handle: *mut u64, bytes: usize, properties: *const Properties, _flags: c_ulonglong) {
        let (device, bytes) = (of(properties)?, whole(bytes)?);
        with(|memory| memory.charge(device, bytes))?;
        set(handle, spread(|spread| {
            spread.last += 1;
            spread.made.insert(spread.last, Made { device, bytes, released: false, mapped: None });
            spread.last
        }))
    }

    fn cuMemRelease(handle: u64) {
        spread(|spread| {
            let made = spread.made.get_mut(&handle).filter(|made| !made.released).ok_or(Code::INVALID_VALUE)?;
            made.released = true;
            spread.collect(handle);
            Ok(())
        })
    }

    fn cuMemMap(address: u64, bytes: usize, offset: usize, handle: u64, _flags: c_ulonglong) {
        spread(|spread| {
            let bytes = whole(bytes)?;
            let is_reserved = spread.reserved.range(..=address).next_back().is_some_and(|(&start, &reserved)| {
                address + bytes <= start + reserved
            });
            let made = spread.made.get_mut(&handle).filter(|made| !made.released).ok_or(Code::INVALID_VALUE)?;
            if !is_reserved || offset != 0 || bytes != made.bytes {
                return Err(Code::INVALID_VALUE);
            }
            if made.mapped.is_some() {
                return Err(Code::ALREADY_MAPPED);
            }
            made.mapped = Some(address);
            let place = Place::Mapped(made.device, 0);
            with(|memory| memory.add(Allocation { start: address, bytes, place }));
            Ok(())
        })
    }

    fn cuMemUnmap(address: u64, bytes: usize) {
        spread(|spread| {
            let is_it = |(_, made): &(&u64, &mut Made)| made.mapped == Some(address) && made.bytes == bytes as u64;
            let (&handle, made) = spread.made.iter_mut().find(is_it).ok_or(Code::INVALID_VALUE)?;
            made.mapped = None;
            with(|memory| memory.remove(address, |place| matches!(place, Place::Mapped(..))));
            Arena::give(address, bytes as u64);
            spread.collect(handle);
            Ok(())
        })
    }

    fn cuMemSetAccess(address: u64, bytes: usize, access: *const Access, count: usize) {
        if access.is_null() {
            return Err(Code::INVALID_VALUE);
        }
        let mut devices = 0;
        for index in 0..count {
            // SAFETY: the caller passes `count` access descriptions.
            let one = unsafe { &*access.add(index) };
            if one.location.kind != ON_DEVICE || one.flags != READ_AND_WRITE {
                return Err(Code::NOT_SUPPORTED);
            }
            devices |= 1 << contexts::device(one.location.device)?;
        }
        let range = address..address + bytes as u64;
        with(|memory| memory.let_reach_mapped(range, devices)).then_some(()).ok_or(Code::INVALID_VALUE)
    }
}

impl Spread {
    /// Frees the memory of a handle if the handle was released and the memory is not mapped.
    fn collect(&mut self, handle: u64) {
        if let Some(&Made { device, bytes, released: true, mapped: None }) = self.made.get(&handle) {
            self.made.remove(&handle);
            with(|memory| memory.uncharge(device, bytes));
        }
    }
}

/// Returns the device that the properties name.
fn of(properties: *const Properties) -> Result<u32> {
    if properties.is_null() {
        return Err(Code::INVALID_VALUE);
    }
    // SAFETY: the caller passes valid properties.
    let Properties { kind, handles, location } = unsafe { &*properties };
    match (*kind, *handles, location.kind) {
        (PINNED, 0, ON_DEVICE) => contexts::device(location.device),
        _ => Err(Code::NOT_SUPPORTED),
    }
}

fn whole(bytes: usize) -> Result<u64> {
    let bytes = bytes as u64;
    (bytes > 0 && bytes.is_multiple_of(GRANULARITY)).then_some(bytes).ok_or(Code::INVALID_VALUE)
}
