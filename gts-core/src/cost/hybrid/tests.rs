//! Compares the model with results computed by hand, and tests general invariants.

use super::super::machine::KernelRate;
use super::super::memory::Strategy;
use super::super::tests::{graph as directed, scans as pushes, search};
use super::work::{Changed, SideWork};
use super::*;
use crate::build::{BuildOptions, build};
use crate::generate;
use crate::graph::{DegreeClass, DegreeSpread, Vertex};
use proptest::prelude::*;

mod beside_copies;
mod changed;

const EVEN: DegreeClass = DegreeClass { vertices: 1000.0, out_degree: 1.0, in_degree: 2.0, spread: DegreeSpread::Even };

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Creates a scan that takes 4 s on the CPU and 1 s to stream to the GPU. There are no other costs, and memory
/// bandwidth is unlimited.
fn streamed() -> Model {
    let cpu = SideWork { kernels: 4.0, visited: 1e9, host_bytes: 40e9, ..SideWork::default() };
    let gpu = SideWork { kernels: 0.25, link: 1.0, visited: 1e9, missed: 1e9, ..SideWork::default() };
    let exchange = Exchange { carried: Carried::Own, to_gpu: 4.0, to_cpu: 8.0 };
    Model {
        steps: vec![Step {
            repeats: 1.0,
            cpu,
            cpu_alone: cpu,
            alike: true,
            gpu,
            filling: 0.0,
            exchange: Some(exchange),
        }],
        vertices: 1000.0,
        handed: 0.0,
        most: 1.0,
        host_rate: 1e300,
        together: None,
        to_gpu_rate: f64::INFINITY,
        to_cpu_rate: f64::INFINITY,
        meeting: 0.0,
        message_speed: 1.0,
        replica: Vec::new(),
    }
}

/// Returns the test graph with every edge in both directions, so that scans can pull.
fn graph() -> GraphShape {
    GraphShape { symmetric: true, ..directed() }
}

/// Returns an algorithm of `count` scans that may pull.
fn scans(count: u64) -> AlgorithmShape {
    let mut scans = pushes(count);
    scans.each_step.iter_mut().for_each(|kernel| kernel.handed = Some(4));
    scans
}

fn platform() -> (HostConstants, ProcessorConstants, ProcessorConstants) {
    let host = HostConstants::default_of_cuda(1);
    (host, ProcessorConstants::default_cpu(&host, 32), ProcessorConstants::default_cuda())
}

/// Returns the model of an algorithm on the test graph, whose pages occupy 256 MiB, with the given device memory.
fn of(algorithm: &AlgorithmShape, device_memory: Option<u64>) -> (Model, [f64; 2]) {
    of_cores(algorithm, device_memory, 1.0)
}

/// Returns the model if a share `cores` of the CPU cores runs kernels and the other cores feed the GPUs.
fn of_cores(algorithm: &AlgorithmShape, device_memory: Option<u64>, cores: f64) -> (Model, [f64; 2]) {
    let (host, cpu, gpu) = platform();
    let configuration = RunConfiguration { device_memory, pull_share: Some(20), ..RunConfiguration::default() };
    let passes = |processor| predict(&graph(), algorithm, &host, processor, &configuration).unwrap().passes;
    let ends = [passes(&gpu), passes(&cpu)];
    let platform = Platform { host: &host, cpu: &cpu, gpu: &gpu };
    (Model::of(&graph(), algorithm, platform, &configuration, &Sharing { cores }).unwrap(), ends)
}

#[test]
fn without_messages_sides_that_end_together_are_the_best() {
    let model = streamed();
    // The CPU finishes after 4 alpha seconds, and the link after 1 - alpha seconds.
    assert!(close(model.seconds(0.5).total, 2.0));
    assert!(close(model.seconds(0.1).total, 0.9));
    let best = model.best();
    assert!((best.alpha - 0.2).abs() < 1e-5 && (best.seconds.total - 0.8).abs() < 1e-5, "{best:?}");
    assert!((best.speedup() - 1.25).abs() < 1e-4 && !best.is_gpu_alone());
    assert_eq!((best.gpu_alone, best.cpu_alone, best.bound), (1.0, 4.0, Bound::Link));
}

