//! Converts the cells of columns to the ends of edges and to weights.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::DataType;
use gts_core::build::EdgeBatch;
use gts_core::graph::{KeyKind, LONGEST_KEY, number_of_signed, uuid};
use gts_core::import::ImportError;
use gts_core::import::columnar::{no_key, no_value};
use memchr::memchr3;
use std::path::Path;
use std::sync::Arc;

/// The number of recent keys that are found again by their address.
const RECENT: usize = 1 << 12;
/// The index of a key of a dictionary that has not occurred.
const UNUSED: u32 = u32::MAX;

/// The place of some cells, for errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellPlace<'a> {
    pub(crate) path: &'a Path,
    pub(crate) column: &'a str,
    /// The number of rows before the cells.
    pub(crate) rows_before: u64,
}

impl CellPlace<'_> {
    fn row(self, row: usize) -> u64 {
        self.rows_before + row as u64 + 1
    }

    fn no_key(self, row: usize, kind: KeyKind, found: &[u8]) -> ImportError {
        no_key(self.path, self.row(row), kind, found)
    }

    /// Fails if a cell has no value. A dictionary may contain the null.
    fn check_nulls(self, array: &dyn Array) -> Result<(), ImportError> {
        let nulls = array.logical_nulls().filter(|nulls| nulls.null_count() > 0);
        match nulls.and_then(|nulls| nulls.iter().position(|is_valid| !is_valid)) {
            Some(row) => Err(no_value(self.path, self.row(row), self.column)),
            None => Ok(()),
        }
    }
}

/// The ends of edges in a column.
#[derive(Debug, Default)]
pub(crate) struct ColumnEnds {
    /// Original IDs, or indices of keys.
    pub(crate) ends: Vec<u64>,
    /// The keys, if they are names or UUIDs. A key may occur twice.
    pub(crate) keys: EdgeBatch,
    /// The dictionary of the previous cells, and the index of each of its keys or [`UNUSED`].
    dictionary: Option<(ArrayRef, Vec<u32>)>,
}

impl ColumnEnds {
    /// Appends the cells of a column.
    ///
    /// # Errors
    ///
    /// A cell has no value, or is no key of this type.
    pub(crate) fn push(&mut self, array: &ArrayRef, kind: KeyKind, place: CellPlace<'_>) -> Result<(), ImportError> {
        place.check_nulls(array)?;
        if array.is_empty() {
            return Ok(());
        }
        let first_key = self.keys.keys.len();
        let first_end = self.ends.len();
        self.ends.reserve(array.len());
        match (array.as_any_dictionary_opt(), kind) {
            (Some(cells), KeyKind::Number | KeyKind::Signed) => {
                let (values, keys) = (IntegerCells::of(cells.values()), cells.normalized_keys());
                self.push_integers(|row| values.get(keys[row]), array.len(), kind, place)?;
            }
            (None, KeyKind::Number | KeyKind::Signed) => {
                let values = IntegerCells::of(array);
                self.push_integers(|row| values.get(row), array.len(), kind, place)?;
            }
            (Some(cells), _) => self.push_dictionary(cells.values(), &cells.normalized_keys(), kind, place)?,
            (None, _) => self.push_bytes(array, kind, place)?,
        }
        if kind == KeyKind::Text {
            self.check_text(first_key, first_end, place)?;
        }
        Ok(())
    }

    fn push_integers(
        &mut self,
        get: impl Fn(usize) -> IntegerCell,
        rows: usize,
        kind: KeyKind,
        place: CellPlace<'_>,
    ) -> Result<(), ImportError> {
        for row in 0..rows {
            let cell = get(row);
            let number = match (cell, kind) {
                (IntegerCell::Unsigned(number), KeyKind::Signed) => i64::try_from(number).ok().map(number_of_signed),
                (IntegerCell::Signed(number), KeyKind::Signed) => Some(number_of_signed(number)),
                (IntegerCell::Unsigned(number), _) => Some(number),
                (IntegerCell::Signed(number), _) => u64::try_from(number).ok(),
            };
            self.ends.push(number.ok_or_else(|| {
                let found = match cell {
                    IntegerCell::Unsigned(number) => number.to_string(),
                    IntegerCell::Signed(number) => number.to_string(),
                };
                place.no_key(row, kind, found.as_bytes())
            })?);
        }
        Ok(())
    }

