//! The CPU device: native kernels over the pages, spread over threads of the engine's own pool.
//!
//! A scan's unit of work is a share of a page's entries, so that one large page keeps every thread busy; a traversal's
//! is a range of a page's vertices. How updates reach memory is chosen once a pass (see `session`): plainly where one
//! thread runs or each has a replica, by relaxed atomics otherwise. Pages that are not in memory come by `streamed`.

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

use super::{Device, Session, SessionOptions};
use crate::error::{Error, Result};
use gts_contract::Schema;
use gts_core::graph::Graph;
use gts_core::page::HostMemory;
use gts_core::threads;
use rayon::ThreadPool;
use std::num::NonZeroUsize;
use std::sync::Arc;

const THREADS_A_CORE: NonZeroUsize = NonZeroUsize::new(16).unwrap();
/// The most threads where 16 for each core are fewer.
const MOST_THREADS: NonZeroUsize = NonZeroUsize::new(1024).unwrap();

/// The processor's cores.
#[derive(Debug)]
pub struct CpuDevice {
    pool: Arc<ThreadPool>,
    /// Gives memory for values of vertices; `None` where they lie in the process's own.
    memory: Option<Arc<dyn HostMemory>>,
}

impl CpuDevice {
    /// A device with that many threads, one for each core by default. Where the system starts only some of them, it has
    /// those.
    ///
    /// # Errors
    ///
    /// There would be more than [`CpuDevice::most_threads`], or the system starts none.
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

    /// Keeps values of vertices in given memory, such as memory that a GPU reaches.
    #[must_use]
    pub fn with_memory(self, memory: Arc<dyn HostMemory>) -> Self {
        Self { memory: Some(memory), ..self }
    }

    /// The most threads that a device is given on this machine: more than 16 for each core, or more than 1,024, would only
    /// wait for one another, and starting them may not end.
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
