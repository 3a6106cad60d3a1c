//! The listings of the book, as one test program. Each module is a whole program in the book.

mod budgets;
mod first_kernel;
mod gather;