    /// Appends cells that are indices of a dictionary. Each of its keys that occurs is added once.
    fn push_dictionary(
        &mut self,
        values: &ArrayRef,
        cells: &[usize],
        kind: KeyKind,
        place: CellPlace<'_>,
    ) -> Result<(), ImportError> {
        let mut indices = match self.dictionary.take() {
            Some((known, indices)) if Arc::ptr_eq(&known, values) => indices,
            _ => vec![UNUSED; values.len()],
        };
        let bytes = ByteCells::of(values);
        for (row, &cell) in cells.iter().enumerate() {
            if indices[cell] == UNUSED {
                indices[cell] = self.add(bytes.get(cell), kind, row, place)? as u32;
            }
            self.ends.push(indices[cell].into());
        }
        self.dictionary = Some((values.clone(), indices));
        Ok(())
    }

    fn push_bytes(&mut self, array: &ArrayRef, kind: KeyKind, place: CellPlace<'_>) -> Result<(), ImportError> {
        match ByteCells::of(array) {
            // Rows with the same key of a Parquet dictionary refer to the same bytes.
            ByteCells::View(array) => self.push_views(|row| array.value(row).as_bytes(), array.len(), kind, place),
            ByteCells::Text(array) => self.push_rows(|row| array.value(row).as_bytes(), array.len(), kind, place),
            ByteCells::LargeText(array) => self.push_rows(|row| array.value(row).as_bytes(), array.len(), kind, place),
            ByteCells::Fixed(array) => self.push_rows(|row| array.value(row), array.len(), kind, place),
        }
    }

    /// Appends cells. A key that occurs in consecutive rows is added once.
    fn push_rows<'a>(
        &mut self,
        get: impl Fn(usize) -> &'a [u8],
        rows: usize,
        kind: KeyKind,
        place: CellPlace<'_>,
    ) -> Result<(), ImportError> {
        let mut last: Option<(&[u8], u64)> = None;
        for row in 0..rows {
            let key = get(row);
            let index = match last {
                Some((known, index)) if known == key => index,
                _ => self.add(key, kind, row, place)?,
            };
            last = Some((key, index));
            self.ends.push(index);
        }
        Ok(())
    }

    /// Appends cells. A key that has recently occurred at the same address is not added again.
    fn push_views<'a>(
        &mut self,
        get: impl Fn(usize) -> &'a [u8],
        rows: usize,
        kind: KeyKind,
        place: CellPlace<'_>,
    ) -> Result<(), ImportError> {
        let mut recent: Vec<(&[u8], u64)> = vec![(&[], 0); RECENT];
        for row in 0..rows {
            let key = get(row);
            let address = key.as_ptr() as usize;
            let (known, index) = &mut recent[address.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (usize::BITS - 12)];
            if known.as_ptr() != key.as_ptr() || known.len() != key.len() || key.is_empty() {
                (*known, *index) = (key, self.add(key, kind, row, place)?);
            }
            self.ends.push(*index);
        }
        Ok(())
    }

    /// Adds a key, and returns its index.
    #[inline]
    fn add(&mut self, key: &[u8], kind: KeyKind, row: usize, place: CellPlace<'_>) -> Result<u64, ImportError> {
        let index = self.keys.keys.len() as u64;
        let added = match kind {
            KeyKind::Uuid if key.len() == 16 => self.keys.add_key(key),
            KeyKind::Uuid => self.keys.add_key(&uuid(key).ok_or_else(|| place.no_key(row, kind, key))?),
            _ if (1..=LONGEST_KEY).contains(&key.len()) => self.keys.add_key(key),
            _ => return Err(place.no_key(row, kind, key)),
        };
        self.keys.keys.push(added);
        Ok(index)
    }

    /// Fails if new keys contain signs that no name contains.
    fn check_text(&self, first_key: usize, first_end: usize, place: CellPlace<'_>) -> Result<(), ImportError> {
        let EdgeBatch { keys, text, .. } = &self.keys;
        let Some(start) = keys.get(first_key).map(|key| EdgeBatch::key_range(*key).start) else { return Ok(()) };
        let Some(at) = memchr3(0, b'\n', b'\r', &text[start..]) else { return Ok(()) };
        let key = first_key + keys[first_key..].partition_point(|key| EdgeBatch::key_range(*key).end <= start + at);
        let row = self.ends[first_end..].iter().position(|end| *end == key as u64).unwrap_or(0);
        Err(place.no_key(row, KeyKind::Text, &text[EdgeBatch::key_range(keys[key])]))
    }

    /// Moves the ends and the keys to a batch: the ends to the returned list of the batch.
    pub(crate) fn append_to(&mut self, batch: &mut EdgeBatch, list: fn(&mut EdgeBatch) -> &mut Vec<u64>) {
        // Numbers do not refer to keys.
        let keys = if self.keys.keys.is_empty() { 0 } else { batch.keys.len() as u64 };
        let text = (batch.text.len() as u64) << EdgeBatch::LENGTH_BITS;
        if batch.text.is_empty() {
            std::mem::swap(&mut batch.text, &mut self.keys.text);
        } else {
            batch.text.extend_from_slice(&self.keys.text);
        }
        batch.keys.extend(self.keys.keys.iter().map(|place| place + text));
        list(batch).extend(self.ends.iter().map(|end| end + keys));
        self.ends.clear();
        self.keys.clear();
        self.dictionary = None;
    }
}

