//! Allocations on the devices and in page-locked host memory, and the devices that can access them.

use crate::arena::Arena;
use crate::codes::{Code, Result};
use crate::configuration::{MOST_DEVICES, configuration};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Number of freed allocations that are remembered for error reports.
const REMEMBERED: usize = 1 << 14;
/// Granularity of device memory in bytes.
const ROUNDED_TO: u64 = 256;

/// Kind of memory, with the device that owns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Memory that a device has allocated.
    Device(u32),
    /// Device memory mapped at an address chosen by the caller. Each set bit stands for a device that can access the
    /// memory.
    Mapped(u32, u8),
    /// Page-locked host memory allocated by the driver.
    Host,
    /// Host memory page-locked after its allocation.
    Registered,
}

/// An allocated range of addresses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub(crate) start: u64,
    pub(crate) bytes: u64,
    pub(crate) place: Place,
}

impl Allocation {
    fn end(&self) -> u64 {
        self.start + self.bytes
    }

    /// Returns whether the host can access the memory.
    pub(crate) fn is_on_host(&self) -> bool {
        matches!(self.place, Place::Host | Place::Registered)
    }
}

/// State of one device's memory.
#[derive(Debug)]
struct OfDevice {
    arena: Option<Arena>,
    used: u64,
    peak: u64,
    /// Devices that can access this device's memory, including itself, one bit per device.
    reached_by: u8,
}

/// The allocations of all devices and of the host.
#[derive(Debug)]
pub(crate) struct Memory {
    live: BTreeMap<u64, Allocation>,
    freed: VecDeque<Allocation>,
    devices: Vec<OfDevice>,
    /// Address range for mapped memory, reserved on first use.
    reserved: Option<Arena>,
    /// Table of allocations for kernels, cached until an allocation changes.
    table: Option<Arc<gts_emulator_ptx::Table>>,
}

static MEMORY: Mutex<Option<Memory>> = Mutex::new(None);

/// Locks the memory state and calls `action` with it.
pub(crate) fn with<R>(action: impl FnOnce(&mut Memory) -> R) -> R {
    let mut memory: MutexGuard<'_, Option<Memory>> = MEMORY.lock().unwrap_or_else(PoisonError::into_inner);
    action(memory.get_or_insert_with(Memory::new))
}

impl Memory {
    fn new() -> Self {
        let of_device = |device: u32| OfDevice { arena: None, used: 0, peak: 0, reached_by: 1 << device };
        Self {
            live: BTreeMap::new(),
            freed: VecDeque::new(),
            devices: (0..MOST_DEVICES).map(of_device).collect(),
            reserved: None,
            table: None,
        }
    }

    /// Allocates device memory.
    pub(crate) fn allocate(&mut self, device: u32, bytes: u64) -> Result<u64> {
        let taken = bytes.next_multiple_of(ROUNDED_TO);
        self.charge(device, taken)?;
        let start = self.arena(device).and_then(|arena| arena.take(bytes, ROUNDED_TO));
        match start {
            Ok(start) => {
                self.add(Allocation { start, bytes, place: Place::Device(device) });
                Ok(start)
            }
            Err(code) => {
                self.uncharge(device, taken);
                Err(code)
            }
        }
    }

    fn arena(&mut self, device: u32) -> Result<&mut Arena> {
        let arena = &mut self.devices[device as usize].arena;
        match arena {
            Some(arena) => Ok(arena),
            None => Ok(arena.insert(Arena::reserve()?)),
        }
    }

    /// Adds to the used bytes of a device. Fails if the device has too few free bytes.
    pub(crate) fn charge(&mut self, device: u32, bytes: u64) -> Result<()> {
        let found = &mut self.devices[device as usize];
        if bytes > configuration().memory - found.used {
            return Err(Code::OUT_OF_MEMORY);
        }
        found.used += bytes;
        found.peak = found.peak.max(found.used);
        Ok(())
    }

    /// Subtracts from the used bytes of a device.
    pub(crate) fn uncharge(&mut self, device: u32, bytes: u64) {
        self.devices[device as usize].used -= bytes;
    }

    /// Reserves contiguous addresses aligned to `alignment`. Returns the first address.
    pub(crate) fn reserve(&mut self, bytes: u64, alignment: u64) -> Result<u64> {
        let arena = match &mut self.reserved {
            Some(arena) => arena,
            none => none.insert(Arena::reserve()?),
        };
        arena.take(bytes, alignment)
    }

    /// Adds an allocation.
    pub(crate) fn add(&mut self, allocation: Allocation) {
        self.live.insert(allocation.start, allocation);
        self.table = None;
    }

    /// Removes the allocation that begins at `start`, if `is_such` accepts its kind of memory.
    pub(crate) fn remove(&mut self, start: u64, is_such: impl FnOnce(Place) -> bool) -> Option<Allocation> {
        let found = *self.live.get(&start).filter(|allocation| is_such(allocation.place))?;
        self.live.remove(&start);
        self.table = None;
        if let Place::Device(device) = found.place {
            self.uncharge(device, found.bytes.next_multiple_of(ROUNDED_TO));
            Arena::give(found.start, found.bytes);
        }
        if self.freed.len() == REMEMBERED {
            self.freed.pop_front();
        }
        self.freed.push_back(found);
        Some(found)
    }

