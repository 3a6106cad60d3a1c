//! Ranks the ways to visit neighbours: the paper's models as published, and ours, which makes the choice.
//!
//! M. Verstraaten, A. L. Varbanescu, C. de Laat: "Quantifying the Performance Impact of Graph Structure on Neighbour
//! Iteration Strategies for PageRank", Euro-Par 2015 Workshops. [`printed`] has the equations of section 3.2. They
//! count only accesses, so that the result depends only on the numbers of vertices and edges. Ours ([`Pass`]) also
//! counts the effects of graph, kernel and technique, and runs choose by it.

mod choice;
mod equations;
pub mod printed;
mod rank;
mod strategies;

pub use choice::{Choice, choose, slowdown};
pub use equations::{Equation, equation};

pub use rank::kendall_tau;
pub(in crate::cost) use strategies::activation;
pub use strategies::{Pass, Terms, has_techniques};
