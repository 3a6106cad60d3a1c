//! The CPU device of GTS, which runs native kernels over the pages in its own thread pool.
//!
//! ```
//! use gts_cpu::CpuDevice;
//! use gts_device::Device;
//! use std::num::NonZeroUsize;
//!
//! let device = CpuDevice::new(NonZeroUsize::new(2))?;
//! assert_eq!(device.name(), "cpu (2 threads)");
//! # Ok::<(), gts_device::Error>(())
//! ```
//!
//! A scan's unit of work is a range of a page's entries, so that all threads can work on one large page. A traversal's
//! unit of work is a range of a page's vertices. Each pass updates memory either with plain writes or with relaxed
//! atomics (see `session`). The module `streamed` reads pages that are not in memory.
//!
//! # Where to go next
//!
//! - [`CpuDevice`] is the only public type. `Engine::cpu` creates it.
//! - [`gts_device::Device`] and [`gts_device::Session`] are the traits that the device implements.
//! - [`gts-graph`](https://docs.rs/gts-graph) is the crate that programs depend on.

mod globals;
mod intersect;
mod matching;
mod memory;
mod pull;
mod replica;
mod session;
mod streamed;
mod units;
mod watch;

use gts_contract::Schema;
use gts_core::graph::Graph;
use gts_core::page::HostMemory;
use gts_core::threads;
use gts_device::error::{Error, Result};
use gts_device::{Device, Session, SessionOptions};
use rayon::ThreadPool;
use std::num::NonZeroUsize;
use std::sync::Arc;

const THREADS_A_CORE: NonZeroUsize = NonZeroUsize::new(16).unwrap();
/// Maximum number of threads on machines with fewer than 64 cores.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// A device that uses the CPU cores of this machine.
#[derive(Debug)]
pub struct CpuDevice {
    pool: Arc<ThreadPool>,
    /// The allocator for vertex values, or `None` for ordinary process memory.
    memory: Option<Arc<dyn HostMemory>>,
}

impl CpuDevice {
    /// Creates a device with the given number of threads, by default one per core. If the system cannot start all
    /// threads, the device uses the threads that were started.
    ///
    /// # Errors
    ///
    /// `threads` exceeds [`CpuDevice::most_threads`], or the system cannot start any thread.
    pub fn new(threads: Option<NonZeroUsize>) -> Result<Self> {
        let most = Self::most_threads();
        if let Some(asked) = threads.filter(|&asked| asked > most) {
            return Err(Error::argument_with_advice(
                format_args!("{asked} threads"),
                format_args!("this machine runs at most {most}"),
                "ask for fewer; one for each core is the default",
            ));
        }
        Ok(Self { pool: Arc::new(threads::pool("gts-cpu", threads)?), memory: None })
    }

    /// Allocates vertex values with the given allocator, for example in memory that a GPU can access.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn HostMemory>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Returns the maximum number of threads per device on this machine: 16 per core, but at least 1,024. Further
    /// threads would only wait for a core, and starting all of the threads might never finish.
    pub fn most_threads() -> NonZeroUsize {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        cores.saturating_mul(THREADS_A_CORE).max(MOST_THREADS)
    }
}

impl Device for CpuDevice {
    fn name(&self) -> String {
        match self.pool.current_num_threads() {
            1 => "cpu (1 thread)".into(),
            threads => format!("cpu ({threads} threads)"),
        }
    }

    fn start(&self, graph: &Graph, schema: &'static Schema, options: &SessionOptions) -> Result<Box<dyn Session>> {
        let (pool, memory) = (Arc::clone(&self.pool), self.memory.clone());
        Ok(Box::new(session::CpuSession::new(pool, memory, graph.clone(), schema, options)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_beyond_reason_are_refused() {
        let error = CpuDevice::new(NonZeroUsize::new(1_000_000)).expect_err("a refusal").to_string();
        assert!(error.contains("1000000 threads"), "{error}");
        assert!(CpuDevice::most_threads() >= MOST_THREADS);
    }
}
