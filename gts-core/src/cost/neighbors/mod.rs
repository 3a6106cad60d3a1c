//! Ranks the techniques for visiting neighbours, with a paper's models as published and with this project's model. This
//! project's model determines the choice.
//!
//! M. Verstraaten, A. L. Varbanescu, C. de Laat: "Quantifying the Performance Impact of Graph Structure on Neighbour
//! Iteration Strategies for PageRank", Euro-Par 2015 Workshops. [`printed`] contains the equations of section 3.2.
//! These equations count nothing but accesses, so their results depend only on the numbers of vertices and edges. This
//! project's model ([`PassShape`]) also accounts for the graph, the kernel and the technique.

mod choice;
mod equations;
pub mod printed;
mod rank;
mod strategies;

pub use choice::{Choice, choose, slowdown};
pub use equations::{Equation, equation};

pub use rank::kendall_tau;
pub(in crate::cost) use strategies::activation;
pub use strategies::{PassShape, Terms, has_techniques};
