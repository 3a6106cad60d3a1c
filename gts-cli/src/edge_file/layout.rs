//! The text of files of edges.

use super::contents::{GraphContents, Vertices};
use crate::blocks::RowFile;
use crate::cell::{Cell, put};
use crate::output::{Kind, RecordFormat, put_json};
use gts_graph::algorithm::Scalar;
use gts_graph::contract::ScalarType;
use gts_graph::core::build::EdgeBatch;
use gts_graph::core::graph::KeyKind;
use std::io::{self, Write};
use std::path::Path;

/// Vertices without edges, as named in messages.
pub(super) const ISOLATED: &str = "vertices without edges";
/// The rows of a rectangular matrix, as named in messages.
pub(super) const ROWS: &str = "the rows and columns of a matrix";
/// The sides of vertices, as named in messages.
pub(super) const SIDES: &str = "the sides of the vertices";
/// IDs that are not the numbers of a matrix, as named in messages.
pub(super) const NUMBERS: &str = "IDs other than 1, 2, 3 and so on";

/// Keys that are no numbers, as named in messages.
pub(super) const NAMES: &str = "keys that are no numbers from 0";

/// The columns of ends.
const HEADS: [&str; 4] = ["source", "source_side", "target", "target_side"];

/// The layout of a file of edges.
pub(super) struct Layout<'a> {
    kind: Kind,
    vertices: Vertices<'a>,
    keys: KeyKind,
    value_type: Option<ScalarType>,
    /// Whether the sides of ends are written.
    has_sides: bool,
    /// Subtracted from targets, which are columns of a matrix.
    first_column: u64,
    /// Whether the row of an undirected edge begins with the larger end.
    larger_first: bool,
}

impl<'a> Layout<'a> {
    pub(super) fn new(kind: Kind, contents: &GraphContents<'a>) -> Self {
        let is_matrix = kind == Kind::MatrixMarket;
        Self {
            kind,
            vertices: contents.vertices.clone(),
            keys: contents.keys,
            value_type: contents.value_type,
            has_sides: contents.vertices.has_sides() && !is_matrix,
            // The keys of a graph with sides are numbers of columns already.
            first_column: contents.matrix_rows.filter(|_| is_matrix && !contents.vertices.has_sides()).unwrap_or(0),
            larger_first: is_matrix && contents.is_undirected && contents.matrix_rows.is_none(),
        }
    }

    /// Returns descriptions of what the file cannot hold.
    pub(super) fn lost(&self, contents: &GraphContents<'_>) -> impl Iterator<Item = &'static str> {
        let is_matrix = self.kind == Kind::MatrixMarket;
        let is_list = !is_matrix && self.kind != Kind::Graphalytics;
        let has_sides = contents.vertices.has_sides();
        let has_keys = matches!(self.kind, Kind::Csv | Kind::Tsv | Kind::JsonLines | Kind::Parquet | Kind::Arrow);
        [
            (!has_keys && contents.keys != KeyKind::Number, NAMES),
            (is_list && contents.has_isolated, ISOLATED),
            (!is_matrix && contents.matrix_rows.is_some() && !has_sides, ROWS),
            (!is_matrix && !has_keys && has_sides, SIDES),
            (is_matrix && !is_numbered(contents), NUMBERS),
        ]
        .into_iter()
        .filter_map(|(is_lost, what)| is_lost.then_some(what))
    }

    /// Returns the text before the rows. Returns `None` if the text requires numbers that are unknown.
    pub(super) fn head(&self, contents: &GraphContents<'_>) -> Option<Vec<u8>> {
        Some(match self.kind {
            Kind::Csv => format!("{}\n", self.columns().join(",")).into_bytes(),
            Kind::Tsv => format!("{}\n", self.columns().join("\t")).into_bytes(),
            Kind::MatrixMarket => {
                let field = match self.value_type {
                    None => "pattern",
                    Some(ScalarType::F32 | ScalarType::F64) => "real",
                    Some(_) => "integer",
                };
                let symmetry = if self.larger_first { "symmetric" } else { "general" };
                let (vertices, edges) = contents.vertices.len().zip(contents.edges)?;
                let rows = contents.matrix_rows.unwrap_or(vertices);
                let columns = vertices - contents.matrix_rows.unwrap_or(0);
                format!("%%MatrixMarket matrix coordinate {field} {symmetry}\n{rows} {columns} {edges}\n").into_bytes()
            }
            Kind::Graphalytics => contents.vertices.len().map(|_| Vec::new())?,
            _ => Vec::new(),
        })
    }

    /// Returns the names of the columns.
    fn columns(&self) -> Vec<&'static str> {
        let ends = HEADS.into_iter().filter(|head| self.has_sides || !head.ends_with("_side"));
        ends.chain(self.value_type.map(|_| "weight")).collect()
    }

