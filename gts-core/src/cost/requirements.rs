//! Checks whether the graph and the configuration meet an algorithm's requirements, apart from memory. Runs perform the
//! same checks.

use super::algorithm::{AlgorithmShape, KernelShape};
use super::holding::{ColumnKey, ColumnPlacement, TooLarge};
use super::memory::{RunConfiguration, Shortfall};
use super::nodes::Nodes;
use crate::advice::Advice;
use crate::graph::GraphShape;
use gts_contract::Side;

/// Fails if the graph lacks a property that the algorithm requires.
pub(super) fn check_graph(graph: &GraphShape, algorithm: &AlgorithmShape) -> Result<(), Shortfall> {
    let lacks = |who: &str, what: String, remedy: Advice| Err(Shortfall::Graph { who: who.to_owned(), what, remedy });
    for wanted in &algorithm.edge_values {
        let ty = wanted.ty;
        let has = match graph.value {
            Some(found) if found == ty => continue,
            None if wanted.optional => continue,
            Some(found) => format!("this graph has {found}"),
            None => "this graph has none".to_owned(),
        };
        return lacks(
            &wanted.attribute,
            format!("edge values of type {ty}, and {has}"),
            Advice::new(format!("build it with `--weights {ty}`"), format!("build it with values of type {ty}")),
        );
    }
    let name = &algorithm.name;
    if algorithm.symmetric && !graph.symmetric {
        return lacks(
            name,
            "an undirected graph, and this one has edges without their reverse".to_owned(),
            Advice::new("build it with --symmetrise", "build it with `symmetrise`"),
        );
    }
    if algorithm.sides().contains(&Side::In) && graph.topology(Side::In).is_none() {
        return lacks(
            name,
            "in-edges, which this graph was built without".to_owned(),
            Advice::new("build it with --in-edges or --symmetrise", "build it with `in_edges` or `symmetrise`"),
        );
    }
    Ok(())
}

/// Fails if the algorithm's attributes cannot be split, as Strategy-S requires.
pub(super) fn check_splittable(algorithm: &AlgorithmShape, needed: u64, available: u64) -> Result<(), Shortfall> {
    if algorithm.attributes.edge_wa > 0 {
        return Err(Shortfall::DeviceMemory {
            what: "attributes (values of edges are never cut into parts)".to_owned(),
            needed,
            available,
            remedy: Advice::new(
                "run it with --strategy p on a device with more memory, or on the CPU",
                "run it by `Strategy::Pages` on a device with more memory, or on the CPU",
            ),
        });
    }
    let limit = algorithm.kernels().find_map(|kernel| Some((kernel, kernel.not_splittable?)));
    match limit {
        None => Ok(()),
        Some((kernel, why)) if needed > available => Err(Shortfall::DeviceMemory {
            what: format!("attributes, which {} does not allow to split ({why})", kernel.name),
            needed,
            available,
            remedy: "run it on a device with more memory, or on the CPU".into(),
        }),
        Some((kernel, why)) => Err(Shortfall::Kernel {
            kernel: kernel.name.clone(),
            limit: "cannot run by Strategy-S",
            why,
            remedy: Advice::new("run it with --strategy p", "run it by `Strategy::Pages`"),
        }),
    }
}

/// Fails if there is no room on the device for a column that must stay there.
pub(super) fn check_stays(
    algorithm: &AlgorithmShape,
    placed: Result<ColumnPlacement, TooLarge>,
    available: u64,
    nodes: &Nodes,
) -> Result<ColumnPlacement, Shortfall> {
    placed.map_err(|large| {
        let reads = |kernel: &&KernelShape| kernel.reads.iter().any(|read| Some(read.key) == large.column && read.far);
        let kernel = algorithm.kernels().find(reads).map_or("a kernel", |kernel| &kernel.name);
        let at = large.location.map_or(String::new(), |location| format!(" at {location}"));
        let what = match large.column {
            Some(ColumnKey::Attribute(_)) => "an `ra`",
            _ => "degrees",
        };
        Shortfall::DeviceMemory {
            what: format!("attributes, and {what} that {kernel}{at} reads at vertices anywhere"),
            needed: large.needed(),
            available,
            remedy: match nodes.are_several() || algorithm.kernels().any(|kernel| kernel.not_splittable.is_some()) {
                true => Advice::new(
                    "give more --device-memory, or run with --device cpu",
                    "allow more `device_memory`, or run on the CPU",
                ),
                false => Advice::new(
                    "give more --device-memory, or try --strategy s",
                    "allow more `device_memory`, or try `Strategy::Split`",
                ),
            },
        }
    })
}

/// Returns the sides that a traversal's pulling steps may walk to search for active neighbours. The result is empty if
/// no kernel pulls.
pub(super) fn pulled_sides(
    graph: &GraphShape,
    algorithm: &AlgorithmShape,
    configuration: &RunConfiguration,
) -> Vec<Side> {
    let pulls = |kernel: &&KernelShape| kernel.leaves_early && can_pull(graph, kernel);
    let pulling = || algorithm.kernels().filter(|_| configuration.pull_share.is_some()).filter(pulls);
    let walked = |side: &Side| pulling().any(|kernel| kernel.sides.contains(&side.opposite()));
    [Side::Out, Side::In].into_iter().filter(walked).collect()
}

/// Returns whether the graph has all topologies that a kernel would walk to pull.
pub(super) fn can_pull(graph: &GraphShape, kernel: &KernelShape) -> bool {
    kernel.sides.iter().all(|side| graph.topology(side.opposite()).is_some())
}
