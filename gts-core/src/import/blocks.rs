//! A file as blocks of whole lines.

use super::ImportError;
use super::scan::{Cursor, Fault, Problem};
use super::source::Source;
use memchr::{memchr_iter, memrchr};
use std::path::Path;

/// Text parsed at a time: enough to share out among threads, little enough to keep several blocks.
const BLOCK: usize = 4 << 20;
/// The longest line read. A METIS line holds a vertex's whole list.
const LONGEST_LINE: usize = 1 << 30;

/// Whole lines of a file.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    /// Where the lines not yet read begin.
    pub(super) start: usize,
    /// Lines of the file before `text`.
    pub(super) lines_before: u64,
}

impl Block {
    /// The lines not yet read.
    pub(super) fn rest(&self) -> &[u8] {
        &self.text[self.start..]
    }

    /// The error for a fault in [`rest`](Self::rest), with its line and column.
    pub(super) fn error(&self, path: &Path, fault: Fault) -> ImportError {
        let at = (self.start + fault.at).min(self.text.len());
        let before = &self.text[..at];
        let line = self.lines_before + memchr_iter(b'\n', before).count() as u64 + 1;
        let column = (at - memrchr(b'\n', before).map_or(0, |newline| newline + 1)) as u64 + 1;
        fault.problem.error(path, line, column, &self.text[at..])
    }

    /// The line, from 1, of a place in [`rest`](Self::rest).
    pub(super) fn line(&self, at: usize) -> u64 {
        self.lines_before + memchr_iter(b'\n', &self.text[..self.start + at]).count() as u64 + 1
    }
}

/// Reads a file block by block.
pub(super) struct Blocks {
    source: Source,
    /// What was read beyond the last whole line.
    carry: Vec<u8>,
    /// The memory of a block that was parsed: new memory costs more than what is read into it.
    spare: Vec<u8>,
    lines: u64,
    ended: bool,
}

impl Blocks {
    /// Opens a file and takes the byte order mark off.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let mut source = Source::open(path)?;
        let mut carry = Vec::new();
        source.append(&mut carry, 3)?;
        if carry == [0xef, 0xbb, 0xbf] {
            carry.clear();
        }
        Ok(Self { source, carry, spare: Vec::new(), lines: 0, ended: false })
    }

    /// The next lines; an empty block at the end.
    pub(super) fn next(&mut self) -> Result<Block, ImportError> {
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        // One byte of room is left, so that the end of a block is found without growing it.
        text.reserve(self.carry.len() + BLOCK + 1);
        text.append(&mut self.carry);
        let mut searched = 0;
        while !self.ended {
            self.ended = self.source.append(&mut text, BLOCK)? == 0;
            if let Some(newline) = memrchr(b'\n', &text[searched..]) {
                let end = searched + newline + 1;
                self.carry.extend_from_slice(&text[end..]);
                text.truncate(end);
                break;
            }
            searched = text.len();
            if searched > LONGEST_LINE {
                let block = Block { text, start: 0, lines_before: self.lines };
                return Err(block.error(self.path(), Fault { at: 0, problem: Problem::LongLine }));
            }
        }
        if self.ended {
            // What follows the last newline is a line too.
            text.append(&mut self.carry);
        }
        let block = Block { text, start: 0, lines_before: self.lines };
        self.lines += memchr_iter(b'\n', &block.text).count() as u64;
        Ok(block)
    }

    /// Takes the memory of a block that is not needed any more.
    pub(super) fn recycle(&mut self, block: Block) {
        self.spare = block.text;
    }

    /// Moves to what `find` looks for, and adds lines to the block as long as it holds none; where `find` stopped.
    pub(super) fn seek(
        &mut self,
        block: &mut Block,
        find: impl Fn(&mut Cursor<'_>) -> bool,
    ) -> Result<usize, ImportError> {
        loop {
            let mut cursor = Cursor::new(block.rest());
            if find(&mut cursor) {
                return Ok(cursor.at);
            }
            let mut next = self.next()?;
            if next.text.is_empty() {
                return Ok(block.rest().len());
            }
            block.text.append(&mut next.text);
        }
    }

    pub(super) fn path(&self) -> &Path {
        self.source.path()
    }

    /// Bytes read of the file, and in all.
    pub(super) fn progress(&self) -> (u64, u64) {
        self.source.progress()
    }
}
