//! Searches for a pattern: how often it occurs in a symmetric graph, depth first and without lists of candidates.
//!
//! | module | what it has |
//! |---|---|
//! | here | [`Matching`]: what a device is asked |
//! | `lists` | [`WholeLists`]: all neighbours of each vertex, in the order by degree |
//! | `search` | the search of one thread |

mod lists;
mod search;

pub use lists::WholeLists;
pub(crate) use search::{Searched, search};

use gts_core::contract::{Direction, KernelDescriptor, KernelFacts, KernelKind, Schema, SourceLocation};
use gts_core::pattern::PatternPlan;

/// A search for a pattern in a graph.
#[derive(Clone, Copy, Debug)]
pub struct Matching<'a> {
    /// How to go about it.
    pub plan: &'a PatternPlan,
    /// The label of each vertex as the plan counts them: 0 for all that the pattern has not. Empty where it has none.
    pub labels: &'a [u8],
}

const HERE: SourceLocation = SourceLocation { file: file!(), line: line!(), column: 1 };

/// What records, limits and errors call a search.
pub(crate) static SEARCH: KernelDescriptor = KernelDescriptor {
    name: "matches",
    schema: &Schema { name: "Matching", parameter: None, attributes: &[], location: HERE },
    kind: KernelKind::Intersect,
    direction: Direction::Out,
    technique: None,
    ordered: false,
    facts: KernelFacts::OF_NOTHING,
    error_sites: &[],
    cuda: include_str!("../../device/cuda/cuda_src/search.cuh"),
    location: HERE,
};
