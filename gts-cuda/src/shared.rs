//! State that all sessions of a device share, and the exclusion of concurrent passes on several devices.

use super::driver::Context;
use super::kernels::Kernels;
use super::kit::{Kit, Spare};
use super::pages::Residents;
use super::ring::Ring;
use super::streaming::Pool;
use gts_core::cost::ProcessorConstants;
use gts_core::graph::Graph;
use gts_device::options::CudaOptions;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// State that all sessions of a device share.
#[derive(Debug)]
pub(super) struct Shared {
    /// Buffers for streamed pages, while a graph that does not fit streams. A pass that takes the pools of several
    /// devices, or keeps one while waiting for another device, must first hold the guards of [`alone`] for them.
    pub(super) pool: Mutex<Option<Pool>>,
    /// Cloned by each session whose pages stream.
    pub(super) streaming: Arc<()>,
    pub(super) residents: Residents,
    pub(super) kernels: Kernels,
    pub(super) options: CudaOptions,
    /// Constants of the device's speed, once a pass has required them.
    pub(super) machine: OnceLock<ProcessorConstants>,
    pub(super) context: Arc<Context>,
    /// Kits of ended sessions, for later ones.
    pub(super) kits: Spare<Kit>,
    /// Rings for transfers of values between host and device, for later sessions.
    pub(super) rings: Spare<Ring>,
    /// Held while the device takes part in a pass in which devices wait for each other: see [`alone`].
    pub(super) together: Mutex<()>,
}

impl Shared {
    /// Returns the bytes that become free if the pages of a graph stop streaming; 0 if a session needs the stream.
    /// `None` if they do not stream.
    pub(super) fn freed_of_streams(&self, graph: &Graph) -> Option<u64> {
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = Arc::strong_count(&self.streaming) > 1;
        pool.as_ref().filter(|pool| pool.is_of(graph)).map(|pool| if needed { 0 } else { pool.bytes() })
    }

    /// Returns the bytes of the buffers for streamed pages.
    pub(super) fn bytes_of_streams(&self) -> u64 {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Pool::bytes)
    }

    /// Frees the data of a graph that no run uses.
    pub(super) fn forget(&self, graph: &Graph) {
        self.residents.forget(graph);
        self.end_streams_if(|pool| pool.is_of(graph));
    }

    /// Frees the buffers for streamed pages, if no session needs them. They took the memory available then, and more
    /// may be available now.
    pub(super) fn end_streams(&self) {
        self.end_streams_if(|_| Arc::strong_count(&self.streaming) == 1);
    }

    /// Frees the device memory that no run needs to continue, and the data of graphs other than the current one.
    pub(super) fn evict(&self, at_hand: &Graph) {
        self.residents.evict(at_hand);
        self.end_streams_if(|_| true);
    }

    fn end_streams_if(&self, unwanted: impl FnOnce(&Pool) -> bool) {
        // A pass in progress in another thread needs its buffers.
        if let Ok(mut pool) = self.pool.try_lock()
            && pool.as_ref().is_some_and(unwanted)
        {
            *pool = None;
        }
    }
}

/// Excludes other passes on several devices from these devices while the guards live. Such a pass takes the pools of
/// all its devices, and holds each one while waiting for the others. Two such passes would deadlock.
pub(super) fn alone(devices: &[Arc<Shared>]) -> Vec<MutexGuard<'_, ()>> {
    let devices = in_order(devices);
    devices.into_iter().map(|device| device.together.lock().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Returns each element once, in an order that does not depend on the order of the input.
fn in_order<T>(several: &[Arc<T>]) -> Vec<&T> {
    let mut several: Vec<&T> = several.iter().map(Arc::as_ref).collect();
    several.sort_unstable_by_key(|one| std::ptr::from_ref(*one).addr());
    several.dedup_by_key(|one| std::ptr::from_ref(*one).addr());
    several
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_taken_once_and_in_the_same_order() {
        let [a, b, c] = [1, 2, 3].map(Arc::new);
        let devices = [&a, &b, &c].map(Arc::clone);
        let expected = in_order(&devices);
        assert_eq!(expected.len(), 3);
        for other in [[&c, &b, &a], [&b, &a, &c], [&c, &a, &b]] {
            assert_eq!(in_order(&other.map(Arc::clone)), expected);
        }
        assert_eq!(in_order(&[b.clone(), a.clone(), b.clone(), a.clone()]), in_order(&[a.clone(), b.clone()]));
    }
}
