//! Tests of the algorithms, in one program because each program links all kernels.

mod across_crates;
mod afforest;
mod common;
mod outlines;
mod random_walks;
mod refusals;
mod registered_refusals;
mod sssp_near_far;
