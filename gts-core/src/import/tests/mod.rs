//! Tests of the import formats.

mod corpus;
mod graphs;
mod parts;
mod properties;