#[test]
fn sides_that_want_more_than_the_memory_gives_slow_down_in_proportion() {
    // The CPU demands 10 GB/s and the copies 1 GB/s. With a bandwidth of 5.5 GB/s, each side gets half of its demand.
    let model = Model { host_rate: 5.5e9, ..streamed() };
    let at = |alpha: f64| (model.seconds(alpha).cpu, model.seconds(alpha).gpu);
    // 0.4 s of CPU work takes 0.8 s. In that time, 0.4 s of copy work is also done, and 0.5 s remains.
    let (cpu, gpu) = at(0.1);
    assert!(close(cpu, 0.8) && close(gpu, 1.3), "{cpu} {gpu}");
    // With 11 GB/s, both sides get their full demand.
    let plenty = Model { host_rate: 11e9, ..streamed() }.seconds(0.1);
    assert!(close(plenty.cpu, 0.4) && close(plenty.gpu, 0.9), "{plenty:?}");
    // If every share slows the copies down by more than the share saves, the CPU gets no share.
    let best = Model { host_rate: 6e9, ..streamed() }.best();
    assert!(best.is_gpu_alone() && best.against == Some(Bound::HostMemory), "{best:?}");
    assert_eq!(streamed().best().against, None);
}

#[test]
fn each_side_gets_what_copies_and_reads_reach_together() {
    // During copies, the CPU gets 5 GB/s instead of the 10 GB/s that it demands. The copies get 0.8 of 1 GB/s.
    let model = Model { together: Some([0.8e9, 5e9]), ..streamed() };
    // 0.4 s of CPU work takes 0.8 s. In that time, 0.64 s of 0.9 s of copy work is done, and 0.26 s remains.
    let seconds = model.seconds(0.1);
    assert!(close(seconds.cpu, 0.8) && close(seconds.gpu, 1.06), "{seconds:?}");
    // 0.5 s of copy work takes 0.625 s. In that time, 0.3125 s of 2 s of CPU work is done.
    let seconds = model.seconds(0.5);
    assert!(close(seconds.gpu, 0.625) && close(seconds.cpu, 0.625 + 2.0 - 0.3125), "{seconds:?}");
    // A CPU with a small demand does not slow copies down.
    let modest = Model { together: Some([0.8e9, 1e15]), ..streamed() };
    assert!((modest.seconds(0.1).gpu - 0.9).abs() < 1e-4);
}

#[test]
fn reads_at_random_places_wait_while_copies_go_on() {
    let mut model = Model { together: Some([1e9, 1e15]), ..streamed() };
    (model.steps[0].cpu.scattered, model.steps[0].cpu.delay) = (0.5, 2.0);
    // Half of the CPU's reads take three times as long, so 0.4 s of CPU work takes 0.8 s. Copies run the whole time.
    let seconds = model.seconds(0.1);
    assert!(close(seconds.cpu, 0.8) && close(seconds.gpu, 0.9), "{seconds:?}");
    // During the 0.5 s of copies, the CPU completes 0.25 s of its 2 s of work.
    let seconds = model.seconds(0.5);
    assert!(close(seconds.cpu, 0.5 + 1.75), "{seconds:?}");
    // If the CPU runs alone, there are no concurrent copies.
    assert!(close(model.seconds(1.0).total, 4.0));
}

fn sides(gpu: f64, cpu: f64) -> MeasuredSides {
    MeasuredSides { gpu, cpu, cpu_beside: cpu }
}

#[test]
fn beside_gpus_the_cpu_has_the_speed_of_the_cores_that_are_left() {
    let model = streamed().calibrated(&MeasuredSides { gpu: 2.0, cpu: 40.0, cpu_beside: 60.0 });
    assert!(close(model.seconds(0.5).cpu, 30.0) && close(model.seconds(1.0).total, 40.0));
}

