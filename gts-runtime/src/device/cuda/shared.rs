//! What all sessions of a device share, and how a pass on several devices keeps others from them.

use super::driver::Context;
use super::kernels::Kernels;
use super::kit::{Kit, Spare};
use super::options::CudaOptions;
use super::pages::Residents;
use super::ring::Ring;
use super::streaming::Pool;
use gts_core::cost::ProcessorConstants;
use gts_core::graph::Graph;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// What all sessions of a device share.
#[derive(Debug)]
pub(super) struct Shared {
    /// What pages stream through, while a graph does that does not fit. A pass that takes those of several devices, or has
    /// one while it waits for another device, is [`alone`] on them first.
    pub(super) pool: Mutex<Option<Pool>>,
    /// Each session whose pages stream has a copy.
    pub(super) streaming: Arc<()>,
    pub(super) residents: Residents,
    pub(super) kernels: Kernels,
    pub(super) options: CudaOptions,
    /// What is known of the device's speed, once a pass has asked.
    pub(super) machine: OnceLock<ProcessorConstants>,
    pub(super) context: Arc<Context>,
    /// What sessions that ended have left for those to come.
    pub(super) kits: Spare<Kit>,
    /// What values travel through on their way to the host and back, likewise.
    pub(super) rings: Spare<Ring>,
    /// Held while the device is part of a pass in which devices wait for each other: see [`alone`].
    pub(super) together: Mutex<()>,
}

impl Shared {
    /// Where the pages of a graph stream already: the bytes that come free if they do no more, 0 where a session needs them
    /// to.
    pub(super) fn freed_of_streams(&self, graph: &Graph) -> Option<u64> {
        let pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        let needed = Arc::strong_count(&self.streaming) > 1;
        pool.as_ref().filter(|pool| pool.is_of(graph)).map(|pool| if needed { 0 } else { pool.bytes() })
    }

    /// Returns the bytes that pages stream through.
    pub(super) fn bytes_of_streams(&self) -> u64 {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map_or(0, Pool::bytes)
    }

    /// Frees what was kept of a graph and no run uses.
    pub(super) fn forget(&self, graph: &Graph) {
        self.residents.forget(graph);
        self.end_streams_if(|pool| pool.is_of(graph));
    }

    /// Frees what pages stream through, if no session needs it: it took what there was to take, which may be more now.
    pub(super) fn end_streams(&self) {
        self.end_streams_if(|_| Arc::strong_count(&self.streaming) == 1);
    }

    /// Frees the device memory that no run needs to go on, and what was kept of other graphs than the one at hand.
    pub(super) fn evict(&self, at_hand: &Graph) {
        self.residents.evict(at_hand);
        self.end_streams_if(|_| true);
    }

    fn end_streams_if(&self, unwanted: impl FnOnce(&Pool) -> bool) {
        // A pass that is under way in another thread needs its own.
        if let Ok(mut pool) = self.pool.try_lock()
            && pool.as_ref().is_some_and(unwanted)
        {
            *pool = None;
        }
    }
}

/// Keeps other passes on several devices from these while the guards live. Such a pass takes the pools of all of its
/// devices, and keeps what it has while it waits for the others: two of them would wait for each other for ever.
pub(super) fn alone(devices: &[Arc<Shared>]) -> Vec<MutexGuard<'_, ()>> {
    let devices = in_order(devices);
    devices.into_iter().map(|device| device.together.lock().unwrap_or_else(PoisonError::into_inner)).collect()
}

/// Each of these once, in an order that is the same whichever come first.
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