    /// Removes all memory that a device has allocated, except mapped memory.
    pub(crate) fn remove_all_of(&mut self, device: u32) {
        let starts: Vec<u64> =
            self.live.values().filter(|found| found.place == Place::Device(device)).map(|found| found.start).collect();
        for start in starts {
            self.remove(start, |_| true);
        }
    }

    /// Lets `device` access the memory of `other`. Returns whether the access is new.
    pub(crate) fn let_reach(&mut self, device: u32, other: u32) -> bool {
        let reached_by = &mut self.devices[other as usize].reached_by;
        let is_new = *reached_by & 1 << device == 0;
        *reached_by |= 1 << device;
        self.table = None;
        is_new
    }

    /// Returns whether `device` can access the memory of `other`.
    pub(crate) fn reaches(&self, device: u32, other: u32) -> bool {
        self.devices[other as usize].reached_by & 1 << device != 0
    }

    /// Lets the devices in the bit set `devices` access the mapped memory in a range. Returns whether the whole range
    /// is mapped.
    pub(crate) fn let_reach_mapped(&mut self, range: std::ops::Range<u64>, devices: u8) -> bool {
        self.table = None;
        let mut covered = range.start;
        for found in self.live.range_mut(range.clone()).map(|(_, found)| found) {
            if let Place::Mapped(owner, _) = found.place
                && found.start == covered
            {
                found.place = Place::Mapped(owner, devices);
                covered = found.end();
            }
        }
        covered == range.end
    }

    /// Returns the devices that can access an allocation, one bit per device.
    fn reach(&self, allocation: &Allocation) -> u8 {
        match allocation.place {
            Place::Device(device) => self.devices[device as usize].reached_by,
            Place::Mapped(_, devices) => devices,
            Place::Host | Place::Registered => u8::MAX,
        }
    }

    /// Returns the live allocation that contains an address.
    pub(crate) fn holding(&self, address: u64) -> Option<&Allocation> {
        let (_, before) = self.live.range(..=address).next_back()?;
        (address < before.end()).then_some(before)
    }

    /// Returns whether a single allocation contains all of the bytes and the device can access it.
    pub(crate) fn holds(&self, device: u32, address: u64, bytes: u64) -> bool {
        self.holding(address)
            .is_some_and(|found| self.reach(found) & 1 << device != 0 && bytes <= found.end() - address)
    }

    /// Returns whether a range of host memory overlaps page-locked memory.
    pub(crate) fn is_locked(&self, start: u64, bytes: u64) -> bool {
        self.live.range(..start + bytes).next_back().is_some_and(|(_, found)| found.end() > start)
    }

    /// Returns the free bytes and the total bytes of a device.
    pub(crate) fn free(&self, device: u32) -> (u64, u64) {
        let all = configuration().memory;
        (all - self.devices[device as usize].used, all)
    }

    /// Returns the peak of a device's used bytes.
    pub(crate) fn peak(&self, device: u32) -> u64 {
        self.devices[device as usize].peak
    }

    /// Returns all live allocations.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values()
    }

    /// Returns the table of allocations for kernels.
    pub(crate) fn table(&mut self) -> Arc<gts_emulator_ptx::Table> {
        if let Some(table) = &self.table {
            return Arc::clone(table);
        }
        let ranges = self.live.values().map(|found| gts_emulator_ptx::Allocation {
            start: found.start,
            bytes: found.bytes,
            reach: self.reach(found),
            on_host: found.is_on_host(),
        });
        let table = Arc::new(gts_emulator_ptx::Table::new(ranges.collect()));
        self.table = Some(Arc::clone(&table));
        table
    }

    /// Describes the position of an address relative to the nearest allocation, live or freed.
    pub(crate) fn describe(&self, address: u64) -> String {
        let distance = |found: &Allocation| {
            if address < found.start { found.start - address } else { (address + 1).saturating_sub(found.end()) }
        };
        let around = [self.live.range(..=address).next_back(), self.live.range(address..).next()];
        let live = around.into_iter().flatten().map(|(_, found)| (found, false));
        let freed = self.freed.iter().rev().map(|found| (found, true));
        let mut text = String::new();
        let Some((found, is_freed)) = live.chain(freed).min_by_key(|(found, _)| distance(found)) else {
            return "nothing is allocated".to_owned();
        };
        let place = match found.place {
            Place::Device(device) | Place::Mapped(device, _) => format!("of device {device}"),
            Place::Host | Place::Registered => "of the host, page-locked".to_owned(),
        };
        let state = if is_freed { ", freed" } else { "" };
        let _ = write!(text, "{} bytes at {:#x} {place}{state}: ", found.bytes, found.start);
        let _ = match address {
            _ if address < found.start => write!(text, "the address is {} bytes before it", found.start - address),
            _ if address >= found.end() => write!(text, "the address is {} bytes past its end", address - found.end()),
            _ => write!(text, "the address is byte {} of it", address - found.start),
        };
        text
    }
}