#[test]
fn vertices_hand_out_their_values_before_any_share_is_walked() {
    let mut model = streamed();
    let [share, all] = [0.1, 0.0].map(|alpha| model.seconds(alpha));
    model.steps[0].cpu.handing_out = 0.5;
    assert!(close(model.seconds(0.1).cpu, share.cpu + 0.5), "{:?}", model.seconds(0.1));
    assert_eq!(model.seconds(0.0), all);
    // The gathered values are initialised before the kernel runs.
    model.steps[0].filling = 0.25;
    assert!(close(model.seconds(0.1).cpu, share.cpu + 0.75), "{:?}", model.seconds(0.1));
    assert_eq!(model.seconds(0.0), all);
}

#[test]
fn what_vertices_hand_out_is_part_of_the_cpus_scan_and_of_its_bytes() {
    let algorithm = scans(10);
    let (model, [_, on_cpu]) = of(&algorithm, Some(64 << 20));
    let (step, pushed) = (model.steps[0], of(&pushes(10), Some(64 << 20)).0.steps[0]);
    assert!(step.cpu.handing_out > 0.0 && pushed.cpu.handing_out == 0.0);
    assert!(close(model.seconds(1.0).total, on_cpu));
    // The CPU's kernels read no more bytes than the memory bandwidth allows.
    let most = step.cpu.kernels * model.host_rate;
    assert!(step.cpu.host_bytes <= most * (1.0 + 1e-12), "{} of {most}", step.cpu.host_bytes);
}

#[test]
fn a_calibrated_model_takes_what_was_measured_of_either_side_alone() {
    for (algorithm, memory) in [(scans(10), None), (search(), Some(64 << 20))] {
        let model = of(&algorithm, memory).0.calibrated(&sides(3.0, 7.0));
        assert!(close(model.seconds(0.0).total, 3.0) && close(model.seconds(1.0).total, 7.0));
    }
}

#[test]
fn pushes_beside_gpus_have_the_speed_that_was_measured_of_them() {
    let mut model = streamed();
    assert!(!model.cpu_pushes());
    model.steps[0].alike = false;
    model.steps[0].cpu.kernels *= 3.0;
    assert!(model.cpu_pushes());
    let calibrated = model.calibrated(&MeasuredSides { gpu: 2.0, cpu: 40.0, cpu_beside: 60.0 });
    assert!(close(calibrated.seconds(1.0).total, 40.0) && close(calibrated.seconds(0.5).cpu, 30.0));
}

/// Returns the times of a model's passes if the CPU takes `slower` times and the GPU `longer` times the predicted time.
fn measured(model: &Model, alpha: f64, [slower, longer]: [f64; 2]) -> MeasuredPasses {
    let step = Step { repeats: 1.0, ..model.steps[0] };
    let Seconds { cpu, gpu, messages, .. } = model.step_seconds(&step, alpha);
    MeasuredPasses { alpha, gpu: longer * gpu, cpu: slower * cpu, messages }
}

/// Returns the streaming scan with the given number of repetitions.
fn scanned(repeats: f64) -> Model {
    let mut model = streamed();
    model.steps[0].repeats = repeats;
    model
}

#[test]
fn the_share_follows_what_either_side_was_measured_to_take() {
    let model = scanned(20.0);
    assert!(model.is_adjusted());
    // The CPU takes 16 alpha seconds and the link 1 - alpha seconds. At alpha 1/17, both finish after 0.94 s, compared
    // with 3.2 s at alpha 0.2.
    let slow = model.adjust(&measured(&model, 0.2, [4.0, 1.0]));
    assert!((slow.to - 1.0 / 17.0).abs() < 1e-4 && (slow.speedup - 3.4).abs() < 1e-2, "{slow:?}");
    assert_eq!(slow.from, 0.2);
    // With the link at a third of its rate, the sides finish together if 4 alpha = 3 - 3 alpha.
    let more = model.adjust(&measured(&model, 0.2, [1.0, 3.0]));
    assert!((more.to - 3.0 / 7.0).abs() < 1e-4, "{more:?}");
    // A CPU whose share would save only 1 % gets no edges.
    let none = model.adjust(&measured(&model, 0.2, [25.0, 1.0]));
    assert_eq!(none.to, 0.0);
    assert!((none.speedup - 20.0).abs() < 1e-6, "{none:?}");
}

