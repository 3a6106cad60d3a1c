//! What a kernel may and may not say. `language` and `names` look at the syntax, before anything is handed over; the
//! others look at the IR.

pub(crate) mod access;
pub(crate) mod language;
pub(crate) mod names;
pub(crate) mod order;
pub(crate) mod unreached;
