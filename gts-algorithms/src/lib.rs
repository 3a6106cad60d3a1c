//! The algorithms that GTS ships, each in one small file and written with the public API alone.

/// Names this crate, so that a program which only asks the registry links the algorithms too.
pub const fn link() {}
