//! Computes the cost of merging WA replicas after a pass that devices share.

use super::algorithm::KernelShape;
use super::machine::LinkConstants;
use gts_contract::{MergedBytes, Merging, Transport};

/// The differences between replicas after a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Apart {
    /// The method that makes the replicas equal.
    pub(super) merging: Merging,
    /// The number of bytes per replica that may differ.
    pub(super) bytes: MergedBytes,
}

impl Apart {
    /// Returns the differences between replicas after a pass over a graph of `vertices` vertices. The pass activates
    /// `activated` vertices.
    pub(super) fn after(kernel: &KernelShape, pulls: bool, [vertices, activated]: [f64; 2]) -> Self {
        let merging = kernel.writes.merging(&kernel.sides, pulls);
        Self { merging, bytes: merging.bytes(kernel.merged, kernel.writes.activates, vertices, activated) }
    }

    /// Returns the differences to merge between ranks that `transport` connects.
    pub(super) fn between_ranks(self, kernel: &KernelShape, vertices: f64, transport: Transport) -> Self {
        match self.merging.moved(transport) {
            merging if merging == self.merging => self,
            all => Self { bytes: all.bytes(kernel.merged, kernel.writes.activates, vertices, vertices), ..self },
        }
    }

    /// Returns the number of bytes that the busiest of `replicas` replicas sends during the merge.
    pub(super) fn sent(&self, replicas: f64) -> f64 {
        let others = replicas - 1.0;
        let way_round = 2.0 * others / replicas;
        let of_values = match self.merging {
            // Each replica merges one range of all replicas' values, and sends the result to the other replicas.
            Merging::Reduce | Merging::Unite => way_round,
            // Each replica receives the values that the other replicas own.
            Merging::Gather(_) => others / replicas,
            // One replica sends all values to every other replica.
            Merging::Broadcast => others,
        };
        of_values * self.bytes.values + way_round * self.bytes.set
    }

    /// Returns the seconds that `devices` devices of a machine need to merge their replicas.
    pub(super) fn between_devices(&self, devices: f64, link: &LinkConstants) -> f64 {
        // A copy through the host crosses the link twice.
        self.sent(devices) / link.peer_rate.unwrap_or(link.back_rate.min(link.chunk_rate()) / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cuda, kernel};
    use super::*;
    use gts_contract::{KernelKind, SharedWrites};

    /// Returns the number of bytes to merge and the seconds at 100 GB/s, with four bytes per vertex and a million
    /// vertices. The pass activates a thousand vertices.
    fn of(writes: SharedWrites, pulls: bool, devices: f64) -> (f64, f64) {
        let apart = Apart::after(&KernelShape { writes, ..kernel(KernelKind::Scan) }, pulls, [1e6, 1e3]);
        (apart.bytes.sum(), apart.between_devices(devices, cuda().link.as_ref().unwrap()))
    }

    fn assert_moved(found: (f64, f64), bytes: f64, seconds: f64) {
        assert!((found.1 - seconds).abs() < 1e-15 && found.0 == bytes, "{found:?}");
    }

    #[test]
    fn all_values_are_reduced_in_a_ring() {
        let adds = SharedWrites { adds: true, ..SharedWrites::default() };
        assert_moved(of(adds, false, 2.0), 4e6, 4e6 / 100e9);
        assert_moved(of(adds, false, 4.0), 4e6, 1.5 * 4e6 / 100e9);
    }

    #[test]
    fn a_pull_is_gathered_from_the_devices_that_own_the_values() {
        let adds = SharedWrites { adds: true, ..SharedWrites::default() };
        assert_moved(of(adds, true, 2.0), 4e6, 0.5 * 4e6 / 100e9);
        assert_moved(of(adds, true, 4.0), 4e6, 0.75 * 4e6 / 100e9);
    }

    #[test]
    fn sets_and_values_of_activated_vertices_are_united() {
        let changes = SharedWrites { activates: true, changes_activated: true, ..SharedWrites::default() };
        for pulls in [false, true] {
            assert_moved(of(changes, pulls, 2.0), 4e3 + 125e3, (4e3 + 125e3) / 100e9);
        }
        // Sets are united even if values are merged by reduction.
        let activates = SharedWrites { activates: true, ..SharedWrites::default() };
        assert_moved(of(activates, false, 2.0), 4e6 + 125e3, (4e6 + 125e3) / 100e9);
    }

    #[test]
    fn what_one_device_runs_goes_to_each_of_the_others() {
        let alone = SharedWrites { alone: true, ..SharedWrites::default() };
        assert_moved(of(alone, false, 4.0), 4e6, 3.0 * 4e6 / 100e9);
    }

    #[test]
    fn without_peers_every_copy_passes_the_host() {
        let kernel = KernelShape { writes: SharedWrites::default(), ..kernel(KernelKind::Scan) };
        let mut link = cuda().link.unwrap();
        link.peer_rate = None;
        let apart = Apart::after(&kernel, false, [1e6, 0.0]);
        assert_moved((apart.bytes.sum(), apart.between_devices(2.0, &link)), 4e6, 4e6 / 5e9);
    }
}
