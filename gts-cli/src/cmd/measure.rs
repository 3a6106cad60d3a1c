//! `gts devices --measure`: measures the constants used in predictions.

use crate::error::Failure;
use crate::report::tell;
use crate::units;
use gts_graph::DeviceChoice;
use gts_graph::algorithm;
use gts_graph::core::cost::{
    AccessConstants, AccessTime, HostConstants, KernelRate, LinkConstants, MachineConstants, ProcessorConstants,
    ProcessorKind, RandomReads, VERSION,
};
use gts_graph::device::gpus;
use gts_graph::measure::{self, MeasuredSizes};
use gts_graph::prelude::*;
use std::path::Path;
use std::time::Duration;

/// RMAT graphs for measuring kernels: attributes smaller than a cache, about its size, and larger.
const SIZES: MeasuredSizes<'_> = MeasuredSizes { scales: &[14, 17, 20, 23], longest: Duration::from_secs(1) };
/// Bytes of host memory if the system does not report them.
const MEMORY: u64 = 16 << 30;
/// Maximum bytes of host memory for measuring random accesses.
const RANDOM: usize = 512 << 20;
/// The algorithm with the shortest steps on a chain.
const STEPS: &str = "bfs";

/// Measures this machine and its disk, with a file in the given folder, and stores the constants. Reports progress on
/// standard error.
pub(super) fn measure(folder: &Path) -> Result<MachineConstants, Failure> {
    tell("measuring host memory");
    let memory = measure::total_memory().unwrap_or(MEMORY);
    let memory_rate = measure::memory_rate();
    tell(format_args!("measuring the disk of {}", folder.display()));
    let disk_rate = measure::disk_rate(folder)
        .map_err(|error| Failure::unwritten(folder, error, "name another folder with --folder"))?;
    let host = HostConstants { measured: true, memory, memory_rate, disk_rate };
    let cpu = Engine::cpu()?;
    let mut processors = vec![cpu_constants(&cpu, &host)?];
    let mut engines = vec![cpu];
    if let Ok(count @ 1..) = gpus::count() {
        tell("measuring cuda:0");
        let (cuda, constants) = cuda(count)?;
        processors.push(constants);
        engines.push(cuda);
    }
    let engines: Vec<_> = engines.iter().collect();
    let rates = measure::kernel_rates(&engines, &algorithm::all(), SIZES, |graph| {
        tell(format_args!("measuring kernels on {graph}"));
    })?;
    processors.iter_mut().zip(rates).for_each(|(processor, rates)| processor.kernels = rates);
    let constants = MachineConstants { version: VERSION, host, processors };
    let path = measure::save(&constants)?;
    tell(format_args!("kept in {}", path.display()));
    Ok(constants)
}

/// Returns the constants of the CPU, without those of its kernels.
fn cpu_constants(engine: &Engine, host: &HostConstants) -> Result<ProcessorConstants, Failure> {
    Ok(ProcessorConstants {
        measured: true,
        kind: ProcessorKind::Cpu,
        name: engine.device_name(),
        memory: host.memory,
        memory_rate: host.memory_rate,
        // A launch on the CPU is a call, whose cost is included in a step.
        launch: 0.0,
        step: step(engine)?,
        link: None,
        accesses: measure::accesses(RANDOM),
        kernels: Vec::new(),
    })
}

/// Creates an engine of the first GPU, and returns it with the constants of that GPU, without those of its kernels.
fn cuda(count: u32) -> Result<(Engine, ProcessorConstants), Failure> {
    let memory = gpus::find(0)?.total;
    let others: Vec<u32> = (1..count).collect();
    let found = measure::measure_link(0, &others)?;
    let engine = Engine::builder().device(DeviceChoice::Cuda(0)).build()?;
    let name = engine.device_name();
    let constants = ProcessorConstants {
        measured: true,
        kind: ProcessorKind::Cuda,
        name: name.split_once(' ').map_or(name.clone(), |(_, name)| name.to_owned()),
        memory,
        memory_rate: found.memory_rate,
        launch: found.launch,
        step: step(&engine)?,
        link: Some(found.link),
        accesses: found.accesses,
        kernels: Vec::new(),
    };
    Ok((engine, constants))
}

fn step(engine: &Engine) -> Result<f64, Failure> {
    match algorithm::find(STEPS) {
        Some(algorithm) => Ok(measure::step_seconds(engine, algorithm)?),
        None => Ok(0.0),
    }
}

/// Describes the host and each processor, one line each.
pub(super) fn lines(constants: &MachineConstants) -> Vec<(String, String)> {
    let host = &constants.host;
    let mut lines = vec![(
        "host".to_owned(),
        format!(
            "{} of memory read at {}, disk at {}",
            units::bytes(host.memory),
            units::rate(host.memory_rate),
            units::rate(host.disk_rate)
        ),
    )];
    for processor in &constants.processors {
        lines.push((
            processor.name.clone(),
            format!(
                "memory at {}, launch {}, step {}",
                units::rate(processor.memory_rate),
                units::seconds(processor.launch),
                units::seconds(processor.step)
            ),
        ));
        lines.push(("  accesses".to_owned(), accesses_text(&processor.accesses)));
        lines.extend(processor.link.as_ref().map(|link| ("  link".to_owned(), link_text(link))));
        for (kind, items) in [("scan", "edges"), ("traverse", "edges"), ("vertex", "vertices"), ("intersect", "edges")]
        {
            let rates: Vec<_> = processor.kernels.iter().filter(|rate| rate.kernel == kind).collect();
            lines.extend(kernels_text(&rates, items).map(|text| (format!("  {kind}"), text)));
        }
    }
    lines
}

