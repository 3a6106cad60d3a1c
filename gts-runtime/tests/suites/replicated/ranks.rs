//! Ranks of a group give the answers of one device, and all end if one of them diverges.

use super::*;
use gts_graph::device::distributed::DistributedDevice;
use gts_graph::group::{Group, threads};
use std::time::Duration;

/// Runs an action on each of `count` ranks, with an engine on CPU threads.
fn on_ranks<T: Send>(
    count: usize,
    threads_of: impl Fn(usize) -> usize + Sync,
    propagation: Propagation,
    action: impl Fn(usize, &Engine) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    threads::ranks(count, |group| {
        let rank = group.rank();
        let cpu = CpuDevice::new(NonZeroUsize::new(threads_of(rank)))?;
        let device = DistributedDevice::new(Arc::new(cpu), Arc::new(group))?;
        let engine = Engine::builder().custom_device(Arc::new(device)).propagation(propagation).build()?;
        action(rank, &engine)
    })
}

fn alike<T: Send>(count: usize, action: impl Fn(usize, &Engine) -> Result<T> + Sync) -> Result<Vec<T>> {
    on_ranks(count, |_| 1, Propagation::Auto, action)
}

#[test]
fn every_merge_counts_once_on_all_ranks() -> Result<()> {
    let graph = graph();
    let expected = answer(&Engine::cpu()?, &graph)?;
    for ranks in [1, 2, 3, 5] {
        for found in alike(ranks, |_, engine| answer(engine, &graph))? {
            assert_eq!(found, expected, "{ranks} ranks");
        }
    }
    Ok(())
}

/// Returns a graph of small pages on which scans can push and pull.
fn both_sides(symmetric: bool) -> Graph {
    let options =
        BuildOptions { page_size: Some(256), symmetrise: symmetric, in_edges: true, ..BuildOptions::default() };
    Graph::reader("rmat:8,edge-factor=8,seed=7").options(options).read().expect("a graph")
}

#[test]
fn ranks_become_one_in_every_way() -> Result<()> {
    for symmetric in [false, true] {
        let graph = both_sides(symmetric);
        let expected = searched(&Engine::cpu()?, &graph)?;
        for ranks in [2, 3] {
            for propagation in Propagation::ALL {
                for found in on_ranks(ranks, |rank| 1 + rank % 2, propagation, |_, engine| searched(engine, &graph))? {
                    assert_eq!(found, expected, "{ranks} ranks, {propagation:?}, {symmetric}");
                }
            }
        }
    }
    Ok(())
}

#[test]
fn ranks_of_several_devices_become_one_in_every_way() -> Result<()> {
    let cpu = || Ok(Arc::new(CpuDevice::new(NonZeroUsize::new(1))?) as Arc<dyn Device>);
    let rank = |devices: usize| -> Result<Arc<dyn Device>> {
        let devices = (0..devices).map(|_| cpu()).collect::<Result<_>>()?;
        Ok(Arc::new(ReplicatedDevice::new(devices, Arc::new(HostCollective))?))
    };
    let merging = graph();
    let expected = answer(&Engine::cpu()?, &merging)?;
    for (ranks, devices) in [(2, 2), (3, 2), (2, 3)] {
        let own: Vec<Arc<dyn Device>> = (0..ranks).map(|_| rank(devices)).collect::<Result<_>>()?;
        for found in gts_graph::group::on_devices(&own, |engine| answer(engine, &merging))? {
            assert_eq!(found, expected, "{ranks} ranks of {devices} devices");
        }
    }
    for symmetric in [false, true] {
        let graph = both_sides(symmetric);
        let expected = searched(&Engine::cpu()?, &graph)?;
        for propagation in Propagation::ALL {
            let found = threads::ranks(2, |group| {
                let device = DistributedDevice::new(rank(2)?, Arc::new(group))?;
                let engine = Engine::builder().custom_device(Arc::new(device)).propagation(propagation).build()?;
                let found = searched(&engine, &graph)?;
                let report = engine.take_report();
                assert_eq!(report.kernels.iter().map(|kernel| kernel.devices).max(), Some(4));
                Ok((found, report.edges(), engine.ranks()?))
            })?;
            for (found, edges, work) in found {
                assert_eq!(found, expected, "{propagation:?}, {symmetric}");
                assert_eq!(work.len(), 2);
                assert!(work.iter().all(|work| 0 < work.edges && work.edges < edges), "{work:?} of {edges}");
            }
        }
    }
    Ok(())
}

#[test]
fn ranks_with_unlike_devices_are_told() {
    let cpu = || Arc::new(CpuDevice::new(NonZeroUsize::new(1)).expect("a thread")) as Arc<dyn Device>;
    let two = ReplicatedDevice::new(vec![cpu(), cpu()], Arc::new(HostCollective)).expect("two devices");
    let devices = [cpu(), Arc::new(two)];
    let graph = graph();
    let error =
        gts_graph::group::on_devices(&devices, |engine| answer(engine, &graph)).expect_err("unlike ranks").to_string();
    assert!(error.contains("with 1 x cpu") && error.contains("with 2 x cpu"), "{error}");
}

#[test]
fn near_and_far_are_the_same_on_all_ranks() -> Result<()> {
    let graph = graph();
    let answer = |engine: &Engine| {
        let mut run = engine.start::<Merges>(&graph)?;
        run.activate(Vertex::from_dense(3))?;
        let steps = run.traverse_near(call, urgency, 20)?;
        Ok::<_, Error>((steps, run.global(Merges::EDGES)?, run.take(Merges::SUM)?))
    };
    let expected = answer(&Engine::cpu()?)?;
    for found in alike(3, |_, engine| answer(engine))? {
        assert_eq!(found, expected);
    }
    Ok(())
}

