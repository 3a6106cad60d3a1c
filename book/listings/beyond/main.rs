//! The listings of the book's part on graphs larger than memory, as one test program.

mod budgets;
mod ranks;
mod ways;
