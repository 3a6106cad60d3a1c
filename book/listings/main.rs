//! The listings of the book, as one test program. Each module is a whole program in the book.

mod edge_values;
mod lists;
mod near_far;
mod random;
