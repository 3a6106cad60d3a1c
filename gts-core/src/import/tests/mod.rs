//! Tests of the import formats.

mod corpus;
mod dialects;
mod graphs;
mod parts;
mod properties;
