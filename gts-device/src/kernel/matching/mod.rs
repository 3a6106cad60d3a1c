//! Pattern matching in a symmetric graph: counts and lists occurrences by a depth-first search without candidate lists.
//!
//! | module | content |
//! |---|---|
//! | this one | [`Matching`]: the request to a device, and [`Matched`]: the result |
//! | `lists` | [`WholeLists`]: the complete list of each vertex, in degree order |
//! | `search` | the search that each thread runs |

mod lists;
mod search;

pub use lists::WholeLists;
pub use search::{Asked, Searched, search};

use gts_contract::{Direction, KernelDescriptor, KernelFacts, KernelKind, Schema, SourceLocation};
use gts_core::memory::{self, NoMemory};
use gts_core::pattern::PatternPlan;

/// The parameters of a pattern search.
#[derive(Clone, Copy, Debug)]
pub struct Matching<'a> {
    /// The plan of the search.
    pub plan: &'a PatternPlan,
    /// The label of each vertex, numbered as in the plan. Label 0 represents all labels that are not in the pattern.
    /// Empty if the pattern has no labels.
    pub labels: &'a [u8],
    /// Maximum number of matches to list. `None` requests only the count.
    pub most_listed: Option<u64>,
}

/// The result of a pattern search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matched {
    /// Number of occurrences of the pattern.
    pub matches: u64,
    /// The vertices of each match, in the order of the plan's levels. The order of the matches is unspecified. Empty if
    /// only the count was requested, or if there are more than `most_listed` matches.
    pub listed: Vec<u32>,
}

impl Matched {
    /// Creates a result with zeroed rows for `matches` matches. There are no rows if only the count was requested, or
    /// if `matches` exceeds `most_listed`.
    ///
    /// # Errors
    ///
    /// Memory is too small.
    pub fn with_room(matches: u64, matching: &Matching<'_>) -> Result<Self, NoMemory> {
        let rows = matching.most_listed.filter(|&most| matches <= most).map_or(0, |_| matches);
        let entries = usize::try_from(rows).ok().and_then(|rows| rows.checked_mul(matching.plan.len()));
        Ok(Self { matches, listed: memory::zeroed("the listing of matches", entries.unwrap_or(usize::MAX))? })
    }
}

const HERE: SourceLocation = SourceLocation { file: file!(), line: line!(), column: 1 };

/// The descriptor that stands for a pattern search in traces, limits and errors.
pub static SEARCH: KernelDescriptor = KernelDescriptor {
    name: "matches",
    function: "matches",
    schema: &Schema { name: "Matching", parameter: None, attributes: &[], location: HERE },
    kind: KernelKind::Intersect,
    direction: Direction::Out,
    technique: None,
    ordered: false,
    facts: KernelFacts::OF_NOTHING,
    error_sites: &[],
    cuda: concat!(include_str!("search_arguments.cuh"), include_str!("search.cuh")),
    location: HERE,
};
