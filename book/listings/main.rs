//! The listings of the book, as one test program. Each module is a whole program in the book.

mod budgets;
mod edge_values;
mod gather;
mod lists;
mod near_far;
mod random;
