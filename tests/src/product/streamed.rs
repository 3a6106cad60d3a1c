//! Runs algorithms on graphs larger than device memory. Streams, caches and kinds of transfer must not change an
//! answer.

use super::{Algorithm, Answer, Case, Cell, Report, answer, for_each};
use gts_core::graph::Graph;
use gts_graph::device::cuda::CudaDevice;
use gts_graph::device::{CacheChoice, CudaOptions, TransferChoice};
use gts_graph::prelude::*;
use gts_graph::{Error, RunReport};
use std::fmt;
use std::sync::Arc;

/// How pages are streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streaming {
    /// Number of streams for copies and launches.
    pub streams: u32,
    /// Cache policy for pages.
    pub cache: CacheChoice,
    /// How pages outside the cache are transferred.
    pub transfer: TransferChoice,
}

impl fmt::Display for Streaming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} streams, cache {}, transfer {}", self.streams, self.cache, self.transfer)
    }
}

/// Combinations that include every value of every option, and each kind of transfer with and without a cache.
const WAYS: [Streaming; 6] = [
    Streaming { streams: 1, cache: CacheChoice::Off, transfer: TransferChoice::Copy },
    Streaming { streams: 2, cache: CacheChoice::Off, transfer: TransferChoice::InPlace },
    Streaming { streams: 1, cache: CacheChoice::Lru, transfer: TransferChoice::Auto },
    Streaming { streams: 2, cache: CacheChoice::Scan, transfer: TransferChoice::Copy },
    Streaming { streams: 2, cache: CacheChoice::Auto, transfer: TransferChoice::Auto },
    Streaming { streams: 5, cache: CacheChoice::Lru, transfer: TransferChoice::InPlace },
];

/// Runs every algorithm on these cases, with each page size, on a GPU with memory for the attributes and at most half
/// of the pages. Returns the report, and the number of cells in which pages streamed.
///
/// # Errors
///
/// The device is not available. Errors within a cell are recorded in the report.
pub fn streamed(
    device: DeviceChoice,
    cases: &[Case],
    page_sizes: &[u32],
    progress: impl FnMut(&str),
) -> Result<(Report, usize)> {
    let DeviceChoice::Cuda(number) = device else {
        return Err(Error::argument("streaming", "only a GPU has memory that is too small for its graph: choose cuda"));
    };
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    // Keep the device's context open, so that it is not created again for every cell.
    let _context = CudaDevice::new(number)?;
    let (mut report, mut streaming_cells) = (Report::default(), 0);
    for_each(cases, page_sizes, &mut report, progress, |case, graph, cell, report| {
        for streaming in WAYS {
            let outcome = run(number, graph, cell.algorithm, case, streaming);
            streaming_cells += usize::from(matches!(&outcome, Ok((_, passes)) if passes.link_busy().is_some()));
            let cell = Cell { streaming: Some(streaming), ..cell.clone() };
            report.ran(cell, outcome.and_then(|(answer, _)| case.check(&answer)));
        }
    });
    Ok((report, streaming_cells))
}

/// Runs one cell. Returns the outcome of the check and the report of the passes.
fn run(
    number: u32,
    graph: &Graph,
    algorithm: Algorithm,
    case: &Case,
    streaming: Streaming,
) -> Result<(Answer, RunReport), String> {
    let within = |memory| within(number, streaming, None, memory, |engine| answer(engine, graph, algorithm, case));
    // With almost no memory, the error contains the minimum.
    let least = match within(1) {
        Err(Error::OutOfMemory { needed, .. }) => needed,
        Err(error) => return Err(error.to_string()),
        Ok(_) => return Err("ran without any device memory".to_owned()),
    };
    let cached = if streaming.cache == CacheChoice::Off { 0 } else { graph.out_topology().bytes() / 2 };
    let memory = least + cached;
    match within(memory) {
        Ok((_, _, peak)) if peak > memory => Err(format!("{peak} bytes of device memory taken, {memory} allowed")),
        Ok((answer, report, _)) => Ok((answer, report)),
        Err(error) => Err(error.to_string()),
    }
}

/// Runs an action on a GPU with limited memory. Returns the result, the report of the passes, and the peak memory in
/// bytes.
pub(crate) fn within<T>(
    number: u32,
    streaming: Streaming,
    technique: Option<Technique>,
    memory: u64,
    run: impl FnOnce(&Engine) -> Result<T>,
) -> Result<(T, RunReport, u64)> {
    let Streaming { streams, cache, transfer } = streaming;
    let device = CudaDevice::with_options(number, CudaOptions { memory: Some(memory), streams, cache, transfer })?;
    let device = Arc::new(device);
    let engine = Engine::builder().custom_device(device.clone()).technique(technique).build()?;
    let found = run(&engine)?;
    Ok((found, engine.take_report(), device.peak_memory()))
}
