//! What is to be done with the edges of an input: its own statements and the options together.

use super::edges::Rules;
use super::{BuildError, BuildOptions, Declared, Direction};
use crate::graph::{Kept, Properties, VertexOrder};
use crate::page::{DEFAULT_PAGE_SIZE, EDGE_VALUE_TYPES, FormatError, PageFormat};
use gts_contract::ScalarType;
use std::sync::Arc;

/// The page size that does not depend on the graph: the one asked for, and the default in order of degree, where vertices
/// of few edges share the last pages, most of which have none and are left out of passes.
pub(crate) fn fixed_page_size(options: &BuildOptions, order: VertexOrder) -> Option<u32> {
    options.page_size.or((order == VertexOrder::Degree).then_some(DEFAULT_PAGE_SIZE))
}

/// What is known of the input, and what is asked for.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) options: &'a BuildOptions,
    /// The order that was chosen, where the options leave that to the graph.
    chosen: Option<VertexOrder>,
    pub(super) direction: Direction,
    bipartite_rows: Option<u64>,
    /// Types of the values as read and as stored.
    values: Option<(ScalarType, ScalarType)>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(declared: &Declared, options: &'a BuildOptions) -> Result<Self, BuildError> {
        let values = match (declared.value_type, options.value_type) {
            (None, Some(wanted)) => return Err(BuildError::NoValues(wanted)),
            (None, None) => None,
            (Some(read), wanted) => Some((read, wanted.or(declared.store_as).unwrap_or(read))),
        };
        for scalar in values.into_iter().flat_map(|(read, stored)| [read, stored]) {
            if !EDGE_VALUE_TYPES.contains(&scalar) {
                return Err(FormatError::Value(scalar).into());
            }
        }
        Ok(Self { options, chosen: None, direction: declared.direction, bipartite_rows: declared.rows, values })
    }

    /// Whether the type of the stored values is known before the last edge.
    pub(super) fn knows_values(declared: &Declared, options: &BuildOptions) -> bool {
        declared.value_type.is_none() || options.value_type.is_some() || declared.store_as.is_some()
    }

    /// Returns the order of the vertices, which is the original one until the build chooses another.
    pub(super) fn order(&self) -> VertexOrder {
        self.options.order.or_chosen(self.chosen.unwrap_or_default())
    }

    /// Takes the order that the graph leads to.
    pub(super) fn choose(&mut self, order: VertexOrder) {
        self.chosen = Some(order);
    }

    /// Type of the stored values.
    pub(super) fn value(&self) -> Option<ScalarType> {
        self.values.map(|(_, stored)| stored)
    }

    /// Bytes of a stored value.
    pub(super) fn value_bytes(&self) -> usize {
        self.value().map_or(0, |stored| stored.bytes(8))
    }

    /// Whether each edge is stored both ways.
    pub(super) fn both_ways(&self) -> bool {
        self.direction.adds_reverses(self.options)
    }

    /// Whether vertices that edges name have an edge in the graph, and their order needs no number of them beforehand:
    /// then they are known as soon as edges have been counted.
    pub(super) fn finds_vertices_by_degree(&self) -> bool {
        !self.options.drop_self_loops && !matches!(self.order(), VertexOrder::Random { .. })
    }

    /// Whether one edge of several between the same vertices stays.
    pub(super) fn drop_duplicates(&self) -> bool {
        self.options.drop_duplicates || self.options.symmetrise || self.direction == Direction::Symmetrised
    }

    /// Returns the original ID of the vertex from which layers are counted, where they are the order of the vertices.
    pub(super) fn root(&self) -> Option<u64> {
        match self.order() {
            VertexOrder::Layers { root } => Some(root),
            _ => None,
        }
    }

    /// What is done with each edge.
    pub(super) fn rules(&self) -> Rules {
        Rules { both_ways: self.both_ways(), drop_self_loops: self.options.drop_self_loops, values: self.values }
    }

    /// The format of pages, of this size if it is given, for vertices of these degrees.
    pub(super) fn format(&self, degrees: &[u32], page_size: Option<u32>) -> Result<PageFormat, BuildError> {
        let page_size = page_size.or(fixed_page_size(self.options, self.order()));
        super::paginate::choose_format(degrees, page_size, self.options.width, self.value())
    }

    /// What is known of the graph once it is built.
    pub(super) fn properties(
        &self,
        symmetric: bool,
        num_self_loops: u64,
        layers: Arc<[u32]>,
        out_degrees: &[u32],
        in_degrees: &[u32],
    ) -> Properties {
        let kept = |dropped| if dropped { Kept::Dropped } else { Kept::Kept };
        let largest = |degrees: &[u32]| degrees.iter().copied().max().unwrap_or(0);
        Properties {
            order: self.order(),
            layers,
            symmetric,
            sorted: true,
            duplicates: kept(self.drop_duplicates()),
            self_loops: kept(self.options.drop_self_loops),
            num_self_loops,
            largest_out_degree: largest(out_degrees),
            largest_in_degree: largest(if symmetric { out_degrees } else { in_degrees }),
            value_type: self.value(),
            bipartite_rows: self.bipartite_rows,
        }
    }
}