/// Describes the times of random accesses by the bytes that they range over.
fn accesses_text(accesses: &AccessConstants) -> String {
    let ends = |what: &str, times: &[AccessTime]| match times {
        [first, .., last] => format!(
            "{what} {:.3} ns within {} to {:.3} ns within {}",
            1e9 * first.seconds,
            units::bytes(first.working_set),
            1e9 * last.seconds,
            units::bytes(last.working_set)
        ),
        _ => format!("{what} unknown"),
    };
    format!(
        "{}, {}, {}, {}; atomics to one address {:.3} ns, {} at a time, an instruction {:.2} ps, cache {}",
        ends("reads", &accesses.reads),
        ends("writes", &accesses.writes),
        ends("atomics", &accesses.atomics),
        ends("a wait", &accesses.waits),
        1e9 * accesses.contended,
        units::count(accesses.warps),
        1e12 * accesses.instruction,
        units::bytes(accesses.cache)
    )
}

/// Describes the rates of the slowest kernels of a kind by the size of their attributes; `None` if none was measured.
fn kernels_text(rates: &[&KernelRate], items: &str) -> Option<String> {
    let speeds = || rates.iter().map(|rate| 1.0 / rate.seconds);
    let sizes = || rates.iter().map(|rate| rate.working_set);
    Some(format!(
        "{} to {} by the slowest kernels, attributes of {} to {}",
        units::per_second(speeds().reduce(f64::min)?, items),
        units::per_second(speeds().reduce(f64::max)?, items),
        units::bytes(sizes().min()?),
        units::bytes(sizes().max()?)
    ))
}

fn link_text(link: &LinkConstants) -> String {
    let copies: Vec<_> =
        link.copies.iter().map(|copy| format!("{} by {}", units::rate(copy.rate), units::bytes(copy.bytes))).collect();
    let beside = link.beside.as_ref().map_or(String::new(), |beside| {
        let [copies, reads] = [beside.copy_rate, beside.memory_rate].map(units::rate);
        let times = |reads: &RandomReads| format!("{:.2} within {}", reads.times, units::bytes(reads.working_set));
        let times: Vec<_> = beside.at_random.iter().map(times).collect();
        let at_random = match times.is_empty() {
            true => String::new(),
            false => format!("; random reads beside copies take as long as alone, times {}", times.join(", ")),
        };
        format!(", {copies} while the cores read host memory at {reads}{at_random}")
    });
    let peers = link.peer_rate.map_or(String::new(), |rate| format!(", between devices {}", units::rate(rate)));
    format!(
        "copies {}; back {}, in place {}, page-locking {}, to all at once {}{peers}{beside}",
        copies.join(", "),
        units::rate(link.back_rate),
        units::rate(link.in_place_rate),
        units::rate(link.pin_rate),
        units::rate(link.shared_rate)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use gts_graph::core::cost::BesideReads;

    #[test]
    fn scans_are_measured_pushing_and_pulling_and_long_runs_on_small_graphs_alone() {
        let engine = Engine::cpu().unwrap();
        let pagerank = [algorithm::find("pagerank").unwrap()];
        let rates = |longest| {
            let sizes = MeasuredSizes { scales: &[6, 7], longest };
            measure::kernel_rates(&[&engine], &pagerank, sizes, |_| ()).unwrap().swap_remove(0)
        };
        let of = |rates: &[KernelRate], pulled| {
            rates.iter().filter(|rate| rate.kernel == "scan" && rate.pulled == pulled).count()
        };
        let (all, first) = (rates(Duration::MAX), rates(Duration::ZERO));
        assert_eq!([of(&all, false), of(&all, true)], [2, 2], "{all:?}");
        assert_eq!([of(&first, false), of(&first, true)], [1, 1], "{first:?}");
    }

    #[test]
    fn random_reads_beside_copies_are_told_where_they_were_measured() {
        let mut link = ProcessorConstants::default_cuda().link.unwrap();
        assert!(!link_text(&link).contains("while the cores"));
        let at_random = [(64 << 20, 1.0), (1 << 30, 1.234)];
        let at_random = at_random.map(|(working_set, times)| RandomReads { working_set, times }).to_vec();
        let mut beside = BesideReads { copy_rate: 50e9, memory_rate: 80e9, at_random };
        link.beside = Some(beside.clone());
        let told = link_text(&link);
        assert!(
            told.ends_with(
                ", 50.0 GB/s while the cores read host memory at 80.0 GB/s; random reads beside copies take as long as alone, \
                 times 1.00 within 64.0 MiB, 1.23 within 1.00 GiB"
            ),
            "{told}"
        );
        beside.at_random.clear();
        link.beside = Some(beside);
        assert!(link_text(&link).ends_with("at 80.0 GB/s"));
    }

    #[test]
    fn rates_of_a_kind_are_told_as_a_range() {
        let rate =
            |working_set, seconds| KernelRate { kernel: "vertex".to_owned(), pulled: false, working_set, seconds };
        let (small, large) = (rate(1 << 20, 1e-9), rate(1 << 30, 4e-9));
        assert_eq!(
            kernels_text(&[&small, &large], "vertices").unwrap(),
            "250 M vertices/s to 1.00 G vertices/s by the slowest kernels, attributes of 1.00 MiB to 1.00 GiB"
        );
        assert_eq!(kernels_text(&[], "edges"), None);
    }
}
