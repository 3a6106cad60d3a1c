//! The plan of a build: the declarations of the input combined with the options.

use super::edges::Rules;
use super::{BuildError, BuildOptions, Declared, Direction};
use crate::graph::{Kept, Properties, VertexOrder};
use crate::page::{DEFAULT_PAGE_SIZE, EDGE_VALUE_TYPES, FormatError, PageFormat};
use gts_contract::ScalarType;
use std::sync::Arc;

/// Returns the page size that does not depend on the graph: the given one, or the default in order of degree. In that
/// order, vertices with few edges share the last pages. Most of those pages have no edges, and passes skip them.
pub(crate) fn fixed_page_size(options: &BuildOptions, order: VertexOrder) -> Option<u32> {
    options.page_size.or((order == VertexOrder::Degree).then_some(DEFAULT_PAGE_SIZE))
}

/// The declarations of the input, and the options.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) options: &'a BuildOptions,
    /// The order chosen for the graph, if the options leave the choice to the build.
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

    /// Returns whether the type of the stored values is known before the last edge.
    pub(super) fn knows_values(declared: &Declared, options: &BuildOptions) -> bool {
        declared.value_type.is_none() || options.value_type.is_some() || declared.store_as.is_some()
    }

    /// Returns the order of the vertices: the original one until the build chooses another.
    pub(super) fn order(&self) -> VertexOrder {
        self.options.order.or_chosen(self.chosen.unwrap_or_default())
    }

    /// Sets the order chosen for the graph.
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

    /// Returns whether each edge is stored both ways.
    pub(super) fn both_ways(&self) -> bool {
        self.options.adds_reverses(self.direction)
    }

    /// Returns whether the vertices are known as soon as edges have been counted: every vertex that an edge names has
    /// an edge in the graph, and the order of the vertices does not require their number beforehand.
    pub(super) fn finds_vertices_by_degree(&self) -> bool {
        !self.options.drop_self_loops && !matches!(self.order(), VertexOrder::Random { .. })
    }

    /// Returns whether only one of several edges between the same vertices is kept.
    pub(super) fn drop_duplicates(&self) -> bool {
        self.options.drop_duplicates || self.options.symmetrise || self.direction == Direction::Symmetrised
    }

    /// Returns the original ID of the vertex from which layers are counted, if vertices are ordered by layers.
    pub(super) fn root(&self) -> Option<u64> {
        match self.order() {
            VertexOrder::Layers { root } => Some(root),
            _ => None,
        }
    }

    /// Returns the rules that apply to each edge.
    pub(super) fn rules(&self) -> Rules {
        Rules { both_ways: self.both_ways(), drop_self_loops: self.options.drop_self_loops, values: self.values }
    }

    /// Returns the format of pages for vertices of these degrees, of this page size if it is given.
    pub(super) fn format(&self, degrees: &[u32], page_size: Option<u32>) -> Result<PageFormat, BuildError> {
        let page_size = page_size.or(fixed_page_size(self.options, self.order()));
        super::paginate::choose_format(degrees, page_size, self.options.width, self.value())
    }

    /// Returns the properties of the graph that was built.
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
