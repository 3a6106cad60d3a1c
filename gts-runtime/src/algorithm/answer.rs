//! The answers of algorithms: tables with typed columns.

use super::{Algorithm, Output, OutputShape, Scalar, Summary, Values, Verdict};
use crate::{Error, Result};
use gts_contract::ScalarType;
use gts_core::graph::Graph;

/// Name of the column of an edge list's values.
const WEIGHT: &str = "weight";

/// The kind of a table's rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKind {
    /// Each vertex of the graph has a row, in ascending order of the keys.
    Vertices,
    /// Each row is an edge.
    Edges,
    /// The rows are neither vertices nor edges.
    Rows,
    /// The table has one row, whose columns are the outputs with a single value.
    Single,
}

/// A table of an answer. The first columns are the keys of its rows: `vertex`, or `source` and `target`.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<'a> {
    /// The name of the output. Tables of vertices and of single values consist of several outputs, and have no name.
    pub name: &'a str,
    /// The kind of the rows.
    pub kind: TableKind,
    /// The number of rows.
    pub rows: usize,
    /// The columns, each with a cell per row.
    pub columns: Vec<Column<'a>>,
}

impl<'a> Table<'a> {
    /// Returns the column with this name.
    pub fn column(&self, name: &str) -> Option<Column<'a>> {
        self.columns.iter().find(|column| column.name == name).copied()
    }
}

/// A column of a table. It refers to the vectors of the answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Column<'a> {
    /// The heading.
    pub name: &'a str,
    /// The cells.
    pub cells: Cells<'a>,
    /// Whether a cell with the `UNREACHED` of its type has no value.
    pub has_nulls: bool,
    /// The summary that shows the values in a few lines, if the rows are vertices.
    pub summary: Option<Summary>,
}

/// The cells of a column.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cells<'a> {
    /// The vertices of the graph: row `r` is the vertex of rank `r`.
    Vertices,
    /// The first of two vertices, by original ID.
    Sources(&'a [(u64, u64)]),
    /// The second of two vertices, by original ID.
    Targets(&'a [(u64, u64)]),
    /// Values.
    Values(&'a Values),
}

impl Column<'_> {
    /// Returns the type of the cells.
    pub fn scalar_type(&self) -> ScalarType {
        match self.cells {
            Cells::Vertices | Cells::Sources(_) | Cells::Targets(_) => ScalarType::VertexId,
            Cells::Values(values) => values.scalar_type(),
        }
    }

    /// Returns whether the cell of a row has no value.
    ///
    /// # Panics
    ///
    /// Panics if the column consists of values and `row` is out of bounds.
    pub fn is_null(&self, row: usize) -> bool {
        self.has_nulls && matches!(self.cells, Cells::Values(values) if values.is_unreached(row))
    }
}

impl<'a> From<(&'a str, Cells<'a>)> for Column<'a> {
    fn from((name, cells): (&'a str, Cells<'a>)) -> Self {
        Self { name, cells, has_nulls: false, summary: None }
    }
}

/// The edges of an answer, which form a graph derived from the input graph.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    /// The name of the output.
    pub name: &'static str,
    /// The source and target of each edge, by original ID.
    pub ends: Vec<(u64, u64)>,
    /// One value per edge, if the edges have values.
    pub weights: Option<Values>,
}

/// The rows of an answer that are neither vertices nor edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows {
    /// The name of the output.
    pub name: &'static str,
    /// The heading and the values of each column. All columns have the same length.
    pub columns: Vec<(String, Values)>,
}

/// The answer of an algorithm's run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer(Vec<AnswerPart>);

/// One output of an answer.
#[derive(Clone, Debug, PartialEq)]
enum AnswerPart {
    Vertices {
        name: &'static str,
        values: Values,
        has_nulls: bool,
        summary: Option<Summary>,
    },
    Edges(Edges),
    Rows(Rows),
    /// The only element of `values`.
    Single {
        name: &'static str,
        values: Values,
    },
}

impl Answer {
    /// Creates an answer without outputs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an output with one value per vertex, in ascending order of the original IDs.
    pub fn vertices(mut self, name: &'static str, values: impl Into<Values>) -> Self {
        self.0.push(AnswerPart::Vertices { name, values: values.into(), has_nulls: false, summary: None });
        self
    }

    /// Adds an output with a single value.
    pub fn scalar(mut self, name: &'static str, value: Scalar) -> Self {
        self.0.push(AnswerPart::Single { name, values: value.into() });
        self
    }

