//! Tests of the import formats.

mod corpus;
mod dialects;
mod formats;
mod graphs;
mod parts;
mod properties;
mod sides;