    /// Writes a row per edge.
    pub(super) fn rows(&self, file: &mut RowFile<'_>, edges: &EdgeBatch) -> io::Result<()> {
        let delimiter = match self.kind {
            Kind::Csv => b',',
            Kind::Tsv => b'\t',
            Kind::JsonLines => return self.objects(file, edges),
            _ => b' ',
        };
        let records = RecordFormat::new(delimiter);
        file.rows(edges.src.len(), |rows, block| {
            for row in rows {
                let (ends, value) = self.row(edges, row)?;
                for (place, cell) in ends.iter().flatten().enumerate() {
                    records.separate(place, block);
                    records.put(cell, block)?;
                }
                if let Some(value) = value {
                    records.separate(1, block);
                    put(value, block)?;
                }
                block.push(b'\n');
            }
            Ok(())
        })
    }

    fn objects(&self, file: &mut RowFile<'_>, edges: &EdgeBatch) -> io::Result<()> {
        file.rows(edges.src.len(), |rows, block| {
            for row in rows {
                let (ends, value) = self.row(edges, row)?;
                for (place, (head, cell)) in
                    HEADS.iter().zip(&ends).filter_map(|(head, cell)| Some((head, cell.as_ref()?))).enumerate()
                {
                    write!(block, "{}\"{head}\":", if place == 0 { '{' } else { ',' })?;
                    put_json(cell, block)?;
                }
                if let Some(value) = value {
                    block.extend_from_slice(b",\"weight\":");
                    put(value, block)?;
                }
                block.extend_from_slice(b"}\n");
            }
            Ok(())
        })
    }

    /// Returns the keys and the sides of the ends, and the value of an edge as they are written.
    fn row<'b>(&self, edges: &'b EdgeBatch, row: usize) -> io::Result<([Option<Cell<'b>>; 4], Option<Scalar>)> {
        let (src, dst) = (edges.src[row], edges.dst[row]);
        let (src, dst) = if self.larger_first { (src.max(dst), src.min(dst)) } else { (src, dst) };
        let key = |end| self.vertices.cell(self.keys, edges, end).map(Some).map_err(io::Error::other);
        let side = |end| self.vertices.side(end).filter(|_| self.has_sides).map(|side| Cell::Text(side.into()));
        let ends = [key(src)?, side(src), key(dst - self.first_column)?, side(dst)];
        Ok((ends, self.value_type.map(|ty| scalar(edges.value[row], ty))))
    }
}

/// Returns whether the IDs are those of a matrix.
fn is_numbered(contents: &GraphContents<'_>) -> bool {
    let Some(count) = contents.vertices.len() else { return true };
    count == 0 || (contents.vertices.original(0) == Some(1) && contents.vertices.original(count - 1) == Some(count))
}

/// Returns the value of an edge from its bits.
fn scalar(bits: u64, ty: ScalarType) -> Scalar {
    match ty {
        ScalarType::F32 => Scalar::Single(f32::from_bits(bits as u32)),
        ScalarType::F64 => Scalar::Real(f64::from_bits(bits)),
        ScalarType::I32 => Scalar::Signed((bits as u32 as i32).into()),
        _ => Scalar::Unsigned(bits),
    }
}

/// Writes the vertices of a Graphalytics graph.
pub(super) fn vertices(writer: &mut dyn Write, contents: &GraphContents<'_>) -> io::Result<()> {
    let count = contents.vertices.len().unwrap_or(0) as usize;
    RowFile { writer, packing: None }.rows(count, |rows, block| {
        for row in rows {
            if let Some(id) = contents.vertices.original(row as u64) {
                put(Scalar::Unsigned(id), block)?;
                block.push(b'\n');
            }
        }
        Ok(())
    })
}

/// Writes the properties of a Graphalytics graph.
pub(super) fn properties(writer: &mut dyn Write, path: &Path, contents: &GraphContents<'_>) -> io::Result<()> {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    writeln!(writer, "graph.{name}.vertex-file = {name}.v")?;
    writeln!(writer, "graph.{name}.edge-file = {name}.e")?;
    writeln!(writer, "graph.{name}.directed = {}", !contents.is_undirected)?;
    for (what, number) in [("vertices", contents.vertices.len()), ("edges", contents.edges)] {
        if let Some(number) = number {
            writeln!(writer, "graph.{name}.meta.{what} = {number}")?;
        }
    }
    if let Some(value_type) = contents.value_type {
        let kind = if value_type.is_float() { "real" } else { "int" };
        writeln!(writer, "graph.{name}.edge-properties.names = weight")?;
        writeln!(writer, "graph.{name}.edge-properties.types = {kind}")?;
    }
    Ok(())
}