#[test]
fn what_vertices_are_filled_with_is_fitted_with_the_rest() {
    let mut model = scanned(20.0);
    model.steps[0].filling = 0.5;
    // The CPU takes less time in total than predicted for the filling.
    let passes = measured(&model, 0.2, [0.3, 1.0]);
    let predicted = model.step_seconds(&model.steps[0], 0.2);
    assert!(passes.cpu < model.steps[0].filling && passes.cpu < predicted.cpu);
    let fitted = model.fitted(&passes).unwrap();
    assert!((fitted.step_seconds(&fitted.steps[0], 0.2).cpu / passes.cpu - 1.0).abs() < 1e-3);
    assert!((fitted.steps[0].filling - 0.3 * 0.5).abs() < 1e-3, "{}", fitted.steps[0].filling);
}

#[test]
fn a_share_as_good_as_another_stays() {
    let model = scanned(20.0);
    for of in [[1.0, 1.0], [1.02, 1.0], [2.0, 2.0]] {
        let kept = model.adjust(&measured(&model, 0.2, of));
        assert!(kept.is_kept() && kept.to == 0.2, "{of:?}");
        assert!(kept.speedup < WORTHWHILE, "{kept:?}");
    }
}

#[test]
fn only_scans_that_go_on_are_adjusted() {
    assert!(!scanned(2.0).is_adjusted());
    let ended = scanned(2.0).adjust(&measured(&scanned(2.0), 0.2, [4.0, 1.0]));
    assert_eq!((ended.to, ended.speedup), (0.2, 1.0));
    assert!(of(&scans(10), Some(64 << 20)).0.is_adjusted());
    assert!(!of(&search(), Some(64 << 20)).0.is_adjusted());
}

#[test]
fn pages_are_copied_again_only_for_enough_passes() {
    // The GPU keeps 1 GB of pages, and the CPU took almost twice as long as the GPU.
    let resident = |repeats| {
        let mut model = Model { to_gpu_rate: 1e9, ..scanned(repeats) };
        (model.steps[0].gpu.missed, model.steps[0].gpu.link) = (0.0, 0.0);
        model
    };
    let after = |repeats| resident(repeats).adjust(&measured(&resident(repeats), 0.1, [1.0, 1.0]));
    assert!(after(3.0).is_kept());
    assert!(!after(30.0).is_kept());
}

#[test]
fn messages_and_sides_that_slow_each_other_down_are_fitted_too() {
    let together = Some([0.8e9, 5e9]);
    let rates = Model { to_gpu_rate: 1e6, to_cpu_rate: 1e6, meeting: 1e-3, together, ..scanned(20.0) };
    let passes = MeasuredPasses { alpha: 0.3, gpu: 1.5, cpu: 0.9, messages: 0.25 };
    let fitted = rates.fitted(&passes).expect("times");
    let Seconds { cpu, gpu, messages, .. } = fitted.step_seconds(&fitted.steps[0], 0.3);
    assert!((cpu - 0.9).abs() < 1e-3 && (gpu - 1.5).abs() < 1e-3 && (messages - 0.25).abs() < 1e-6, "{cpu} {gpu}");
    assert_eq!(fitted.fitted(&MeasuredPasses { cpu: 0.0, ..passes }), None);
}

#[test]
fn the_cores_that_feed_gpus_are_back_where_the_cpu_has_all_edges() {
    let all = of(&scans(10), Some(64 << 20)).0;
    let fewer = of_cores(&scans(10), Some(64 << 20), 0.5).0;
    assert!(close(fewer.steps[0].cpu.kernels, 2.0 * all.steps[0].cpu.kernels));
    assert!(close(fewer.seconds(1.0).total, all.seconds(1.0).total));
}

