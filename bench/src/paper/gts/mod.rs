//! Figures of the GTS paper about the framework: section 7.5 and appendix E.

pub(super) mod cache;
pub(super) mod density;
pub(super) mod growth;
pub(super) mod strategies;
pub(super) mod streams;
pub(super) mod timings;
