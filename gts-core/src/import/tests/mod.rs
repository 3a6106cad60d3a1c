//! Tests of the import formats.

mod corpus;
mod graphs;
mod properties;
