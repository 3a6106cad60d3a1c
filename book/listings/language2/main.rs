//! The listings of the second half of the language by example, and the solutions of its exercises.

mod edge_values;
mod helpers;
mod lists;
mod near_far;
mod nibble;
mod overflow;
mod proofs;
mod random;

#[path = "../../solutions/checksum.rs"]
mod checksum;
#[path = "../../solutions/clustering.rs"]
mod clustering;
#[path = "../../solutions/counted_paths.rs"]
mod counted_paths;
#[path = "../../solutions/depots.rs"]
mod depots;
#[path = "../../solutions/digits.rs"]
mod digits;
#[path = "../../solutions/heaviest.rs"]
mod heaviest;
#[path = "../../solutions/mean_level.rs"]
mod mean_level;
#[path = "../../solutions/monotone_levels.rs"]
mod monotone_levels;
#[path = "../../solutions/random_formula.rs"]
mod random_formula;
#[path = "../../solutions/similarity.rs"]
mod similarity;
#[path = "../../solutions/survivors.rs"]
mod survivors;
#[path = "../../solutions/sweep.rs"]
mod sweep;
#[path = "../../solutions/two_sources.rs"]
mod two_sources;
#[path = "../../solutions/widest.rs"]
mod widest;
