//! JSON: an object per row, or one with a list per column.

use super::sheet::{Sheet, SheetField, cursor};
use crate::blocks::RowFile;
use crate::cell::{self, Cell, scalar_json};
use gts_graph::algorithm::{Answer, Scalar, TableKind};
use serde_json::json;
use std::io::{self, Write};

/// Writes an object per row and line, with null for cells without a value.
pub(super) fn lines(file: &mut RowFile<'_>, sheet: &Sheet<'_>) -> io::Result<()> {
    let heads: Vec<_> = sheet.fields.iter().map(|field| json!(field.name()).to_string()).collect();
    file.text(b"")?;
    file.rows(sheet.rows, |rows, block| {
        let mut cursor = cursor(sheet.ids, rows.clone());
        for row in rows {
            for (place, (field, head)) in sheet.fields.iter().zip(&heads).enumerate() {
                write!(block, "{}{head}:", if place == 0 { '{' } else { ',' })?;
                put_json(&cursor.cell(field, row).map_err(io::Error::other)?, block)?;
            }
            block.extend_from_slice(b"}\n");
        }
        Ok(())
    })
}

/// Writes one object: the name of the algorithm, the single values, then a list per column. The columns of tables other
/// than that of the vertices are in an object with the name of the table. `sheet` converts a table to a sheet.
pub(super) fn whole<'a>(
    file: &mut RowFile<'_>,
    algorithm: &str,
    answer: &'a Answer,
    sheet: impl Fn(&gts_graph::algorithm::Table<'a>) -> Sheet<'a>,
) -> io::Result<()> {
    let mut text = format!("{{\"algorithm\":{}", json!(algorithm));
    for (name, value) in answer.scalars() {
        text += &format!(",{}:{}", json!(name), scalar_json(value));
    }
    for table in answer.tables().iter().filter(|table| table.kind != TableKind::Single) {
        let (mut before, after) = match table.kind {
            TableKind::Vertices => (",".to_owned(), ""),
            _ => (format!(",\n{}:{{", json!(table.name)), "}"),
        };
        let sheet = sheet(table);
        for field in &sheet.fields {
            text += &format!("{before}\n{}:[", json!(field.name()));
            file.text(text.as_bytes())?;
            list(file, &sheet, field)?;
            text = "]".to_owned();
            before = ",".to_owned();
        }
        text += after;
    }
    text += "}\n";
    file.text(text.as_bytes())
}

/// Writes the items of a list, without its brackets.
fn list(file: &mut RowFile<'_>, sheet: &Sheet<'_>, field: &SheetField<'_>) -> io::Result<()> {
    file.rows(sheet.rows, |rows, block| {
        let mut cursor = cursor(sheet.ids, rows.clone());
        for row in rows {
            if row > 0 {
                block.push(b',');
            }
            put_json(&cursor.cell(field, row).map_err(io::Error::other)?, block)?;
        }
        Ok(())
    })
}

/// Appends a cell as JSON.
pub(crate) fn put_json(cell: &Cell<'_>, text: &mut Vec<u8>) -> io::Result<()> {
    match cell {
        Cell::Null => text.extend_from_slice(b"null"),
        Cell::Text(name) => serde_json::to_writer(text, &**name)?,
        Cell::Value(value @ (Scalar::Unsigned(_) | Scalar::Signed(_))) => cell::put(*value, text)?,
        Cell::Value(value) => serde_json::to_writer(text, &scalar_json(*value))?,
    }
    Ok(())
}
