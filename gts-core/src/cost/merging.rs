//! What it takes to make replicas of WA the same after a pass that devices share.

use super::algorithm::KernelShape;
use super::machine::LinkConstants;
use crate::contract::Merging;

/// What moves after a pass, and how long it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moved {
    /// Bytes of a replica that are brought together: values, and sets of active vertices.
    pub(super) bytes: f64,
    /// Seconds.
    pub(super) seconds: f64,
}

/// Returns what a pass of a kernel moves between so many devices in a graph of so many vertices, of which the pass activates
/// some.
pub(super) fn moved(
    kernel: &KernelShape,
    pulls: bool,
    [vertices, activated]: [f64; 2],
    devices: f64,
    link: &LinkConstants,
) -> Moved {
    let merging = kernel.writes.merging(&kernel.sides, pulls);
    let value = kernel.merged as f64;
    let values = match merging {
        Merging::Unite => activated * value,
        Merging::Broadcast | Merging::Reduce | Merging::Gather(_) => vertices * value,
    };
    let set = if kernel.writes.activates { vertices / 8.0 } else { 0.0 };
    // Through the host, each copy goes there and back.
    let rate = link.peer_rate.unwrap_or(link.back_rate.min(link.chunk_rate()) / 2.0);
    let others = devices - 1.0;
    let way_round = 2.0 * others / devices;
    let of_values = match merging {
        // A device combines its range of all replicas, and gives the others the result.
        Merging::Reduce | Merging::Unite => way_round,
        // A device gets what the others own.
        Merging::Gather(_) => others / devices,
        // One device gives all of it to each of the others.
        Merging::Broadcast => others,
    };
    Moved { bytes: values + set, seconds: (of_values * values + way_round * set) / rate }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{cuda, kernel};
    use super::*;
    use crate::contract::{KernelKind, SharedWrites};

    /// What moves of four bytes at each of a million vertices, of which a thousand are activated, over 100 GB/s.
    fn of(writes: SharedWrites, pulls: bool, devices: f64) -> Moved {
        let kernel = KernelShape { writes, ..kernel(KernelKind::Scan) };
        moved(&kernel, pulls, [1e6, 1e3], devices, cuda().link.as_ref().unwrap())
    }

    fn assert_moved(found: Moved, bytes: f64, seconds: f64) {
        assert!((found.seconds - seconds).abs() < 1e-15 && found.bytes == bytes, "{found:?}");
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
        // Sets are united beside values that are reduced, too.
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
        assert_moved(moved(&kernel, false, [1e6, 0.0], 2.0, &link), 4e6, 4e6 / 5e9);
    }
}
