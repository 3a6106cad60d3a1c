//! Which way of going over neighbours is the fastest: the paper's models as they stand there, and ours, which chooses.
//!
//! M. Verstraaten, A. L. Varbanescu, C. de Laat: "Quantifying the Performance Impact of Graph Structure on Neighbour
//! Iteration Strategies for PageRank", Euro-Par 2015 Workshops. [`printed`] has the equations of section 3.2. They count
//! accesses alone, so that every graph of as many vertices and edges gets the same answer. Ours
//! ([`Pass`]) counts what the graph, the kernel and the technique make of them, and runs choose by it.

mod choice;
mod equations;
mod lists;
pub mod printed;
mod rank;
mod strategies;

pub use choice::{Choice, choose, slowdown};
pub use equations::{Equation, equation};
pub use lists::{ListClass, ListShape};
pub use rank::kendall_tau;
pub(in crate::cost) use strategies::activation;
pub use strategies::{Pass, Terms, has_techniques};
