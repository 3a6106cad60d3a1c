//! Searches for a pattern: how often it occurs in a symmetric graph, and where, depth first and without lists of candidates.
//!
//! | module | what it has |
//! |---|---|
//! | here | [`Matching`]: what a device is asked, and [`Matched`]: what it has found |
//! | `lists` | [`WholeLists`]: all neighbours of each vertex, in the order by degree |
//! | `search` | the search of one thread |

mod lists;
mod search;

pub use lists::WholeLists;
pub(crate) use search::{Asked, Searched, search};

use gts_contract::{Direction, KernelDescriptor, KernelFacts, KernelKind, Schema, SourceLocation};
use gts_core::memory::{self, NoMemory};
use gts_core::pattern::PatternPlan;

/// A search for a pattern in a graph.
#[derive(Clone, Copy, Debug)]
pub struct Matching<'a> {
    /// How to go about it.
    pub plan: &'a PatternPlan,
    /// The label of each vertex as the plan counts them: 0 for all that the pattern has not. Empty where it has none.
    pub labels: &'a [u8],
    /// The most matches that are listed; none where they are counted alone.
    pub most_listed: Option<u64>,
}

/// What a search has found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// How often the pattern occurs.
    pub matches: u64,
    /// The vertices of each match by the levels of the plan, in any order of matches. Empty where they were counted alone, or
    /// where there are more than were to be listed.
    pub listed: Vec<u32>,
}

impl Matched {
    /// Creates room for the listing of `matches` matches, where it was asked for and there are no more than that.
    ///
    /// # Errors
    ///
    /// Too little memory.
    pub(crate) fn with_room(matches: u64, matching: &Matching<'_>) -> Result<Self, NoMemory> {
        let rows = matching.most_listed.filter(|&most| matches <= most).map_or(0, |_| matches);
        let entries = usize::try_from(rows).ok().and_then(|rows| rows.checked_mul(matching.plan.len()));
        Ok(Self { matches, listed: memory::zeroed("the listing of matches", entries.unwrap_or(usize::MAX))? })
    }
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
    cuda: concat!(
        include_str!("../../device/cuda/cuda_src/search_arguments.cuh"),
        include_str!("../../device/cuda/cuda_src/search.cuh")
    ),
    location: HERE,
};
