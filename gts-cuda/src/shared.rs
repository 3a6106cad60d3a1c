//! State shared by all sessions of a device, and a lock that excludes concurrent passes on several devices.

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

/// State shared by all sessions of a device.
#[derive(Debug)]
pub(super) struct DeviceState {
    /// The buffers for streamed pages, if a graph streams. A pass that locks the pools of several devices, or holds a
    /// pool while it waits for another device, must first lock these devices with [`alone`].
    pub(super) pool: Mutex<Option<Pool>>,
    /// Each session whose pages stream holds a clone of this value, so the reference count is the number of these
    /// sessions plus one.
    pub(super) streaming: Arc<()>,
    pub(super) residents: Residents,
    pub(super) kernels: Kernels,
    pub(super) options: CudaOptions,
    /// The performance constants of the device, set by the first pass that requires them.
    pub(super) machine: OnceLock<ProcessorConstants>,
    pub(super) context: Arc<Context>,
    /// Kits of ended sessions, to be reused by later sessions.
    pub(super) kits: Spare<Kit>,
    /// Spare rings for transfers between host and device.
    pub(super) rings: Spare<Ring>,
    /// Locked during a pass whose devices wait for each other: see [`alone`].
    pub(super) together: Mutex<()>,
}

impl DeviceState {
    /// Returns the number of bytes that become free if the pages of a graph stop streaming, or 0 if a session still
    /// streams. Returns `None` if the pages do not stream.
    pub(super) fn freed_of_streams(&self, graph: &Graph) -> Option<u64> {
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = Arc::strong_count(&self.streaming) > 1;
        pool.as_ref().filter(|pool| pool.is_of(graph)).map(|pool| if needed { 0 } else { pool.bytes() })
    }

    /// Returns the size in bytes of the buffers for streamed pages.
    pub(super) fn bytes_of_streams(&self) -> u64 {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Pool::bytes)
    }

    /// Frees the data of `graph`, except data that a run uses.
    pub(super) fn forget(&self, graph: &Graph) {
        self.residents.forget(graph);
        self.end_streams_if(|pool| pool.is_of(graph));
    }

    /// Frees the buffers for streamed pages, unless a session still streams. New buffers may be larger, because the
    /// size of buffers depends on the memory that is available at their creation.
    pub(super) fn end_streams(&self) {
        self.end_streams_if(|_| Arc::strong_count(&self.streaming) == 1);
    }

    /// Frees all device memory that runs can do without. Releases unused page locks on graphs other than `at_hand`.
    pub(super) fn evict(&self, at_hand: &Graph) {
        self.residents.evict(at_hand);
        self.end_streams_if(|_| true);
    }

    fn end_streams_if(&self, unwanted: impl FnOnce(&Pool) -> bool) {
        // If the pool is locked, a pass in another thread is using it.
        if let Ok(mut pool) = self.pool.try_lock()
            && pool.as_ref().is_some_and(unwanted)
        {
            *pool = None;
        }
    }
}

/// Locks these devices against other passes on several devices, until the guards are dropped. A pass on several devices
/// holds the pool of each device while it waits for the other devices, so two concurrent passes could deadlock.
pub(super) fn alone(devices: &[Arc<DeviceState>]) -> Vec<MutexGuard<'_, ()>> {
    let devices = in_order(devices);
    devices.into_iter().map(|device| device.together.lock().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Returns each distinct element once, in an order that is independent of the input order.
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
