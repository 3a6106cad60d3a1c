//! Figures of the TOTEM paper (A. Gharaibeh, L. Beltrão Costa, E. Santos-Neto, M. Ripeanu: "A Yoke of Oxen and a
//! Thousand Chickens for Heavy Lifting Graph Processing", PACT 2012): the predictions of its model, and the cost of
//! sharing a graph between processors.

pub(super) mod boundary;
mod cut;
pub(super) mod model;
pub(super) mod placement;
pub(super) mod runs;
pub(super) mod shares;
pub(super) mod sparsity;
