//! What is allocated, on the devices and page-locked on the host, and who reaches it.

use crate::arena::Arena;
use crate::codes::{Code, Result};
use crate::configuration::{MOST_DEVICES, configuration};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Allocations that are remembered after they were freed.
const REMEMBERED: usize = 1 << 14;
/// Device memory is taken in multiples of this.
const ROUNDED_TO: u64 = 256;

/// Where memory lies, and by which call it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Memory of a device.
    Device(u32),
    /// Memory of a device that is mapped where the caller likes; those devices reach it whose bits are set.
    Mapped(u32, u8),
    /// Page-locked memory that the driver has allocated.
    Host,
    /// Memory of the host that was page-locked later.
    Registered,
}

/// A range of memory.
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

    /// Returns whether the host reads and writes the memory too.
    pub(crate) fn is_on_host(&self) -> bool {
        matches!(self.place, Place::Host | Place::Registered)
    }
}

/// Memory of one device.
#[derive(Debug)]
struct OfDevice {
    arena: Option<Arena>,
    used: u64,
    peak: u64,
    /// Devices that reach its memory, itself among them.
    reached_by: u8,
}

/// All memory.
#[derive(Debug)]
pub(crate) struct Memory {
    live: BTreeMap<u64, Allocation>,
    freed: VecDeque<Allocation>,
    devices: Vec<OfDevice>,
    /// Addresses for memory that is mapped where the caller likes.
    reserved: Option<Arena>,
    /// What kernels see of it, until it changes.
    table: Option<Arc<gts_emulator_ptx::Table>>,
}

static MEMORY: Mutex<Option<Memory>> = Mutex::new(None);

/// Calls `action` with the memory.
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

    /// Allocates memory of a device.
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

    /// Takes bytes of a device's memory.
    pub(crate) fn charge(&mut self, device: u32, bytes: u64) -> Result<()> {
        let found = &mut self.devices[device as usize];
        if bytes > configuration().memory - found.used {
            return Err(Code::OUT_OF_MEMORY);
        }
        found.used += bytes;
        found.peak = found.peak.max(found.used);
        Ok(())
    }

    /// Gives bytes of a device's memory back.
    pub(crate) fn uncharge(&mut self, device: u32, bytes: u64) {
        self.devices[device as usize].used -= bytes;
    }

    /// Returns addresses that follow one another, at a multiple of `alignment`.
    pub(crate) fn reserve(&mut self, bytes: u64, alignment: u64) -> Result<u64> {
        let arena = match &mut self.reserved {
            Some(arena) => arena,
            none => none.insert(Arena::reserve()?),
        };
        arena.take(bytes, alignment)
    }

    /// Adds a range to what is allocated.
    pub(crate) fn add(&mut self, allocation: Allocation) {
        self.live.insert(allocation.start, allocation);
        self.table = None;
    }

    /// Removes the allocation that begins at the address and lies in such a place.
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

    /// Removes all memory that a device has allocated.
    pub(crate) fn remove_all_of(&mut self, device: u32) {
        let starts: Vec<u64> =
            self.live.values().filter(|found| found.place == Place::Device(device)).map(|found| found.start).collect();
        for start in starts {
            self.remove(start, |_| true);
        }
    }

    /// Lets a device reach what another one has allocated. Returns whether it did not before.
    pub(crate) fn let_reach(&mut self, device: u32, other: u32) -> bool {
        let reached_by = &mut self.devices[other as usize].reached_by;
        let is_new = *reached_by & 1 << device == 0;
        *reached_by |= 1 << device;
        self.table = None;
        is_new
    }

    /// Returns whether a device reaches what another one has allocated.
    pub(crate) fn reaches(&self, device: u32, other: u32) -> bool {
        self.devices[other as usize].reached_by & 1 << device != 0
    }

    /// Lets the devices whose bits are set reach mapped memory that lies in a range. Returns whether all of the range is mapped.
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

    /// Returns the devices that reach an allocation.
    fn reach(&self, allocation: &Allocation) -> u8 {
        match allocation.place {
            Place::Device(device) => self.devices[device as usize].reached_by,
            Place::Mapped(_, devices) => devices,
            Place::Host | Place::Registered => u8::MAX,
        }
    }

    /// Returns the allocation that holds an address.
    pub(crate) fn holding(&self, address: u64) -> Option<&Allocation> {
        let (_, before) = self.live.range(..=address).next_back()?;
        (address < before.end()).then_some(before)
    }

    /// Returns whether an allocation that the device reaches holds all of the bytes.
    pub(crate) fn holds(&self, device: u32, address: u64, bytes: u64) -> bool {
        self.holding(address)
            .is_some_and(|found| self.reach(found) & 1 << device != 0 && bytes <= found.end() - address)
    }

    /// Returns whether a range of pages of the host overlaps one that is page-locked.
    pub(crate) fn is_locked(&self, start: u64, bytes: u64) -> bool {
        self.live.range(..start + bytes).next_back().is_some_and(|(_, found)| found.end() > start)
    }

    /// Returns free bytes of a device, and all.
    pub(crate) fn free(&self, device: u32) -> (u64, u64) {
        let all = configuration().memory;
        (all - self.devices[device as usize].used, all)
    }

    /// Returns the most bytes of a device that were taken at the same time.
    pub(crate) fn peak(&self, device: u32) -> u64 {
        self.devices[device as usize].peak
    }

    /// Returns what is allocated.
    pub(crate) fn live(&self) -> impl Iterator<Item = &Allocation> {
        self.live.values()
    }

    /// Returns what kernels see of the memory.
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

    /// Describes an address by the nearest allocation, live or freed.
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