/// Appends the weights in a column to a list, as the bits of a u64, an i64 or an f64.
///
/// # Errors
///
/// A cell has no value.
pub(crate) fn push_weights(list: &mut Vec<u64>, array: &ArrayRef, place: CellPlace<'_>) -> Result<(), ImportError> {
    place.check_nulls(array)?;
    match array.as_any_dictionary_opt() {
        Some(cells) if !array.is_empty() => {
            let mut values = Vec::new();
            append_bits(cells.values(), &mut values);
            list.extend(cells.normalized_keys().into_iter().map(|key| values[key]));
        }
        Some(_) => {}
        None => append_bits(array, list),
    }
    Ok(())
}

fn append_bits(array: &ArrayRef, list: &mut Vec<u64>) {
    match array.data_type() {
        DataType::Float32 => {
            list.extend(array.as_primitive::<Float32Type>().values().iter().map(|real| f64::from(*real).to_bits()))
        }
        DataType::Float64 => {
            list.extend(array.as_primitive::<Float64Type>().values().iter().map(|real| real.to_bits()))
        }
        _ => match IntegerCells::of(array) {
            IntegerCells::Unsigned(mut numbers) => list.append(&mut numbers),
            IntegerCells::Signed(numbers) => list.extend(numbers.into_iter().map(i64::cast_unsigned)),
        },
    }
}

/// The cells of a column of integers.
enum IntegerCells {
    Unsigned(Vec<u64>),
    Signed(Vec<i64>),
}

#[derive(Clone, Copy)]
enum IntegerCell {
    Unsigned(u64),
    Signed(i64),
}

impl IntegerCells {
    /// Returns no cells if the column has another type.
    fn of(array: &ArrayRef) -> Self {
        fn all<T: ArrowPrimitiveType<Native: Into<N>>, N>(array: &ArrayRef) -> Vec<N> {
            array.as_primitive::<T>().values().iter().map(|cell| (*cell).into()).collect()
        }
        match array.data_type() {
            DataType::UInt8 => Self::Unsigned(all::<UInt8Type, _>(array)),
            DataType::UInt16 => Self::Unsigned(all::<UInt16Type, _>(array)),
            DataType::UInt32 => Self::Unsigned(all::<UInt32Type, _>(array)),
            DataType::UInt64 => Self::Unsigned(all::<UInt64Type, _>(array)),
            DataType::Int8 => Self::Signed(all::<Int8Type, _>(array)),
            DataType::Int16 => Self::Signed(all::<Int16Type, _>(array)),
            DataType::Int32 => Self::Signed(all::<Int32Type, _>(array)),
            DataType::Int64 => Self::Signed(all::<Int64Type, _>(array)),
            _ => Self::Unsigned(Vec::new()),
        }
    }

    fn get(&self, row: usize) -> IntegerCell {
        match self {
            Self::Unsigned(numbers) => IntegerCell::Unsigned(numbers[row]),
            Self::Signed(numbers) => IntegerCell::Signed(numbers[row]),
        }
    }
}

/// The cells of a column of text or UUIDs.
enum ByteCells<'a> {
    Text(&'a arrow_array::StringArray),
    LargeText(&'a arrow_array::LargeStringArray),
    View(&'a arrow_array::StringViewArray),
    Fixed(&'a arrow_array::FixedSizeBinaryArray),
}

impl<'a> ByteCells<'a> {
    fn of(array: &'a ArrayRef) -> Self {
        match array.data_type() {
            DataType::LargeUtf8 => Self::LargeText(array.as_string()),
            DataType::Utf8View => Self::View(array.as_string_view()),
            DataType::FixedSizeBinary(_) => Self::Fixed(array.as_fixed_size_binary()),
            _ => Self::Text(array.as_string()),
        }
    }

    fn get(&self, row: usize) -> &'a [u8] {
        match self {
            Self::Text(array) => array.value(row).as_bytes(),
            Self::LargeText(array) => array.value(row).as_bytes(),
            Self::View(array) => array.value(row).as_bytes(),
            Self::Fixed(array) => array.value(row),
        }
    }
}
