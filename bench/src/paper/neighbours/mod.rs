//! Figures of the paper on neighbour iteration (M. Verstraaten, A. L. Varbanescu, C. de Laat: "Quantifying the Performance
//! Impact of Graph Structure on Neighbour Iteration Strategies for PageRank", Euro-Par Workshops 2015): which strategy is the
//! fastest on which graph, what sorting by degree changes, and whether the strategy that is chosen is the best one.

mod cells;
pub(super) mod choice;
mod graphs;
pub(super) mod iteration;
mod models;
mod panels;
pub(super) mod sorted;

pub(super) use cells::Kept;
