//! Integer sums on several devices: only the total must fit.

use super::several;
use gts_graph::prelude::*;

#[gts_attributes]
struct Counters {
    #[wa(init = 0, merge = sum)]
    pub total: u32,
    #[param]
    pub term: u32,
}

#[gts_kernel(scan)]
fn rise(counters: &mut Counters, src: Vertex, dst: Vertex) {
    counters.total[dst] += counters.term;
}

#[gts_kernel(scan)]
fn fall(counters: &mut Counters, src: Vertex, dst: Vertex) {
    counters.total[dst] -= counters.term;
}

#[gts_kernel(scan)]
fn fall_by_one(counters: &mut Counters, src: Vertex, dst: Vertex) {
    counters.total[dst] -= 1;
}

/// Checks that a pass ends with a fault that affects vertex 0.
fn affects_zero(devices: usize, ended: Result<()>) {
    assert!(
        matches!(ended, Err(Error::Fault { place, .. }) if place.dst == 0 || place.src == 0),
        "{devices}: {ended:?}"
    );
}

#[test]
fn a_sum_fits_or_is_a_fault_however_many_devices_share_it() -> Result<()> {
    // Vertex 0 has 300 in-edges, on many small pages.
    let edges = (1..=300).flat_map(|v| [(v, 0), (v, v % 300 + 1)]);
    let graph = Graph::builder().edges(edges).page_size(256).in_edges(true).build().expect("sound edges");
    for devices in 1..=3 {
        let mut run = several(devices).start::<Counters>(&graph)?;
        let zero = graph.vertex(0)?;
        run.set_param(Counters::TERM, u32::MAX / 300)?;
        run.scan(rise)?;
        assert_eq!(run.get(Counters::TOTAL, zero)?, u32::MAX / 300 * 300);
        run.scan(fall)?;
        run.fill(Counters::TOTAL, 300)?;
        run.scan(fall_by_one)?;
        assert_eq!((run.get(Counters::TOTAL, zero)?, run.get(Counters::TOTAL, graph.vertex(7)?)?), (0, 299));
        affects_zero(devices, run.scan(fall_by_one));
        run.set_param(Counters::TERM, u32::MAX / 300 + 1)?;
        run.fill(Counters::TOTAL, 0)?;
        affects_zero(devices, run.scan(rise));
    }
    Ok(())
}
