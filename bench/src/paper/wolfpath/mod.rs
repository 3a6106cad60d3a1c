//! Figures of the WolfPath paper (H. Zhu, L. He, S. Fu, R. Li, X. Han, Z. Fu, Y. Hu, C.-T. Li: "WolfPath: Accelerating
//! Iterative Traversing-Based Graph Processing Algorithms on GPU", International Journal of Parallel Programming 2019):
//! the cost of a check by the host after each step, and the correctness and speed of WolfPath's layered edge list.

pub(super) mod asking;
mod layered;
pub(super) mod layers;
mod lists;
pub(super) mod optimisations;
mod runs;
