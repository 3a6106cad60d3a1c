//! Stores unsorted edges in temporary files, in input order, either as raw edges or as records.

use super::spill::{Spill, SpillFile, SpillWriter};
use crate::build::chunk::{Ends, RawChunk};
use crate::build::record::Record;
use crate::store::StoreError;
use std::collections::VecDeque;
use std::marker::PhantomData;

/// The size in bytes from which further edges are written to a new file. With several files, each file can be removed
/// after it has been read.
const FILE_BYTES: u64 = 256 << 20;

/// A sequence of files that are written one after the other.
struct Files<'a> {
    spill: &'a Spill<'a>,
    present: Option<SpillWriter<'a>>,
    written: VecDeque<SpillFile>,
}

impl<'a> Files<'a> {
    fn new(spill: &'a Spill<'a>) -> Self {
        Self { spill, present: None, written: VecDeque::new() }
    }

    /// Returns the file for the next write. Begins a new file if the current one has reached its size.
    fn file(&mut self) -> Result<&mut SpillWriter<'a>, StoreError> {
        let present = match self.present.take() {
            Some(file) if file.bytes() >= FILE_BYTES => {
                self.written.push_back(file.end()?);
                None
            }
            present => present,
        };
        let file = match present {
            Some(file) => file,
            None => self.spill.begin()?,
        };
        Ok(self.present.insert(file))
    }

    fn end(mut self) -> Result<VecDeque<SpillFile>, StoreError> {
        if let Some(file) = self.present.take() {
            self.written.push_back(file.end()?);
        }
        Ok(self.written)
    }
}

/// The properties of a chunk without its edges.
#[derive(Clone, Copy)]
struct Shape {
    first: u64,
    len: usize,
    epoch: u32,
    wide: bool,
    /// Whether the chunk is the first in a file.
    begins: bool,
}

/// A spool of raw edges that is being written.
pub(super) struct RawSpool<'a> {
    files: Files<'a>,
    shapes: VecDeque<Shape>,
    /// Bytes per value: 0, 4 or 8.
    value_bytes: usize,
    packed: Vec<u32>,
}

impl<'a> RawSpool<'a> {
    pub(super) fn new(spill: &'a Spill<'a>, value_bytes: usize) -> Self {
        Self { files: Files::new(spill), shapes: VecDeque::new(), value_bytes, packed: Vec::new() }
    }

    /// Appends a chunk to the spool, unless the chunk has no edges.
    pub(super) fn write(&mut self, chunk: &RawChunk) -> Result<(), StoreError> {
        if chunk.len() == 0 {
            return Ok(());
        }
        let file = self.files.file()?;
        let wide = matches!(chunk.ends, Ends::Wide(_));
        self.shapes.push_back(Shape {
            first: chunk.first,
            len: chunk.len(),
            epoch: chunk.epoch,
            wide,
            begins: file.bytes() == 0,
        });
        match &chunk.ends {
            Ends::Narrow(keys) => file.write(bytemuck::cast_slice(keys))?,
            Ends::Wide(pairs) => file.write(bytemuck::cast_slice(pairs))?,
        }
        match self.value_bytes {
            0 => Ok(()),
            4 => {
                self.packed.clear();
                self.packed.extend(chunk.values.iter().map(|&bits| bits as u32));
                file.write(bytemuck::cast_slice(&self.packed))
            }
            _ => file.write(bytemuck::cast_slice(&chunk.values)),
        }
    }

    /// Completes the spool and prepares it for reading.
    pub(super) fn end(self) -> Result<RawSpooled<'a>, StoreError> {
        let spill = self.files.spill;
        let files = Reading { spill, files: self.files.end()?, present: None };
        Ok(RawSpooled { files, shapes: self.shapes, value_bytes: self.value_bytes })
    }
}

/// A sequence of files that are read one after the other. Each file is removed after it has been read.
struct Reading<'a> {
    spill: &'a Spill<'a>,
    files: VecDeque<SpillFile>,
    present: Option<(SpillFile, super::spill::SpillReader)>,
}

