//! The listings of the second half of the language by example, and the solutions of its exercises.

mod edge_values;
mod lists;

#[path = "../../solutions"]
mod solutions {
    mod clustering;
    mod similarity;
}
