//! The CPU device: native kernels over the pages, run by threads of the engine's own pool.
//!
//! A scan's unit of work is a range of a page's entries, so that one large page keeps every thread busy. A traversal's
//! unit is a range of a page's vertices. Each pass chooses how updates reach memory (see `session`): plain writes with
//! one thread or with a replica per thread, otherwise relaxed atomics. Pages that are not in memory are read by
//! `streamed`.

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
/// Maximum number of threads on machines on which 16 per core are fewer.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The CPU cores of this machine.
#[derive(Debug)]
pub struct CpuDevice {
    pool: Arc<ThreadPool>,
    /// Allocates memory for values of vertices; `None` uses the process's own.
    memory: Option<Arc<dyn HostMemory>>,
}

impl CpuDevice {
    /// Creates a device with this number of threads, by default one per core. If the system starts only some of them,
    /// the device uses these.
    ///
    /// # Errors
    ///
    /// More threads than [`CpuDevice::most_threads`], or the system starts none.
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

    /// Keeps values of vertices in memory of this allocator, such as memory that a GPU can access.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn HostMemory>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// Returns the maximum number of threads of a device on this machine: 16 per core, but at least 1,024. More would
    /// only wait for one another, and starting them may not end.
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
