//! Ranks the techniques for visiting neighbours: the paper's models as published, and this project's model, which
//! determines the choice.
//!
//! M. Verstraaten, A. L. Varbanescu, C. de Laat: "Quantifying the Performance Impact of Graph Structure on Neighbour
//! Iteration Strategies for PageRank", Euro-Par 2015 Workshops. [`printed`] contains the equations of section 3.2.
//! These equations only count accesses, so their results depend only on the numbers of vertices and edges. This
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
