//! The listings of the second half of the language by example, and the solutions of its exercises.

mod edge_values;
mod lists;
mod near_far;
mod random;

#[path = "../../solutions"]
mod solutions {
    mod clustering;
    mod depots;
    mod random_formula;
    mod similarity;
    mod survivors;
    mod widest;
}
