//! Figures of the paper on neighbour iteration (M. Verstraaten, A. L. Varbanescu, C. de Laat: "Quantifying the
//! Performance Impact of Graph Structure on Neighbour Iteration Strategies for PageRank", Euro-Par Workshops 2015): the
//! fastest strategy on each graph, the effect of sorting by degree, and the quality of the chosen strategy.

mod cells;
pub(super) mod choice;
mod graphs;
pub(super) mod iteration;
mod models;
mod panels;
pub(super) mod sorted;

pub(super) use cells::Kept;