#[test]
fn ranks_report_what_all_did() -> Result<()> {
    let graph = graph();
    for ranks in [1, 3] {
        let reports = alike(ranks, |_, engine| {
            let mut run = engine.start::<Merges>(&graph)?;
            run.scan(merges)?;
            run.apply(jump)?;
            Ok(engine.take_report())
        })?;
        for report in reports {
            let [scan, jump] = &report.kernels[..] else { panic!("two kernels") };
            assert_eq!((scan.pages, scan.edges), (graph.out_topology().num_pages().into(), graph.num_edges()));
            assert_eq!((scan.devices, jump.devices), (ranks as u32, 1));
            assert_eq!((scan.alone, jump.alone), (false, true), "{ranks} ranks");
        }
    }
    Ok(())
}

#[test]
fn what_one_rank_computes_alone_all_have() -> Result<()> {
    let graph = graph();
    let found = alike(3, |_, engine| {
        let mut run = engine.start::<Merges>(&graph)?;
        run.apply(name_root)?;
        run.apply(jump)?;
        run.scan(add_roots)?;
        Ok((run.take(Merges::ROOT)?, run.take(Merges::SUM)?))
    })?;
    assert!(found.iter().all(|other| *other == found[0]));
    // The order of the jumps determines the roots, so the sums use the roots found.
    let mut run = Engine::cpu()?.start::<Merges>(&graph)?;
    for (v, root) in graph.ids().in_original_order().zip(&found[0].0) {
        run.set(Merges::ROOT, v, *root)?;
    }
    run.scan(add_roots)?;
    assert_eq!(run.take(Merges::SUM)?, found[0].1);
    Ok(())
}

#[gts_attributes]
struct Sums {
    #[wa(init = 0.0, merge = sum)]
    pub mass: f64,
    #[global(merge = sum)]
    pub total: f64,
}

#[gts_kernel(vertex)]
fn add_up(s: &mut Sums, v: Vertex) {
    s.total += 1.0 / (1.0 + v.id() as u64 as f64);
}

#[gts_kernel(scan)]
fn add_up_edges(s: &mut Sums, src: Vertex, dst: Vertex) {
    s.total += 1.0 / (1.0 + src.id() as u64 as f64 + dst.id() as u64 as f64);
}

#[test]
fn a_sum_that_each_rank_rounds_otherwise_is_the_same_on_all() -> Result<()> {
    let graph = Graph::reader("rmat:16,edge-factor=1,seed=5")
        .options(BuildOptions { page_size: Some(256), ..BuildOptions::default() })
        .read()
        .expect("a graph");
    let found = on_ranks(
        3,
        |rank| 1 + 2 * rank,
        Propagation::Auto,
        |_, engine| {
            let mut run = engine.start::<Sums>(&graph)?;
            let mut sums = Vec::new();
            for _ in 0..4 {
                run.apply(add_up)?;
                sums.push(run.global(Sums::TOTAL)?.to_bits());
                run.scan(add_up_edges)?;
                sums.push(run.global(Sums::TOTAL)?.to_bits());
            }
            Ok(sums)
        },
    )?;
    assert!(found.iter().all(|other| *other == found[0]), "{found:?}");
    Ok(())
}

#[test]
fn a_driver_that_goes_another_way_on_one_rank_ends_all() {
    let graph = graph();
    let found = alike(3, |rank, engine| {
        let mut run = engine.start::<Search>(&graph)?;
        if rank == 2 { run.scan(collect) } else { run.scan(push) }
    });
    let error = found.expect_err("they differ");
    assert!(matches!(error, Error::RanksDiffer { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("rank 2") && text.contains("kernel `collect`") && text.contains("kernel `push`"), "{text}");
}

#[test]
fn ranks_with_other_graphs_are_told() {
    let graphs = [graph(), Graph::from_edges([(1, 2)]).expect("an edge")];
    let error = alike(2, |rank, engine| engine.start::<Search>(&graphs[rank]).map(drop)).expect_err("they differ");
    assert!(matches!(error, Error::RanksDiffer { .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("a graph of 2 vertices and 1 edge,"), "{text}");
}

#[gts_kernel(scan)]
fn never_end(search: &mut Search, src: Vertex, dst: Vertex) {
    if src.id() as u64 > 100 {
        let mut turns = 0u64;
        while turns < 0xffff_ffff_ffff_ffff {
            turns += search.rank[src] % 2;
        }
        search.paths[dst] += turns;
    }
}

#[test]
fn rank_0_keeps_the_time_of_all() {
    let graph = graph();
    let limit = Duration::from_millis(300);
    let found = threads::ranks(3, |group| {
        let rank = group.rank();
        let device = DistributedDevice::new(Arc::new(CpuDevice::new(NonZeroUsize::new(1))?), Arc::new(group))?;
        // By this limit the other ranks would end at once, and without one they would never end.
        let limit = if rank == 0 { limit } else { Duration::ZERO };
        let engine = Engine::builder().custom_device(Arc::new(device)).time_limit(limit).build()?;
        engine.start::<Search>(&graph)?.scan(never_end)
    });
    assert!(matches!(found, Err(Error::TimeLimit { limit: kept, .. }) if kept == limit), "{found:?}");
}

#[test]
fn a_pass_that_ranks_share_counts_once_for_random_numbers() -> Result<()> {
    let graph = graph();
    let expected = drawn(&Engine::cpu()?, &graph)?;
    for found in alike(2, |_, engine| drawn(engine, &graph))? {
        assert_eq!(found, expected);
    }
    Ok(())
}