#[test]
fn messages_and_vertex_kernels_follow_when_both_sides_have_ended() {
    let mut model = Model { to_gpu_rate: 10e3, to_cpu_rate: 20e3, ..streamed() };
    // At alpha 0.1, the CPU has 100 of 1000 vertices. Sending 400 bytes to the GPU takes 0.04 s, and sending 8000 bytes
    // to the CPU takes 0.4 s.
    let messages = model.messages(0.1);
    assert!(close(messages.to_gpu, 100.0) && close(messages.to_cpu, 1000.0), "{messages:?}");
    assert!(close(model.seconds(0.1).total, 0.9 + 0.04 + 0.4));
    model.steps[0].gpu.vertex_kernels = 0.05;
    model.steps[0].cpu_alone.vertex_kernels = 0.2;
    let seconds = model.seconds(0.5);
    assert!(close(seconds.total, 2.0 + 0.2 + 0.4 + 0.05) && close(seconds.messages, 0.6), "{seconds:?}");
}

/// Returns the exchange of a step that activates `vertices` vertices, each with probability `chance`.
fn activates(vertices: f64, chance: f64) -> Option<Exchange> {
    Some(Exchange { carried: Carried::Changed(Changed { vertices, edges: 1e6, chance }), to_gpu: 4.0, to_cpu: 4.0 })
}

#[test]
fn what_vertices_hand_out_takes_from_what_the_device_keeps() {
    let mut model = Model { handed: 0.2e9, ..streamed() };
    model.steps[0].gpu.missed = 0.4e9;
    model.steps[0].gpu.link = 0.4;
    assert!(close(model.seconds(0.1).gpu, 0.5));
    assert!(close(model.seconds(0.0).gpu, 0.4), "the GPU alone pushes");
}

#[test]
fn what_the_device_keeps_is_not_streamed_at_any_share() {
    let mut model = streamed();
    // The GPU keeps 60 % of the pages.
    model.steps[0].gpu.missed = 0.4e9;
    model.steps[0].gpu.link = 0.4;
    assert!(close(model.seconds(0.1).gpu, 0.3));
    assert!(close(model.seconds(0.4).gpu, 0.25 * 0.6));
    // A GPU that keeps all pages is limited by its kernels.
    model.steps[0].gpu = SideWork { kernels: 0.25, visited: 1e9, ..SideWork::default() };
    assert!(close(model.seconds(0.2).gpu, 0.2));
    assert_eq!(model.best().bound, Bound::Gpu);
}

#[test]
fn either_end_is_that_side_alone() {
    let streaming = Some(64 << 20);
    for (algorithm, memory) in [(scans(10), None), (scans(10), streaming), (search(), None), (search(), streaming)] {
        let (model, ends) = of(&algorithm, memory);
        for (alpha, passes) in [0.0, 1.0].into_iter().zip(ends) {
            let seconds = model.seconds(alpha);
            assert!(close(seconds.total, passes), "{memory:?} {alpha}: {seconds:?} for {passes}");
            assert_eq!((seconds.messages, model.messages(alpha)), (0.0, Messages::default()));
        }
        let best = model.best();
        assert!(close(best.gpu_alone, ends[0]) && close(best.cpu_alone, ends[1]), "{best:?}");
    }
}

#[test]
fn resident_pages_leave_nothing_for_the_cpu() {
    let model = of(&scans(10), None).0;
    let (best, choice) = (model.best(), model.choose());
    assert!(best.speedup() < WORTH_SHARING, "{best:?}");
    assert!(choice.is_gpu_alone() && choice.speedup() == 1.0 && choice.seconds == model.seconds(0.0), "{choice:?}");
    assert!(choice.bound == Bound::Gpu && choice.against.is_some() && best.against.is_none(), "{choice:?}");
    // A gain no larger than the variation of rates is not worthwhile.
    let small = Model { meeting: 0.1, ..streamed() };
    assert!(
        (1.1..WORTH_SHARING).contains(&small.best().speedup()) && small.choose().is_gpu_alone(),
        "{:?}",
        small.best()
    );
    // Sharing the streamed pages is worthwhile.
    let streamed = of(&scans(10), Some(64 << 20)).0;
    assert!(streamed.choose().speedup() > WORTH_SHARING && streamed.choose() == streamed.best());
}