    /// Adds a list of edges.
    pub fn edges(mut self, edges: Edges) -> Self {
        self.0.push(AnswerPart::Edges(edges));
        self
    }

    /// Adds a table whose rows are neither vertices nor edges.
    pub fn rows(mut self, rows: Rows) -> Self {
        self.0.push(AnswerPart::Rows(rows));
        self
    }

    /// Returns the tables. The first one is the main table: that of the vertices, otherwise another one with rows,
    /// otherwise that of the edges, otherwise that of the outputs with a single value.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::algorithm::{Answer, Cells, Scalar};
    ///
    /// let answer = Answer::new().scalar("depth", Scalar::Unsigned(1)).vertices("level", vec![0_u32, 1]);
    /// let tables = answer.tables();
    /// let names: Vec<_> = tables[0].columns.iter().map(|column| column.name).collect();
    /// assert_eq!((names, tables[0].rows), (vec!["vertex", "level"], 2));
    /// assert_eq!(tables[1].column("depth").map(|column| column.cells), Some(Cells::Values(&vec![1_u64].into())));
    /// ```
    pub fn tables(&self) -> Vec<Table<'_>> {
        let vertices = self.0.iter().filter_map(|part| match part {
            AnswerPart::Vertices { name, values, has_nulls, summary } => {
                Some(Column { name, cells: Cells::Values(values), has_nulls: *has_nulls, summary: *summary })
            }
            _ => None,
        });
        let vertices: Vec<_> = [("vertex", Cells::Vertices).into()].into_iter().chain(vertices).collect();
        let rows =
            vertices.last().map_or(0, |column| if let Cells::Values(values) = column.cells { values.len() } else { 0 });
        let vertices = Table { name: "", kind: TableKind::Vertices, rows, columns: vertices };
        let listed = self.0.iter().filter_map(|part| match part {
            AnswerPart::Rows(Rows { name, columns }) => Some(Table {
                name,
                kind: TableKind::Rows,
                rows: columns.first().map_or(0, |(_, values)| values.len()),
                columns: columns.iter().map(|(name, values)| (name.as_str(), Cells::Values(values)).into()).collect(),
            }),
            _ => None,
        });
        let edges = self.0.iter().filter_map(|part| match part {
            AnswerPart::Edges(Edges { name, ends, weights }) => {
                let weights = weights.as_ref().map(|weights| (WEIGHT, Cells::Values(weights)));
                let keys = [("source", Cells::Sources(ends)), ("target", Cells::Targets(ends))];
                let columns = keys.into_iter().chain(weights).map(Column::from).collect();
                Some(Table { name, kind: TableKind::Edges, rows: ends.len(), columns })
            }
            _ => None,
        });
        let single = self.0.iter().filter_map(|part| match part {
            AnswerPart::Single { name, values } => Some((*name, Cells::Values(values)).into()),
            _ => None,
        });
        let single: Vec<_> = single.collect();
        let single = Table { name: "", kind: TableKind::Single, rows: 1, columns: single };
        let all = [vertices].into_iter().filter(|table| table.columns.len() > 1).chain(listed).chain(edges);
        all.chain([single].into_iter().filter(|table| !table.columns.is_empty())).collect()
    }

    /// Returns the values of the per-vertex output with this name, if the answer has one.
    pub fn values(&self, name: &str) -> Option<&Values> {
        self.0.iter().find_map(|part| match part {
            AnswerPart::Vertices { name: known, values, .. } if *known == name => Some(values),
            _ => None,
        })
    }

    /// Returns the output with this name and a single value, if the answer has one.
    pub fn value(&self, name: &str) -> Option<Scalar> {
        self.scalars().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// Iterates over the outputs with a single value.
    pub fn scalars(&self) -> impl Iterator<Item = (&'static str, Scalar)> + '_ {
        self.0.iter().filter_map(|part| match part {
            AnswerPart::Single { name, values } => Some((*name, values.get(0))),
            _ => None,
        })
    }

    /// Compares an output with the expected values, one per vertex, in the order of
    /// [`Vertex::index`](gts_core::graph::Vertex::index). Real numbers must be equal, too.
    ///
    /// If the output consists of vertices, the expected values are their original IDs as `u64`, and `u64::MAX` stands for
    /// no vertex. If a value differs, the verdict names the first such vertex by its original ID.
    ///
    /// # Examples
    ///
    /// ```
    /// use gts_graph::algorithm::{Answer, Verdict};
    /// use gts_graph::prelude::*;
    ///
    /// let graph = Graph::from_edges([(5, 7)]).expect("valid edges");
    /// let answer = Answer::new().vertices("degree", vec![1_u32, 0]);
    /// let degrees: Vec<u32> = graph.out_degrees().to_vec();
    /// assert!(matches!(answer.compared(&graph, "degree", &degrees), Verdict::Agrees(_)));
    /// ```
    pub fn compared<T: Copy>(&self, graph: &Graph, output: &str, expected: &[T]) -> Verdict
    where
        Values: From<Vec<T>>,
    {
        let Some(found) = self.values(output) else {
            return Verdict::Differs(format!("the answer has no output `{output}`"));
        };
        let in_order = graph.ids().in_original_order().filter_map(|vertex| expected.get(vertex.index()).copied());
        let expected = Values::from(in_order.collect::<Vec<T>>());
        let are_vertices = matches!((found, &expected), (Values::Vertex(_), Values::U64(_)));
        if found.len() != expected.len() || (found.scalar_type() != expected.scalar_type() && !are_vertices) {
            return Verdict::Differs(format!("`{output}` has {}, and not {}", shape(found), shape(&expected)));
        }
        let differs = |&rank: &usize| found.get(rank) != expected.get(rank);
        let Some(rank) = (0..found.len()).find(differs) else {
            return Verdict::Agrees(format!("all {} values of `{output}` are those of a serial run", found.len()));
        };
        let id = graph.ids().original_of_rank(rank as u64).unwrap_or(u64::MAX);
        Verdict::Differs(format!("`{output}` of vertex {id} is {}, and not {}", found.get(rank), expected.get(rank)))
    }

    /// Compares the outputs with their declarations, which also determine the columns with nulls and the summaries.
    pub(super) fn declared(mut self, algorithm: &Algorithm, graph: &Graph) -> Result<Self> {
        for part in &mut self.0 {
            part.declare(algorithm.output(part.name()), graph.num_vertices() as usize).map_err(
                |(found, declared)| Error::Output { algorithm: algorithm.name, output: part.name(), found, declared },
            )?;
        }
        Ok(self)
    }
}

impl AnswerPart {
    fn name(&self) -> &'static str {
        match self {
            Self::Vertices { name, .. } | Self::Single { name, .. } => name,
            Self::Edges(edges) => edges.name,
            Self::Rows(rows) => rows.name,
        }
    }

    /// Applies the declaration. If the output differs from it, returns descriptions of both.
    fn declare(&mut self, output: Option<&Output>, vertices: usize) -> Result<(), (String, String)> {
        let declared = match output.map(|output| output.shape) {
            None => "nothing of that name".to_owned(),
            Some(OutputShape::Scalar) => "a single value".to_owned(),
            Some(OutputShape::Edges) => "edges".to_owned(),
            Some(OutputShape::Table) => "a table".to_owned(),
            Some(OutputShape::Vertices { types, .. }) => {
                let types: Vec<_> = types.iter().map(ScalarType::to_string).collect();
                format!("{vertices} values of type {}", types.join(" or "))
            }
        };
        let found = match (self, output.map(|output| output.shape)) {
            (
                Self::Vertices { values, has_nulls, summary, .. },
                Some(OutputShape::Vertices { types, unreached, summary: how }),
            ) if types.contains(&values.scalar_type()) && values.len() == vertices => {
                (*has_nulls, *summary) = (unreached.is_some(), Some(how));
                return Ok(());
            }
            (Self::Single { .. }, Some(OutputShape::Scalar)) => return Ok(()),
            (Self::Edges(edges), Some(OutputShape::Edges)) => match &edges.weights {
                Some(weights) if weights.len() != edges.ends.len() => {
                    format!("{} edges with {}", edges.ends.len(), shape(weights))
                }
                _ => return Ok(()),
            },
            (Self::Rows(rows), Some(OutputShape::Table)) => {
                let mut lengths: Vec<_> = rows.columns.iter().map(|(_, values)| values.len()).collect();
                lengths.dedup();
                if lengths.len() < 2 {
                    return Ok(());
                }
                format!("columns of {} and {} rows", lengths[0], lengths[1])
            }
            (Self::Vertices { values, .. }, _) => shape(values),
            (Self::Single { .. }, _) => "a single value".to_owned(),
            (Self::Edges(_), _) => "edges".to_owned(),
            (Self::Rows(_), _) => "a table".to_owned(),
        };
        Err((found, declared))
    }
}

/// Describes the number and the type of values.
fn shape(values: &Values) -> String {
    format!("{} values of type {}", values.len(), values.scalar_type())
}
