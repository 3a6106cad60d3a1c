//! The examples of the language's rows. Written by `gts-bench reference`.

mod item;
mod kind_of_kernel;
mod setting_of_a_kernel;
mod kind_of_field;
mod setting_of_a_field;
mod merge;
mod type;
mod value;
mod built_in_function;
mod statement;
mod operator;
mod method_of_numbers;
mod method_of_vertices;
mod method_of_edges;
mod atomic_update;
mod reduction;
mod random_number;
mod rule;
mod access_rule;
mod class_of_kernels;
mod guard;

use super::rows::Example;
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
        item::all(),
        kind_of_kernel::all(),
        setting_of_a_kernel::all(),
        kind_of_field::all(),
        setting_of_a_field::all(),
        merge::all(),
        type::all(),
        value::all(),
        built_in_function::all(),
        statement::all(),
        operator::all(),
        method_of_numbers::all(),
        method_of_vertices::all(),
        method_of_edges::all(),
        atomic_update::all(),
        reduction::all(),
        random_number::all(),
        rule::all(),
        access_rule::all(),
        class_of_kernels::all(),
        guard::all(),
    ]
    .concat()
}
