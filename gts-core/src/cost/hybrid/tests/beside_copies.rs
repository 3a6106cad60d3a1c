//! Tests delays of the CPU's random reads during copies, and the effect of the CPU's cache.

use super::super::super::machine::{BesideReads, RandomReads};
use super::*;

/// Returns the CPU's work in a run shared with a GPU. Copies double the time of reads within 1 GiB, and do not affect
/// reads within 1 MiB.
fn of_cpu(algorithm: &AlgorithmShape, cache: u64, vertices: u64) -> SideWork {
    let (host, mut cpu, mut gpu) = platform();
    cpu.accesses.cache = cache;
    let at_random = [(1 << 20, 1.0), (1 << 30, 2.0)].map(|(working_set, times)| RandomReads { working_set, times });
    let beside = BesideReads { copy_rate: 50e9, memory_rate: 60e9, at_random: at_random.to_vec() };
    gpu.link.as_mut().unwrap().beside = Some(beside);
    let graph = GraphShape { vertices, ..graph() };
    let configuration = RunConfiguration { pull_share: Some(20), ..RunConfiguration::default() };
    let platform = Platform { host: &host, cpu: &cpu, gpu: &gpu };
    Model::of(&graph, algorithm, platform, &configuration, &Sharing::default()).unwrap().steps[0].cpu
}

#[test]
fn reads_at_random_places_are_delayed_by_the_bytes_that_they_cover() {
    // Each vertex has a source value of 4 bytes: 1 MiB, 32 MiB and 4 GiB in total.
    for (scale, expected) in [(18, 0.0), (23, 0.5), (30, 1.0)] {
        assert!(close(of_cpu(&scans(5), 0, 1 << scale).delay, expected), "2^{scale}");
    }
}

#[test]
fn pushes_reach_what_they_touch_at_the_other_end() {
    let mut pushes = pushes(5);
    for kernel in &mut pushes.each_step {
        (kernel.touched, kernel.target.bytes) = (32, 4);
    }
    assert!(close(of_cpu(&pushes, 0, 1 << 23).delay, 0.5));
    // If a step has several kernels, the largest working set determines the delay.
    let mut wide = pushes.each_step[0].clone();
    wide.target.bytes = 128;
    pushes.each_step.push(wide);
    assert!(close(of_cpu(&pushes, 0, 1 << 23).delay, 1.0));
}

#[test]
fn what_the_cache_holds_takes_no_bandwidth() {
    // The values occupy 4 MiB. The cache has room for three quarters of them, or for all.
    let [most, all] = [3 << 20, 4 << 20].map(|cache| of_cpu(&scans(5), cache, 1 << 20));
    let at_random = most.visited * most.scattered / (1.0 - most.scattered);
    assert!(close(all.host_bytes, all.visited), "{all:?}");
    assert!(close(most.host_bytes, most.visited + at_random / 4.0), "{most:?}");
}
