//! The listings of the second half of the language by example, and the solutions of its exercises.

mod edge_values;
mod helpers;
mod lists;
mod near_far;
mod nibble;
mod overflow;
mod proofs;
mod random;

#[path = "../../solutions"]
mod solutions {
    mod checksum;
    mod clustering;
    mod counted_paths;
    mod depots;
    mod digits;
    mod heaviest;
    mod mean_level;
    mod monotone_levels;
    mod random_formula;
    mod similarity;
    mod survivors;
    mod sweep;
    mod two_sources;
    mod widest;
}
