//! Arrow files and streams.

use crate::classes::columns;
use crate::guard::{damaged, guarded};
use crate::pieces::{gather, selected};
use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::FileDecoder;
use arrow_ipc::{Block, Message, MessageHeader, MetadataVersion, root_as_footer, root_as_message};
use arrow_schema::SchemaRef;
use gts_core::build::EdgeBatch;
use gts_core::import::ImportError;
use gts_core::import::columnar::{ChosenColumns, ColumnarFile, ColumnarRows, TypedColumn};
use std::collections::VecDeque;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const FORMAT: &str = "Arrow";
/// The first and the last bytes of a file.
const MAGIC: &[u8] = b"ARROW1";
/// The bytes after the footer of a file: its length, and the magic bytes.
const TAIL: u64 = 10;
/// The bytes before a message of a stream: a mark, and the length of the message.
const PREFIX: u64 = 8;
/// The mark before a message.
const MARK: [u8; 4] = [0xff; 4];
/// The rows that are gathered in a batch of edges.
const ROWS: u64 = 1 << 20;
/// The most bytes that a byte of compressed data stands for.
const MOST_UNPACKED: i64 = 1 << 15;

/// Opens an Arrow file or stream.
pub(crate) fn open(path: &Path, file: File) -> Result<Box<dyn ColumnarFile>, ImportError> {
    let bytes = file.metadata().map_err(|error| ImportError::io(path, error))?.len();
    let mut input = Input { path: path.into(), file, bytes };
    let is_file = bytes >= MAGIC.len() as u64 && &*input.read(0, MAGIC.len() as u64)? == MAGIC;
    let (schema, version, messages) = if is_file { input.of_file()? } else { input.of_stream()? };
    Ok(Box::new(ArrowFile { input, schema, version, messages }))
}

struct Input {
    path: PathBuf,
    file: File,
    bytes: u64,
}

/// The messages after the schema.
enum MessagePlaces {
    /// The blocks of a file.
    Blocks(VecDeque<Block>),
    /// The place of a stream's next message.
    Stream(u64),
}

impl Input {
    fn damaged(&self, detail: impl ToString) -> ImportError {
        damaged(&self.path, FORMAT, detail.to_string())
    }

    /// Reads a range, which must lie in the file.
    fn read(&mut self, start: u64, length: u64) -> Result<Vec<u8>, ImportError> {
        if start.checked_add(length).is_none_or(|end| end > self.bytes) {
            return Err(self.damaged("it ends too early"));
        }
        let mut bytes = vec![0; length as usize];
        let read = self.file.seek(SeekFrom::Start(start)).and_then(|_| self.file.read_exact(&mut bytes));
        read.map_err(|error| ImportError::io(&self.path, error))?;
        Ok(bytes)
    }

    /// Reads the footer of a file.
    fn of_file(&mut self) -> Result<(SchemaRef, MetadataVersion, MessagePlaces), ImportError> {
        let end = self.bytes.checked_sub(TAIL).ok_or_else(|| self.damaged("it ends too early"))?;
        let tail = self.read(end, TAIL)?;
        if &tail[4..] != MAGIC {
            return Err(self.damaged("it does not end as it begins"));
        }
        let length = i32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]);
        let start = u64::try_from(length).ok().and_then(|length| end.checked_sub(length));
        let start = start.ok_or_else(|| self.damaged(format!("its footer has {length} bytes")))?;
        let footer = self.read(start, end - start)?;
        let footer = root_as_footer(&footer).map_err(|error| self.damaged(error))?;
        let schema = footer.schema().ok_or_else(|| self.damaged("it has no schema"))?;
        let schema = guarded(|| Ok::<_, String>(fb_to_schema(schema))).map_err(|detail| self.damaged(detail))?;
        let blocks = footer.dictionaries().into_iter().flatten().chain(footer.recordBatches().into_iter().flatten());
        Ok((Arc::new(schema), footer.version(), MessagePlaces::Blocks(blocks.copied().collect())))
    }

    /// Reads the schema of a stream.
    fn of_stream(&mut self) -> Result<(SchemaRef, MetadataVersion, MessagePlaces), ImportError> {
        let block = self.message_at(0)?.ok_or_else(|| self.damaged("it has no schema"))?;
        let bytes = self.read(PREFIX, block.metaDataLength() as u64 - PREFIX)?;
        let message = root_as_message(&bytes).map_err(|error| self.damaged(error))?;
        let schema = message.header_as_schema().ok_or_else(|| self.damaged("it does not begin with a schema"))?;
        let schema = guarded(|| Ok::<_, String>(fb_to_schema(schema))).map_err(|detail| self.damaged(detail))?;
        let next = end_of(&block);
        Ok((Arc::new(schema), message.version(), MessagePlaces::Stream(next)))
    }

    /// Returns the block of the message at a place in a stream; `None` at the end.
    fn message_at(&mut self, place: u64) -> Result<Option<Block>, ImportError> {
        if place == self.bytes {
            return Ok(None);
        }
        let prefix = self.read(place, PREFIX)?;
        if prefix[..4] != MARK {
            return Err(self.damaged("a message does not begin with its mark"));
        }
        let length = i32::from_le_bytes([prefix[4], prefix[5], prefix[6], prefix[7]]);
        if length == 0 {
            return Ok(None);
        }
        let length = u64::try_from(length).map_err(|_| self.damaged(format!("a message has {length} bytes")))?;
        let bytes = self.read(place + PREFIX, length)?;
        let message = root_as_message(&bytes).map_err(|error| self.damaged(error))?;
        let metadata = i32::try_from(PREFIX + length).map_err(|_| self.damaged("a message is too long"))?;
        Ok(Some(Block::new(place as i64, metadata, message.bodyLength())))
    }

    /// Reads the message of a block, and checks the sizes that it declares. Also returns the kind of the message.
    fn read_block(&mut self, block: &Block) -> Result<(Buffer, MessageHeader), ImportError> {
        let [start, body] = [block.offset(), block.bodyLength()].map(|bytes| u64::try_from(bytes).unwrap_or(u64::MAX));
        let metadata = u64::try_from(block.metaDataLength()).unwrap_or(u64::MAX);
        let bytes = self.read(start, metadata.saturating_add(body))?;
        let (message, body) = bytes.split_at(metadata as usize);
        let prefix = if message.starts_with(&MARK) { PREFIX as usize } else { 4 };
        let message =
            root_as_message(message.get(prefix..).unwrap_or_default()).map_err(|error| self.damaged(error))?;
        if !has_possible_sizes(&message, body) {
            return Err(self.damaged("a message declares more bytes than it can contain"));
        }
        let kind = message.header_type();
        Ok((bytes.into(), kind))
    }
}