#[test]
fn pages_on_storage_and_parts_of_attributes_bound_the_share() {
    let (mut host, cpu, gpu) = platform();
    host.memory = 8 << 30;
    let platform = Platform { host: &host, cpu: &cpu, gpu: &gpu };
    let configuration = RunConfiguration {
        stored: true,
        host_memory: Some(128 << 20),
        device_memory: Some(64 << 20),
        pull_share: Some(20),
        ..RunConfiguration::default()
    };
    let model = |configuration| Model::of(&graph(), &scans(5), platform, configuration, &Sharing::default()).unwrap();
    let most = model(&configuration).most();
    assert!((0.3..0.5).contains(&most), "{most}");
    assert!(model(&configuration).best().alpha <= most);
    let split = RunConfiguration { strategy: Some(Strategy::Split), ..configuration };
    assert_eq!((model(&split).most(), model(&split).best().alpha), (0.0, 0.0));
}

#[test]
fn kernels_that_cannot_be_replicated_run_on_the_gpu_alone() {
    let mut alone = scans(3);
    alone.each_step[0].writes.alone = true;
    let (model, ends) = of(&alone, Some(64 << 20));
    assert!(close(model.seconds(0.3).total, ends[0]));
    assert_eq!(model.best().alpha, 0.0);
}

#[test]
fn scans_that_cannot_pull_on_both_sides_push_on_both() {
    let (host, cpu, gpu) = platform();
    let platform = Platform { host: &host, cpu: &cpu, gpu: &gpu };
    let may = Some(20);
    let carried = |graph: &GraphShape, algorithm: &AlgorithmShape, pull_share| {
        let device_memory = Some(64 << 20);
        let configuration = RunConfiguration { device_memory, pull_share, ..RunConfiguration::default() };
        let model = Model::of(graph, algorithm, platform, &configuration, &Sharing::default()).unwrap();
        model.steps[0].exchange.map(|exchange| exchange.carried)
    };
    let (own, all) = (Some(Carried::Own), Some(Carried::All));
    assert_eq!(carried(&graph(), &scans(3), may), own);
    assert_eq!(carried(&graph(), &scans(3), None), all, "all push");
    let sparse = GraphShape { edges: 1_000_000, ..graph() };
    assert_eq!(carried(&sparse, &scans(3), may), all, "the CPU would push");
    assert_eq!(carried(&sparse, &scans(3), Some(u64::MAX)), own, "all shall pull");
    let mut at_source = pushes(3);
    at_source.each_step[0].writes.at_source = true;
    assert_eq!(carried(&directed(), &at_source, None), own, "each vertex is written where its list is");
    assert_eq!(carried(&graph(), &pushes(3), may), all, "the kernel has no form that pulls");
    assert_eq!(carried(&directed(), &scans(3), may), all, "there are no in-edges to pull along");
    let mut wide = scans(3);
    wide.each_step[0].handed = Some(64);
    assert_eq!(carried(&graph(), &wide, may), all, "there is no room for what vertices hand out");
}

#[test]
fn a_cpu_that_pushes_beside_gpus_may_pull_alone() {
    let (host, mut cpu, gpu) = platform();
    cpu.kernels.push(KernelRate { kernel: "scan".to_owned(), pulled: true, working_set: 1, seconds: 1e-11 });
    let platform = Platform { host: &host, cpu: &cpu, gpu: &gpu };
    let configuration =
        RunConfiguration { device_memory: Some(64 << 20), pull_share: Some(20), ..RunConfiguration::default() };
    let mut wide = scans(3);
    wide.each_step[0].handed = Some(64);
    let model = Model::of(&graph(), &wide, platform, &configuration, &Sharing::default()).unwrap();
    let Step { cpu, cpu_alone, .. } = &model.steps[0];
    assert!(cpu.kernels > 5.0 * cpu_alone.kernels, "{cpu:?} {cpu_alone:?}");
}

