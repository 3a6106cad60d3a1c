//! Statistics of the process, written if `GTS_EMU_STATS` is set.
#![allow(unsafe_code)]

use crate::configuration::configuration;
use crate::{failing, memory, queues};
use gts_emulator_ptx::Launch;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, Once, PoisonError};

/// Counts of an entry point's launches and instructions.
#[derive(Clone, Debug, Default)]
struct OfEntry {
    launches: u64,
    instructions: u64,
}

/// Counts by the name of the entry point and the heading of its program.
static ENTRIES: Mutex<BTreeMap<(String, String), OfEntry>> = Mutex::new(BTreeMap::new());
static PROGRAMS: AtomicU64 = AtomicU64::new(0);
static COPIES: AtomicU64 = AtomicU64::new(0);
static COPIED: AtomicU64 = AtomicU64::new(0);

/// If statistics are requested, registers the function that writes them when the process ends.
pub(crate) fn prepare() {
    static ONCE: Once = Once::new();
    if configuration().statistics.is_some() {
        // SAFETY: the registered function takes no argument and does not unwind.
        ONCE.call_once(|| _ = unsafe { libc::atexit(report) });
    }
}

/// Counts a launch of an entry point and the instructions that it ran.
pub(crate) fn launched(launch: &Launch, instructions: u64) {
    if configuration().statistics.is_none() {
        return;
    }
    let entry = (launch.kernel_name().to_owned(), launch.program.heading().to_owned());
    let mut entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner);
    let found = entries.entry(entry).or_default();
    found.launches += 1;
    found.instructions += instructions;
}

/// Counts a loaded program.
pub(crate) fn loaded() {
    PROGRAMS.fetch_add(1, Relaxed);
}

/// Counts a copy or a fill and its bytes.
pub(crate) fn moved(bytes: u64) {
    COPIES.fetch_add(1, Relaxed);
    COPIED.fetch_add(bytes, Relaxed);
}

extern "C" fn report() {
    let Some(target) = &configuration().statistics else { return };
    let text = text();
    if target == "-" {
        eprint!("{text}");
    } else if let Err(error) =
        OpenOptions::new().create(true).append(true).open(target).and_then(|mut file| file.write_all(text.as_bytes()))
    {
        eprintln!("gts emulator: GTS_EMU_STATS: {target}: {error}");
    }
}

fn text() -> String {
    // No lock is held while another is taken: a worker that ends a launch holds the lock of the queues when it counts.
    let entries = ENTRIES.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let (launches, instructions) = (entries.values())
        .fold((0, 0), |(launches, instructions), entry| (launches + entry.launches, instructions + entry.instructions));
    let mut text = String::new();
    let _ = writeln!(text, "launches {launches}");
    let _ = writeln!(text, "instructions {instructions}");
    let _ = writeln!(text, "programs {}", PROGRAMS.load(Relaxed));
    let _ = writeln!(text, "copies {} of {} bytes", COPIES.load(Relaxed), COPIED.load(Relaxed));
    for device in 0..configuration().devices {
        let _ = writeln!(text, "peak of device {device}: {} bytes", memory::with(|memory| memory.peak(device)));
    }
    let (streams, events) = queues::lock().count();
    let (count, bytes) =
        memory::with(|memory| memory.live().fold((0, 0), |(count, bytes), found| (count + 1, bytes + found.bytes)));
    let _ = writeln!(text, "left: {count} allocations of {bytes} bytes, {streams} streams, {events} events");
    for (name, made) in failing::made() {
        let _ = writeln!(text, "call {name} {made}");
    }
    for ((entry, program), found) in entries.iter() {
        let OfEntry { launches, instructions } = found;
        let _ = writeln!(text, "entry {entry} of {program} {launches} launches, {instructions} instructions");
    }
    text
}
