//! `gts info`: describes a graph.

use crate::error::Failure;
use crate::load::{self, Opening};
use crate::options::BuildArgs;
use crate::report::{Report, facts, paths_json};
use crate::units;
use gts_graph::algorithm::Needs;
use gts_graph::contract::Side;
use gts_graph::core::graph::Properties;
use gts_graph::core::page::Topology;
use gts_graph::core::read::GraphSource;
use gts_graph::core::store;
use gts_graph::prelude::Graph;
use serde_json::{Value, json};
use std::ffi::OsString;

/// What `gts info` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// A store, graph files, or a generator such as rmat:20
    #[arg(value_name = "GRAPH", required = true)]
    graph: Vec<OsString>,
    /// Import files again, and keep nothing
    #[arg(long)]
    no_cache: bool,
    #[command(flatten)]
    build: BuildArgs,
}

/// Room for pages: none of a large store's pages is required.
const ROOM: u64 = 64 << 20;

pub(crate) fn execute(arguments: &Arguments) -> Result<Report, Failure> {
    let store = match GraphSource::parse_all(&arguments.graph)? {
        GraphSource::Store(path) => Some(store::info(path)?),
        _ => None,
    };
    // Twice the tables, because the map of an order is kept in both directions.
    let host_memory = store.as_ref().map(|store| {
        let tables = store.files.iter().filter(|(name, _)| !name.ends_with(".pages") && *name != "names");
        tables.map(|(_, bytes)| 2 * bytes).sum::<u64>() + ROOM.max(2 * u64::from(store.page_size))
    });
    let opening = Opening { host_memory, ..Opening::default() };
    let loaded = load::load(&arguments.graph, &arguments.build, &Needs::default(), !arguments.no_cache, opening)?;
    let graph = &loaded.graph;
    let properties = graph.properties();
    let out = graph.out_topology();
    let values = graph.value_type().map_or("none".to_owned(), |scalar| scalar.to_string());
    let mut lines = vec![
        ("graph", units::graph_size(graph.num_vertices(), graph.num_edges(), graph.num_undirected_edges())),
        ("sinks", format!("{} without out-edges", units::counted(graph.num_sinks(), "vertex"))),
        ("keys", keys_text(graph)?),
        ("weights", values),
        ("largest degree", format!("{} out, {} in", properties.largest_out_degree, properties.largest_in_degree)),
        ("order", order_text(properties)),
        ("self-loops", format!("{}, {}", properties.self_loops, units::count(properties.num_self_loops))),
        ("duplicates", properties.duplicates.to_string()),
    ];
    if let Some(rows) = properties.bipartite_rows {
        let [first, second] = if graph.ids().has_sides() { ["left", "right"] } else { ["rows", "columns"] };
        lines.push(("bipartite", format!("{} {first}, {} {second}", rows, graph.num_vertices() - rows)));
    }
    lines.push(("out-edges", topology_text(out)));
    lines.push((
        "in-edges",
        match graph.topology(Side::In) {
            Some(_) if properties.symmetric => "the out-edges".to_owned(),
            Some(side) => topology_text(side),
            None => "not stored".to_owned(),
        },
    ));
    let stripes = store.map_or_else(Vec::new, |store| store.stripes);
    for stripe in &stripes {
        lines.push(("stripe", stripe.display().to_string()));
    }
    lines.push(("size", size(graph)));
    lines.extend(graph.notes().iter().map(|note| ("note", note.clone())));
    lines.push(("loaded in", units::time(loaded.time)));
    let mut json = graph_json(graph);
    json["stripes"] = paths_json(&stripes);
    Ok(Report::new(facts(&lines), json))
}

/// Returns the properties of a graph for programs.
pub(crate) fn graph_json(graph: &Graph) -> Value {
    let properties = graph.properties();
    json!({
        "vertices": graph.num_vertices(),
        "keys": graph.ids().kind().name(),
        "sides": graph.ids().has_sides(),
        "sinks": graph.num_sinks(),
        "edges": graph.num_edges(),
        "undirected_edges": graph.num_undirected_edges(),
        "content": format!("{:016x}", graph.content()),
        "notes": graph.notes(),
        "weights": graph.value_type().map(|scalar| scalar.name()),
        "largest_out_degree": properties.largest_out_degree,
        "largest_in_degree": properties.largest_in_degree,
        "symmetric": properties.symmetric,
        "order": properties.order.to_string(),
        "layers": properties.layers[..],
        "self_loops": properties.self_loops.to_string(),
        "num_self_loops": properties.num_self_loops,
        "duplicates": properties.duplicates.to_string(),
        "bipartite_rows": properties.bipartite_rows,
        "out": topology_json(graph.out_topology()),
        "in": graph.topology(Side::In).map(topology_json),
        "bytes": graph.bytes(),
    })
}

/// Describes the type of the keys, with the first and the last key.
fn keys_text(graph: &Graph) -> Result<String, Failure> {
    let (ids, last) = (graph.ids(), graph.num_vertices().saturating_sub(1));
    let kind = ids.kind().plural();
    let mut ends = ids.keys(0..1).chain(ids.keys(last..last + 1));
    Ok(match (ends.next().transpose()?, ends.next().transpose()?) {
        (Some(first), Some(last)) => format!("{kind}, {} to {}", first.shown(), last.shown()),
        _ => kind.to_owned(),
    })
}

fn topology_text(topology: &Topology) -> String {
    let format = topology.format();
    format!(
        "{} and {} of {}, record IDs of {},{} bytes",
        units::counted(topology.small_pages().len() as u64, "small page"),
        units::counted(topology.large_pages().len() as u64, "large page"),
        units::bytes(format.page_size().into()),
        format.width().page_bytes(),
        format.width().slot_bytes(),
    )
}

fn topology_json(topology: &Topology) -> Value {
    let format = topology.format();
    json!({
        "pages": topology.num_pages(),
        "small_pages": topology.small_pages().len(),
        "large_pages": topology.large_pages().len(),
        "page_size": format.page_size(),
        "ids": [format.width().page_bytes(), format.width().slot_bytes()],
        "bytes": topology.bytes(),
    })
}

fn size(graph: &Graph) -> String {
    let bytes = units::bytes(graph.bytes());
    match graph.num_edges() {
        0 => bytes,
        edges => format!("{bytes}, {:.2} bytes an edge", graph.bytes() as f64 / edges as f64),
    }
}

/// Describes the order of the vertices, and the number of layers.
fn order_text(properties: &Properties) -> String {
    let order = properties.order;
    match properties.layers.len() {
        0 => order.to_string(),
        starts => {
            let reached = properties.layers[starts - 1];
            let [layers, vertices] = [(starts as u64 - 1, "layer"), (reached.into(), "vertex")]
                .map(|(number, one)| units::counted(number, one));
            format!("{order}, {layers} of {vertices}")
        }
    }
}
