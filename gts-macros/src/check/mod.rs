//! Checks of kernels. `language` and `names` check the syntax before anything is handed over; the others check the IR.

pub(crate) mod access;
pub(crate) mod language;
pub(crate) mod names;
pub(crate) mod order;
pub(crate) mod unreached;
