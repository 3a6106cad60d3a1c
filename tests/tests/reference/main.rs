//! The language reference: every example compiles and runs.

#[rustfmt::skip]
#[allow(clippy::all, unused, reason = "examples are short, and generated")]
mod examples;
mod rows;