#[test]
fn the_host_holds_a_replica_beside_what_it_holds_for_the_gpu() {
    let needs: Vec<_> = of(&scans(1), None).0.host_needs().iter().map(|need| need.what).collect();
    assert!(needs.contains(&"WA") && needs.contains(&"RA") && !needs.contains(&"IDs"), "{needs:?}");
}

#[test]
fn messages_by_hand() {
    let classes = [
        EVEN,
        DegreeClass { vertices: 10.0, out_degree: 0.0, in_degree: 1.0, spread: DegreeSpread::Even },
        DegreeClass { vertices: 100.0, out_degree: 2.0, in_degree: 0.0, spread: DegreeSpread::Poisson },
    ];
    let half = expected_messages(&classes, 0.5);
    assert!(close(half.to_gpu, 1000.0 * 0.75 + 10.0 * 0.5));
    assert!(close(half.to_cpu, 0.5 * (1000.0 + 100.0 * (1.0 - (-2f64).exp()))));
    let all = expected_messages(&classes, 1.0);
    assert!(close(all.to_gpu, 1010.0));
    assert_eq!(expected_messages(&classes, 0.0), Messages::default());
}

#[test]
fn messages_of_rmat_are_those_counted_where_vertices_lie_at_random() {
    let (graph, _) = build(&mut generate::parse("rmat:14").unwrap(), &BuildOptions::default()).unwrap();
    for alpha in [0.1, 0.5] {
        let on_cpu = |vertex: u64| {
            let hash = (vertex + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            ((hash ^ (hash >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 53) as f64 <= alpha
        };
        let mut touched = vec![false; graph.num_vertices() as usize];
        for vertex in (0..graph.num_vertices()).filter(|vertex| on_cpu(*vertex)).map(Vertex::from_dense) {
            graph.neighbors(vertex).for_each(|target| touched[target.unwrap().index()] = true);
        }
        let counted = touched.iter().filter(|touched| **touched).count() as f64;
        let expected = expected_messages(&GraphShape::of(&graph).classes, alpha).to_gpu;
        assert!((expected / counted - 1.0).abs() < 0.05, "{alpha}: {expected} for {counted}");
    }
}

#[test]
fn fewer_cores_take_longer() {
    let (host, cpu, gpu) = platform();
    let platform = Platform { host: &host, cpu: &cpu, gpu: &gpu };
    let configuration = RunConfiguration { pull_share: Some(20), ..RunConfiguration::default() };
    let seconds = |cores| {
        let sharing = Sharing { cores };
        let model = Model::of(&graph(), &scans(5), platform, &configuration, &sharing).unwrap();
        model.seconds(0.9).cpu
    };
    assert!(seconds(0.5) > 1.9 * seconds(1.0));
}

prop_compose! {
    /// Generates a run with arbitrary speeds: one scan step and one traversal step.
    fn any_model()(
        seconds in prop::collection::vec(0.0..4.0f64, 8),
        host_rate in 1e8..1e11f64,
        link_rate in 1e4..1e10f64,
        kept in 0.0..1.0f64,
        vertex_kernels: bool,
        together in prop::option::of(proptest::array::uniform2(1e8..1e11f64)),
        delay in 0.0..2.0f64,
    ) -> Model {
        let mut model = Model { host_rate, together, to_gpu_rate: link_rate, to_cpu_rate: link_rate, ..streamed() };
        let step = &mut model.steps[0];
        let handing_out = 0.2 * seconds[1];
        let scattered = 0.25 * seconds[7];
        let activation = 1e-3 * seconds[1];
        let beside = 0.1 * seconds[1];
        step.cpu =
            SideWork { kernels: seconds[0], handing_out, beside, scattered, delay, activation, ..step.cpu };
        step.cpu_alone = SideWork { kernels: 0.5 * seconds[0], ..step.cpu };
        let vertex_kernels = if vertex_kernels { seconds[2] } else { 0.0 };
        let missed = (1.0 - kept) * step.gpu.visited;
        let link = (1.0 - kept) * seconds[3];
        step.gpu = SideWork { kernels: seconds[4], beside: 0.1 * seconds[5], vertex_kernels, missed, link, activation, ..step.gpu };
        let mut search = *step;
        search.gpu.vertex_kernels = 0.0;
        search.exchange = activates(100.0 * seconds[6], 0.2 * seconds[5]);
        search.repeats = seconds[7];
        model.steps.push(search);
        model
    }
}

proptest! {
    #[test]
    fn the_best_share_is_as_fast_as_any_other(model in any_model(), most in prop_oneof![Just(1.0), 0.0..1.0f64]) {
        let model = Model { most, ..model };
        let best = model.best();
        prop_assert!(best.alpha <= most && best.seconds.total == model.seconds(best.alpha).total);
        for alpha in (0..=100).map(|point| f64::from(point) / 100.0).filter(|alpha| *alpha <= most) {
            prop_assert!(best.seconds.total <= model.seconds(alpha).total, "{} beats {:?}", alpha, best);
        }
        prop_assert!(best.seconds.total <= best.gpu_alone * (1.0 + 1e-12));
    }

    #[test]
    fn an_adjusted_share_is_one_that_both_sides_can_have(
        model in any_model(), alpha in 0.001..0.999f64, times in proptest::array::uniform3(0.0..10.0f64),
    ) {
        let [gpu, cpu, messages] = times;
        let adjusted = model.adjust(&MeasuredPasses { alpha, gpu, cpu, messages });
        let may = (0.0..1.0).contains(&adjusted.to) && adjusted.to <= model.most();
        prop_assert_eq!(adjusted.from, alpha);
        prop_assert!(adjusted.is_kept() || (may && adjusted.speedup >= WORTHWHILE), "{adjusted:?}");
    }

    #[test]
    fn a_faster_part_slows_nothing_down(model in any_model(), alpha in 0.0..=1.0f64) {
        let not_slower = |before: &Model, bound| {
            let (before, after) = (before.seconds(alpha).total, before.doubled(bound).seconds(alpha).total);
            (after <= before * (1.0 + 1e-12)).then_some(()).ok_or_else(|| format!("{bound:?}: {after} after {before}"))
        };
        for bound in [Bound::HostMemory, Bound::Disk, Bound::Gpu, Bound::Messages, Bound::Steps] {
            prop_assert_eq!(not_slower(&model, bound), Ok(()));
        }
        // A faster side uses more of the scarce host memory bandwidth, so the other side may lose more time than the
        // faster side saves.
        let plenty = Model { host_rate: 1e300, together: None, ..model };
        for bound in Bound::ALL {
            prop_assert_eq!(not_slower(&plenty, bound), Ok(()));
        }
    }

    #[test]
    fn sides_are_never_faster_together_than_without_each_other(model in any_model(), alpha in 0.01..0.99f64) {
        let free = Model { host_rate: 1e300, together: None, ..model.clone() };
        prop_assert!(free.seconds(alpha).total <= model.seconds(alpha).total * (1.0 + 1e-12));
        let seconds = model.seconds(alpha);
        prop_assert!(seconds.total >= seconds.cpu.max(seconds.gpu) * (1.0 - 1e-12));
    }

    #[test]
    fn more_edges_touch_no_fewer_vertices(alpha in 0.0..1.0f64, more in 0.0..1.0f64, degree in 0.0..64.0f64) {
        let class = DegreeClass { out_degree: degree, in_degree: degree, ..EVEN };
        let (few, many) = (expected_messages(&[class], alpha), expected_messages(&[class], alpha + more * (1.0 - alpha)));
        prop_assert!(few.to_gpu <= many.to_gpu + 1e-9 && few.to_cpu <= many.to_cpu + 1e-9);
        prop_assert!(many.to_gpu <= class.vertices + 1e-9);
    }
}
