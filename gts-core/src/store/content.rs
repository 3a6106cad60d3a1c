//! The content hash of a graph: the same for a graph in memory and for every store that contains this graph.
//!
//! The hash covers the checksums that a manifest lists for the pages, the degrees and the IDs. Graphs that differ in an
//! edge, a value, an ID, the vertex order or the page layout have different content hashes.

use super::files::{FileName, Number, little_endian};
use super::manifest::Manifest;
use crate::graph::{Graph, KeyForm, KeySource, Originals};
use crate::page::Topology;
use crate::parallel::*;
use gts_contract::{ScalarType, Side};
use xxhash_rust::xxh3::xxh3_64;

/// The inputs of the content hash.
struct Facts {
    vertices: u64,
    edges: u64,
    values: Option<ScalarType>,
    keys: KeyForm,
    first_id: Option<u64>,
    /// The checksums of the tables that contribute, in the order of the manifest.
    tables: Vec<(FileName, u64)>,
}

impl Facts {
    fn hash(&self) -> u64 {
        let Self { vertices, edges, values, keys, first_id, tables } = self;
        let tables: Vec<_> = tables.iter().map(|(name, checksum)| (name.text(), checksum)).collect();
        let values = values.map(ScalarType::name);
        let sides = if keys.has_sides { " sided" } else { "" };
        let keys = keys.kind;
        xxh3_64(format!("{vertices} {edges} {values:?} {keys}{sides} {first_id:?} {tables:?}").as_bytes())
    }
}

/// Returns the content hash of a store.
pub(super) fn of_manifest(manifest: &Manifest) -> u64 {
    // The other tables can be derived from these.
    let counts = |name| {
        use FileName::{Degrees, Ids, NamesIndex, Order, Sums};
        matches!(name, Sums(_) | Degrees(_) | Ids | NamesIndex | Order)
    };
    let Manifest { vertices, edges, keys, .. } = *manifest;
    let tables = manifest.files.iter().filter(|file| counts(file.name)).map(|file| (file.name, file.checksum));
    let values = manifest.properties.value_type;
    Facts { vertices, edges, values, keys: keys.form, first_id: keys.first, tables: tables.collect() }.hash()
}

/// Computes the content hash of a graph whose pages are in memory, on all threads.
pub(crate) fn of_graph(graph: &Graph) -> u64 {
    let parts = graph.parts();
    let mut tables = vec![(FileName::Sums(Side::Out), checksum(&sums(&parts.out)))];
    if let Some(incoming) = &parts.incoming {
        tables.push((FileName::Sums(Side::In), checksum(&sums(incoming))));
    }
    tables.push((FileName::Degrees(Side::Out), checksum(&parts.out_degrees)));
    if !parts.properties.symmetric {
        tables.push((FileName::Degrees(Side::In), checksum(&parts.in_degrees)));
    }
    let first_id = match parts.ids.originals() {
        Originals::Range { first, .. } => Some(*first),
        Originals::List(list) => {
            tables.push((FileName::Ids, checksum(list)));
            None
        }
    };
    if let KeySource::Names(names) = parts.ids.key_source() {
        tables.push((FileName::NamesIndex, checksum(names.index())));
    }
    if let Some(numbers) = parts.ids.permutation() {
        tables.push((FileName::Order, checksum(numbers)));
    }
    let (vertices, edges, values) = (graph.num_vertices(), graph.num_edges(), graph.value_type());
    Facts { vertices, edges, values, keys: parts.ids.key_source().form(), first_id, tables }.hash()
}

/// Returns the checksum of each page.
fn sums(topology: &Topology) -> Vec<u64> {
    // Pages outside memory belong to a store, and the store's manifest provides the content hash.
    let pages = topology.source().resident().unwrap_or_default();
    pages.par_chunks(topology.format().page_size() as usize).map(xxh3_64).collect()
}

fn checksum<T: Number>(table: &[T]) -> u64 {
    xxh3_64(bytemuck::cast_slice(&little_endian(table)))
}