impl Reading<'_> {
    /// Opens the next file. Returns `false` after the last file.
    fn next(&mut self) -> Result<bool, StoreError> {
        if let Some((file, reader)) = self.present.take() {
            drop(reader);
            self.spill.remove(&file)?;
        }
        if let Some(file) = self.files.pop_front() {
            let reader = self.spill.open(&file)?;
            self.present = Some((file, reader));
        }
        Ok(self.present.is_some())
    }

    /// Returns the number of bytes left in the current file.
    fn left(&self) -> u64 {
        self.present.as_ref().map_or(0, |(_, reader)| reader.left())
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<(), StoreError> {
        self.present.as_mut().map_or(Ok(()), |(_, reader)| reader.read(buffer))
    }
}

/// A spool of raw edges that is being read.
pub(super) struct RawSpooled<'a> {
    files: Reading<'a>,
    shapes: VecDeque<Shape>,
    value_bytes: usize,
}

impl RawSpooled<'_> {
    /// Returns the epoch of the next chunk, or `None` after the last chunk.
    pub(super) fn epoch(&self) -> Option<u32> {
        self.shapes.front().map(|shape| shape.epoch)
    }

    /// Returns the next chunk, or `None` after the last chunk.
    pub(super) fn next(&mut self) -> Result<Option<RawChunk>, StoreError> {
        let Some(shape) = self.shapes.pop_front() else {
            self.files.next()?;
            return Ok(None);
        };
        if shape.begins {
            self.files.next()?;
        }
        let ends = if shape.wide {
            let mut pairs = vec![[0u64; 2]; shape.len];
            self.files.read(bytemuck::cast_slice_mut(&mut pairs))?;
            Ends::Wide(pairs)
        } else {
            let mut keys = vec![0u64; shape.len];
            self.files.read(bytemuck::cast_slice_mut(&mut keys))?;
            Ends::Narrow(keys)
        };
        let values = match self.value_bytes {
            0 => Vec::new(),
            4 => {
                let mut packed = vec![0u32; shape.len];
                self.files.read(bytemuck::cast_slice_mut(&mut packed))?;
                packed.into_iter().map(u64::from).collect()
            }
            _ => {
                let mut values = vec![0u64; shape.len];
                self.files.read(bytemuck::cast_slice_mut(&mut values))?;
                values
            }
        };
        Ok(Some(RawChunk { first: shape.first, epoch: shape.epoch, ends, values }))
    }
}

/// A spool of records that is being written.
pub(super) struct RecordSpool<'a, R> {
    files: Files<'a>,
    record: PhantomData<R>,
}

impl<'a, R: Record> RecordSpool<'a, R> {
    pub(super) fn new(spill: &'a Spill<'a>) -> Self {
        Self { files: Files::new(spill), record: PhantomData }
    }

    /// Appends records to the spool.
    pub(super) fn write(&mut self, records: &[R]) -> Result<(), StoreError> {
        self.files.file()?.write(bytemuck::cast_slice(records))
    }

    /// Completes the spool and prepares it for reading.
    pub(super) fn end(self) -> Result<RecordSpooled<'a, R>, StoreError> {
        let spill = self.files.spill;
        let files = Reading { spill, files: self.files.end()?, present: None };
        Ok(RecordSpooled { files, record: PhantomData })
    }
}

/// A spool of records that is being read.
pub(super) struct RecordSpooled<'a, R> {
    files: Reading<'a>,
    record: PhantomData<R>,
}

impl<R: Record> RecordSpooled<'_, R> {
    /// Returns the next records, at most `most`. Returns no records after the last one.
    pub(super) fn next(&mut self, most: usize) -> Result<Vec<R>, StoreError> {
        while self.files.left() == 0 {
            if !self.files.next()? {
                return Ok(Vec::new());
            }
        }
        let count = (self.files.left() / size_of::<R>() as u64).min(most as u64);
        let mut records = vec![R::zeroed(); count as usize];
        self.files.read(bytemuck::cast_slice_mut(&mut records))?;
        Ok(records)
    }
}
