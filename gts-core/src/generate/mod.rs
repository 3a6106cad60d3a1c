//! Generates graphs from a short text such as `rmat:20`. The result is determined by a seed, and is the same on every
//! machine.
//!
//! Edge `i` depends only on the seed and on `i`, and is computed with integers. Therefore parts of a stream can be
//! generated in parallel, and the edges depend neither on the number of threads nor on floating-point rounding.
//!
//! | text | vertices | edges |
//! |---|---|---|
//! | `rmat:SCALE` | 2^SCALE | edge-factor x 2^SCALE arcs, Graph500's parameters, with loops and duplicates |
//! | `uniform:SCALE` | 2^SCALE | edge-factor x 2^SCALE arcs between ends drawn uniformly |
//! | `grid:ROWSxCOLUMNS` | ROWS x COLUMNS | undirected, each vertex joined with the next in its row and column |
//! | `torus:SIDExSIDE…` | the product of the sides | undirected, each vertex joined with the next along each side, the last with the first |
//! | `star:N` | N | undirected, vertex 0 joined with every other |
//! | `chain:N` | N | undirected, each vertex joined with the next |
//! | `complete:N` | N | undirected, each pair of vertices once |
//!
//! A torus has one or more sides, each of 2 or more vertices. `16^5` stands for five sides of 16. In a torus with `d`
//! sides, every vertex has degree `2 d`: along a side of two vertices, both directions lead to the same neighbour, and
//! both edges count. A build that drops duplicates keeps one of the two edges.
//!
//! Options follow, separated by commas: `edge-factor=16` (for `rmat` and `uniform`; this is the default), `seed=1` (the
//! default), and `weights=TYPE`. `TYPE` is one of `u32`, `i32`, `u64` (values from 1 to 255), `f32`, `f64` (above 0, up
//! to 1). A weight is a hash of the seed and the edge's two ends, so both directions of an edge and all its duplicates
//! have the same weight.

mod kronecker;
mod shape;
mod spec;
mod torus;
mod weights;

#[cfg(test)]
mod tests;

use crate::build::{Declared, DeclaredVertices, Direction, EdgeBatch, EdgeStream};
use crate::hash::Words;
use crate::parallel::*;
use crate::stream::ImportError;
use crate::threads;
use gts_contract::ScalarType;
use kronecker::Kronecker;
use std::fmt;
use torus::TorusSides;

pub(crate) use kronecker::QUADRANTS;
pub use spec::{GenerateError, NAMES};
pub(crate) use spec::{is_generator, known, parse};

/// The number of edges per batch.
const BATCH: usize = 1 << 20;
/// The number of edges per task: enough to amortise the cost of a task, and few enough to balance the load.
const PIECE: usize = 1 << 14;

/// A stream of a generated graph's edges.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    spec: Spec,
    kind: GenerationMethod,
    done: u64,
}

/// The parameters of a generated graph.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Spec {
    family: Family,
    seed: u64,
    weights: Option<ScalarType>,
}

/// The families of graphs, with their size parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    Rmat { scale: u32, edge_factor: u64 },
    Uniform { scale: u32, edge_factor: u64 },
    Grid { rows: u64, columns: u64 },
    Torus { sides: TorusSides },
    Star { vertices: u64 },
    Chain { vertices: u64 },
    Complete { vertices: u64 },
}

impl Family {
    pub(crate) fn vertices(&self) -> u64 {
        match *self {
            Self::Rmat { scale, .. } | Self::Uniform { scale, .. } => 1 << scale,
            Self::Grid { rows, columns } => rows * columns,
            Self::Torus { ref sides } => sides.vertices(),
            Self::Star { vertices } | Self::Chain { vertices } | Self::Complete { vertices } => vertices,
        }
    }

    pub(crate) fn edges(&self) -> u64 {
        match *self {
            Self::Rmat { scale, edge_factor } | Self::Uniform { scale, edge_factor } => edge_factor << scale,
            Self::Grid { rows, columns } => rows * (columns - 1) + (rows - 1) * columns,
            Self::Torus { ref sides } => sides.dimensions() * sides.vertices(),
            Self::Star { vertices } | Self::Chain { vertices } => vertices - 1,
            Self::Complete { vertices } => shape::pairs(vertices),
        }
    }
}

/// The method that generates the edges of a family.
#[derive(Clone, Debug)]
enum GenerationMethod {
    Rmat(Box<Kronecker>),
    Uniform { scale: u32 },
    Shape,
}