/// Returns the place after a message of a stream.
fn end_of(block: &Block) -> u64 {
    (block.offset() as u64)
        .saturating_add(block.metaDataLength() as u64)
        .saturating_add(block.bodyLength().max(0) as u64)
}

/// Returns whether the buffers of a message lie in its body, and unpack to a possible size.
fn has_possible_sizes(message: &Message<'_>, body: &[u8]) -> bool {
    let batch = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = batch.or_else(|| message.header_as_record_batch()) else { return true };
    batch.buffers().iter().flatten().all(|buffer| {
        let end = buffer.offset().checked_add(buffer.length()).filter(|_| buffer.offset() >= 0 && buffer.length() >= 0);
        let range = end.and_then(|end| body.get(buffer.offset() as usize..end as usize));
        let unpacked = range.and_then(|range| range.first_chunk()).map_or(0, |bytes| i64::from_le_bytes(*bytes));
        range.is_some() && (batch.compression().is_none() || unpacked <= buffer.length().saturating_mul(MOST_UNPACKED))
    })
}

struct ArrowFile {
    input: Input,
    schema: SchemaRef,
    version: MetadataVersion,
    messages: MessagePlaces,
}

impl ColumnarFile for ArrowFile {
    fn columns(&self) -> Vec<TypedColumn> {
        columns(&self.schema)
    }

    fn rows(self: Box<Self>, chosen: ChosenColumns) -> Result<Box<dyn ColumnarRows>, ImportError> {
        let Self { input, schema, version, messages } = *self;
        let selected = selected(&chosen);
        let decoder = FileDecoder::new(schema.clone(), version).with_projection(selected.clone());
        Ok(Box::new(ArrowRows { input, schema, messages, decoder, selected, chosen, rows: 0, read: 0 }))
    }
}

/// The rows of an Arrow file or stream.
struct ArrowRows {
    input: Input,
    schema: SchemaRef,
    messages: MessagePlaces,
    decoder: FileDecoder,
    /// The positions of the chosen columns, ascending.
    selected: Vec<usize>,
    chosen: ChosenColumns,
    /// The number of rows that have been read.
    rows: u64,
    /// The bytes that have been read.
    read: u64,
}

impl ColumnarRows for ArrowRows {
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        let mut tables = Vec::new();
        let mut rows = 0;
        while rows < ROWS
            && let Some(table) = self.next_table()?
        {
            rows += table.num_rows() as u64;
            tables.push(table);
        }
        let Self { selected, chosen, input, schema, .. } = &*self;
        gather(&tables, selected, chosen, &input.path, schema, self.rows, batch)?;
        self.rows += rows;
        Ok(rows > 0)
    }

    fn progress(&self) -> (u64, u64) {
        (self.read, self.input.bytes)
    }
}

impl ArrowRows {
    /// Decodes the next batch of rows, and the dictionaries before it.
    fn next_table(&mut self) -> Result<Option<RecordBatch>, ImportError> {
        while let Some(block) = self.next_block()? {
            let (bytes, kind) = self.input.read_block(&block)?;
            self.read += bytes.len() as u64;
            let decoder = &mut self.decoder;
            let table = guarded(|| match kind {
                MessageHeader::DictionaryBatch => decoder.read_dictionary(&block, &bytes).map(|()| None),
                _ => decoder.read_record_batch(&block, &bytes),
            });
            let table = table.map_err(|detail| self.input.damaged(detail))?;
            if let Some(table) = table.filter(|table| table.num_rows() > 0) {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    fn next_block(&mut self) -> Result<Option<Block>, ImportError> {
        match &mut self.messages {
            MessagePlaces::Blocks(blocks) => Ok(blocks.pop_front()),
            MessagePlaces::Stream(place) => {
                let found = self.input.message_at(*place)?;
                *place = found.as_ref().map_or(*place, end_of);
                Ok(found)
            }
        }
    }
}
