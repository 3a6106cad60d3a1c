//! Types of columns.

use arrow_schema::{DataType, Field, Schema};
use gts_core::import::columnar::{ColumnClass, TypedColumn};

/// Returns the columns of a schema.
pub(crate) fn columns(schema: &Schema) -> Vec<TypedColumn> {
    let column = |field: &Field| TypedColumn {
        name: field.name().clone(),
        class: class(field.data_type()),
        type_name: type_name(field.data_type()),
    };
    schema.fields().iter().map(|field| column(field)).collect()
}

fn class(kind: &DataType) -> ColumnClass {
    match kind {
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 | DataType::UInt64 => ColumnClass::Unsigned,
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 => ColumnClass::Signed,
        DataType::Float32 | DataType::Float64 => ColumnClass::Real,
        DataType::FixedSizeBinary(16) => ColumnClass::Uuid,
        DataType::Dictionary(_, values) if !matches!(**values, DataType::Dictionary(..)) => class(values),
        _ if is_text(kind) => ColumnClass::Text,
        _ => ColumnClass::Other,
    }
}

/// Returns whether cells are text.
pub(crate) fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns the name of a type for messages.
fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::Boolean => "booleans".into(),
        DataType::Float16 | DataType::Float32 | DataType::Float64 => "floats".into(),
        DataType::Date32 | DataType::Date64 => "dates".into(),
        DataType::Timestamp(..) => "times".into(),
        DataType::Decimal32(..) | DataType::Decimal64(..) | DataType::Decimal128(..) | DataType::Decimal256(..) => {
            "decimals".into()
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::ListView(_) | DataType::FixedSizeList(..) => {
            "lists".into()
        }
        DataType::Struct(_) => "structs".into(),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => "bytes".into(),
        DataType::FixedSizeBinary(16) => "UUIDs".into(),
        DataType::Dictionary(_, values) => type_name(values),
        _ if is_text(kind) => "text".into(),
        _ => match class(kind) {
            ColumnClass::Unsigned => "integers without a sign".into(),
            ColumnClass::Signed => "integers".into(),
            _ => format!("cells of type {kind}"),
        },
    }
}