impl Generator {
    fn new(spec: Spec) -> Self {
        let kind = match spec.family {
            Family::Rmat { scale, .. } => GenerationMethod::Rmat(Box::new(Kronecker::new(scale))),
            Family::Uniform { scale, .. } => GenerationMethod::Uniform { scale },
            _ => GenerationMethod::Shape,
        };
        Self { spec, kind, done: 0 }
    }

    /// Returns the number of vertices.
    pub(crate) fn num_vertices(&self) -> u64 {
        self.spec.family.vertices()
    }

    /// Returns the number of edges in the stream. An undirected edge counts once.
    pub(crate) fn num_edges(&self) -> u64 {
        self.spec.family.edges()
    }

    /// Returns the family of the graph, with its size parameters.
    pub(crate) fn family(&self) -> &Family {
        &self.spec.family
    }

    /// Returns the type of the weights; `None` if edges have no weights.
    pub(crate) fn weights(&self) -> Option<ScalarType> {
        self.spec.weights
    }

    /// Writes the ends of edges `first` to `first + src.len() - 1`.
    fn ends(&self, first: u64, src: &mut [u64], dst: &mut [u64]) {
        let hash = Words::new(self.spec.seed);
        match (&self.kind, &self.spec.family) {
            (GenerationMethod::Rmat(kronecker), _) => kronecker.edges(hash, first, src, dst),
            (GenerationMethod::Uniform { scale }, _) => shape::uniform(hash, *scale, first, src, dst),
            (GenerationMethod::Shape, &Family::Grid { rows, columns }) => shape::grid(rows, columns, first, src, dst),
            (GenerationMethod::Shape, Family::Torus { sides }) => sides.edges(first, src, dst),
            (GenerationMethod::Shape, Family::Star { .. }) => shape::star(first, src, dst),
            (GenerationMethod::Shape, Family::Complete { vertices }) => shape::complete(*vertices, first, src, dst),
            (GenerationMethod::Shape, _) => shape::chain(first, src, dst),
        }
    }
}

impl EdgeStream for Generator {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        threads::prepare()?;
        let first = self.done;
        let count = (self.num_edges() - first).min(BATCH as u64) as usize;
        batch.src.resize(count, 0);
        batch.dst.resize(count, 0);
        let pieces = batch.src.par_chunks_mut(PIECE).zip(batch.dst.par_chunks_mut(PIECE)).enumerate();
        if let Some(ty) = self.spec.weights {
            batch.value.resize(count, 0);
            pieces.zip(batch.value.par_chunks_mut(PIECE)).for_each(|((i, (src, dst)), value)| {
                self.ends(first + (i * PIECE) as u64, src, dst);
                weights::of_edges(self.spec.seed, ty, src, dst, value);
            });
        } else {
            batch.value.clear();
            pieces.for_each(|(i, (src, dst))| self.ends(first + (i * PIECE) as u64, src, dst));
        }
        self.done += count as u64;
        Ok(count > 0)
    }

    fn declared(&self) -> Declared {
        let directed = matches!(self.spec.family, Family::Rmat { .. } | Family::Uniform { .. });
        Declared {
            vertices: DeclaredVertices::Range { first: 0, count: self.num_vertices() },
            direction: if directed { Direction::Directed } else { Direction::Undirected },
            value_type: self.spec.weights,
            store_as: self.spec.weights,
            edges: Some(self.num_edges()),
            ..Declared::default()
        }
    }

    fn progress(&self) -> (u64, Option<u64>) {
        (self.done, Some(self.num_edges()))
    }
}

impl fmt::Display for Generator {
    /// Writes the specification that [`parse`] reads, including all default options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.spec.family {
            Family::Rmat { scale, edge_factor } => write!(f, "rmat:{scale},edge-factor={edge_factor}"),
            Family::Uniform { scale, edge_factor } => write!(f, "uniform:{scale},edge-factor={edge_factor}"),
            Family::Grid { rows, columns } => write!(f, "grid:{rows}x{columns}"),
            Family::Torus { sides } => write!(f, "torus:{sides}"),
            Family::Star { vertices } => write!(f, "star:{vertices}"),
            Family::Chain { vertices } => write!(f, "chain:{vertices}"),
            Family::Complete { vertices } => write!(f, "complete:{vertices}"),
        }?;
        write!(f, ",seed={}", self.spec.seed)?;
        self.spec.weights.map_or(Ok(()), |ty| write!(f, ",weights={ty}"))
    }
}
