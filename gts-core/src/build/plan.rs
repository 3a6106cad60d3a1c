//! The plan of a build, which combines the declarations of the input with the options.

use super::edges::Rules;
use super::{BuildError, BuildOptions, Declared, Direction};
use crate::graph::{Kept, KeySource, Properties, VertexOrder};
use crate::page::{EDGE_VALUE_TYPES, FormatError, PageFormat};
use gts_contract::ScalarType;
use std::sync::Arc;

/// The declarations of the input, combined with the options.
#[derive(Clone, Copy)]
pub(super) struct Plan<'a> {
    pub(super) options: &'a BuildOptions,
    /// The order that the build has chosen, if the options leave the choice to the build.
    chosen: Option<VertexOrder>,
    pub(super) direction: Direction,
    bipartite_rows: Option<u64>,
    /// The types of values as read and as stored; `None` if values are not stored.
    values: Option<(ScalarType, ScalarType)>,
    /// The type that values would have if the options accepted it.
    found: Option<ScalarType>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(declared: &Declared, options: &'a BuildOptions) -> Result<Self, BuildError> {
        let found = options.value_type.or(declared.store_as).or(declared.value_type);
        let values = match (declared.value_type, options.value_type) {
            (None, Some(wanted)) => return Err(BuildError::NoValues(wanted)),
            (None, None) => None,
            (Some(read), _) => Some((read, options.stored_type(found.unwrap_or(read)))),
        };
        for scalar in values.into_iter().flat_map(|(read, stored)| [read, stored]) {
            if !EDGE_VALUE_TYPES.contains(&scalar) {
                return Err(FormatError::Value(scalar).into());
            }
        }
        Ok(Self { options, chosen: None, direction: declared.direction, bipartite_rows: declared.rows, values, found })
    }

    /// Adds the number of left vertices if keys have sides.
    pub(super) fn with_sides(self, keys: &KeySource) -> Self {
        Self { bipartite_rows: keys.left().or(self.bipartite_rows), ..self }
    }

    /// Returns a note if values are converted because the options do not accept their type.
    pub(super) fn conversion_note(&self) -> Option<String> {
        let (found, stored) = self.found.zip(self.value())?;
        (found != stored).then(|| {
            format!("the weights are {found}, which the algorithm does not take: they are imported as {stored}")
        })
    }

    /// Returns whether the type of stored values is known before the last edge is read.
    pub(super) fn knows_values(declared: &Declared, options: &BuildOptions) -> bool {
        declared.value_type.is_none() || options.value_type.is_some() || declared.store_as.is_some()
    }

    /// Returns the vertex order. This is the original order until the build chooses another one.
    pub(super) fn order(&self) -> VertexOrder {
        self.options.order.or_chosen(self.chosen.unwrap_or_default())
    }

    /// Sets the vertex order that the build has chosen.
    pub(super) fn choose(&mut self, order: VertexOrder) {
        self.chosen = Some(order);
    }

    /// Returns the type of stored values, if any.
    pub(super) fn value(&self) -> Option<ScalarType> {
        self.values.map(|(_, stored)| stored)
    }

    /// Returns the bytes per stored value.
    pub(super) fn value_bytes(&self) -> usize {
        self.value().map_or(0, |stored| stored.bytes(8))
    }

    /// Returns whether each edge is stored in both directions.
    pub(super) fn both_ways(&self) -> bool {
        self.options.adds_reverses(self.direction)
    }

    /// Returns whether the vertices are known as soon as edges have been counted. This requires that every vertex that
    /// occurs in an edge keeps an edge in the graph, and that the vertex order does not depend on the number of
    /// vertices.
    pub(super) fn finds_vertices_by_degree(&self) -> bool {
        !self.options.drop_self_loops && !matches!(self.order(), VertexOrder::Random { .. })
    }

    /// Returns whether only one of several edges between the same vertices is kept.
    pub(super) fn drop_duplicates(&self) -> bool {
        self.options.drop_duplicates || self.options.symmetrise || self.direction == Direction::Symmetrised
    }

    /// Returns the original ID of the root of the layers; `None` unless vertices are in layer order.
    pub(super) fn root(&self) -> Option<u64> {
        match self.order() {
            VertexOrder::Layers { root } => Some(root),
            _ => None,
        }
    }

    /// Returns the rules for storing each edge.
    pub(super) fn rules(&self) -> Rules {
        Rules { both_ways: self.both_ways(), drop_self_loops: self.options.drop_self_loops, values: self.values }
    }

    /// Returns the page format for vertices with the given degrees. `page_size` is used if it is given.
    pub(super) fn format(&self, degrees: &[u32], page_size: Option<u32>) -> Result<PageFormat, BuildError> {
        let page_size = page_size.or(self.options.page_size);
        super::paginate::choose_format(degrees, page_size, self.order(), self.options.width, self.value())
    }

    /// Returns the properties of the built graph.
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
