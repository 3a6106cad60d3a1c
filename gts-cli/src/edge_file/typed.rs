//! Edges as Parquet and Arrow files.

use super::contents::{GraphContents, Vertices};
use gts_graph::contract::ScalarType;
use gts_graph::core::build::EdgeBatch;
use gts_graph::core::import::Format;
use gts_tables::{CellType, CellValues, ColumnData, TableWriter, key_cells, key_type};
use std::borrow::Cow;
use std::io::{self, Write};

/// Writes a row per edge. `next` replaces the contents of a batch, and returns `false` at the end.
pub(super) fn write(
    writer: &mut dyn Write,
    format: Format,
    contents: &GraphContents<'_>,
    next: &mut dyn FnMut(&mut EdgeBatch) -> io::Result<bool>,
) -> io::Result<()> {
    let key = key_type(contents.keys);
    let weight = contents.value_type.map(|value_type| ("weight", weight_type(value_type), false));
    let sides = |name| contents.vertices.has_sides().then_some((name, CellType::Text, false));
    let ends = [Some(("source", key, false)), sides("source_side"), Some(("target", key, false)), sides("target_side")];
    let columns = ends.into_iter().flatten().chain(weight);
    let mut table = TableWriter::new(writer, format, columns)?;
    let mut batch = EdgeBatch::default();
    while next(&mut batch)? {
        let mut columns = Vec::new();
        for ends in [&batch.src, &batch.dst] {
            let values = match &contents.vertices {
                Vertices::Graph(ids) => key_cells(contents.keys, ends.iter().map(|end| ids.key_of(*end))),
                Vertices::Declared(_) => {
                    key_cells(contents.keys, ends.iter().map(|end| Ok(batch.key(contents.keys, *end))))
                }
            };
            columns.push(ColumnData { values: values?, nulls: None });
            if contents.vertices.has_sides() {
                let side = |end: &u64| contents.vertices.side(*end).unwrap_or_default().into();
                let sides = CellValues::Text(ends.iter().map(side).collect());
                columns.push(ColumnData { values: sides, nulls: None });
            }
        }
        if let Some(value_type) = contents.value_type {
            columns.push(ColumnData { values: weights(&batch.value, value_type), nulls: None });
        }
        table.rows(columns)?;
    }
    table.finish()
}

fn weight_type(value_type: ScalarType) -> CellType {
    match value_type {
        ScalarType::F32 => CellType::F32,
        ScalarType::F64 => CellType::F64,
        ScalarType::I32 => CellType::I32,
        ScalarType::U64 => CellType::U64,
        _ => CellType::U32,
    }
}

/// Returns weights from their bits.
fn weights(bits: &[u64], value_type: ScalarType) -> CellValues<'_> {
    fn listed<T: Clone>(bits: &[u64], weight: impl Fn(u64) -> T) -> Cow<'static, [T]> {
        bits.iter().map(|bits| weight(*bits)).collect()
    }
    match value_type {
        ScalarType::F32 => CellValues::F32(listed(bits, |bits| f32::from_bits(bits as u32))),
        ScalarType::F64 => CellValues::F64(listed(bits, f64::from_bits)),
        ScalarType::I32 => CellValues::I32(listed(bits, |bits| (bits as u32).cast_signed())),
        ScalarType::U64 => CellValues::U64(bits.into()),
        _ => CellValues::U32(listed(bits, |bits| bits as u32)),
    }
}
