//! The examples of the language's rows. Written by `gts-bench reference`.

mod macros;
mod kinds_of_kernels;
mod settings_of_kernels;
mod kinds_of_fields;
mod settings_of_fields;
mod merges;
mod types;
mod literals_and_constants;
mod built_in_functions;
mod statements;
mod operators;
mod methods_of_numbers;
mod methods_of_vertices;
mod methods_of_edges;
mod atomic_updates;
mod reductions_of_neighbours;
mod random_numbers;
mod rules;
mod accesses_to_attributes;
mod classes_of_kernels;
mod guards;

use super::Example;
use gts_runtime::prelude::*;

#[gts_attributes]
pub struct Shared {
    /// Hops from a root.
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    /// A vertex one hop nearer to the root.
    #[wa(init = UNREACHED, merge = any)]
    pub parent: VertexId,
    /// A sum of counts.
    #[wa(init = 0, merge = sum)]
    pub count: u64,
    /// A small number, the same at every vertex at first.
    #[wa(init = 200, merge = max)]
    pub small: u8,
    /// A signed number.
    #[wa(init = -7, merge = min)]
    pub signed: i32,
    /// A set of bits.
    #[wa(init = 0, merge = or)]
    pub bits: u32,
    /// A condition.
    #[wa(init = true, merge = and)]
    pub holds: bool,
    /// Counts by class.
    #[wa(init = 0, merge = sum)]
    pub classes: [u32; 4],
    /// A rank, and the rank of the next iteration.
    #[ra(from = next)]
    pub rank: f32,
    #[wa(init = 0.0, merge = sum)]
    pub next: f32,
    /// A value per edge.
    #[edge(default = 1)]
    pub weight: u32,
    /// A value that the host sets.
    #[param(default = 0.85)]
    pub damping: f32,
    /// A value that the host reads.
    #[global(merge = sum)]
    pub total: u64,
}

/// Returns the examples of all rows.
pub(crate) fn all() -> Vec<Example> {
    [
        macros::all(),
        kinds_of_kernels::all(),
        settings_of_kernels::all(),
        kinds_of_fields::all(),
        settings_of_fields::all(),
        merges::all(),
        types::all(),
        literals_and_constants::all(),
        built_in_functions::all(),
        statements::all(),
        operators::all(),
        methods_of_numbers::all(),
        methods_of_vertices::all(),
        methods_of_edges::all(),
        atomic_updates::all(),
        reductions_of_neighbours::all(),
        random_numbers::all(),
        rules::all(),
        accesses_to_attributes::all(),
        classes_of_kernels::all(),
        guards::all(),
    ]
    .concat()
}
