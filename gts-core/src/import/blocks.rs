//! Reads a file in blocks of whole lines.

use super::scan::{Cursor, Fault, Problem};
use super::source::Source;
use super::{ImportError, foreign};
use crate::advice::Advice;
use memchr::{memchr, memchr_iter, memrchr};
use std::path::Path;

/// Bytes of text that are parsed together: enough to share between threads, and few enough to keep several blocks in
/// memory.
const BLOCK: usize = 4 << 20;
/// Maximum length of a line with any budget. A METIS line contains the whole list of a vertex.
const LONGEST_LINE: usize = 1 << 30;
/// Divisor of the budget that yields the maximum length of a line. The line is in memory, and its edges need several
/// times its size. Lines up to the size of a block are always read.
const LINE_SHARE: u64 = 64;
/// Bytes retained of a comment line that is longer than a block.
const KEPT: usize = 4 << 10;
/// Bytes retained from the beginning of a file.
const OPENING: usize = 64 << 10;

/// A block of whole lines of a file.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) text: Vec<u8>,
    /// The start of the lines that have not been read.
    pub(super) start: usize,
    /// The number of lines in the file before `text`.
    pub(super) lines_before: u64,
}

impl Block {
    /// Returns the lines that have not been read.
    pub(super) fn rest(&self) -> &[u8] {
        &self.text[self.start..]
    }

    /// Returns the error for a fault in [`rest`](Self::rest), with its line and column numbers.
    pub(super) fn error(&self, path: &Path, fault: Fault) -> ImportError {
        let text = self.rest().get(fault.at..).unwrap_or_default();
        fault.problem.error(path, self.line(fault.at), self.column(fault.at), text)
    }

    /// Returns the line number, counted from 1, of a position in [`rest`](Self::rest).
    pub(super) fn line(&self, at: usize) -> u64 {
        self.lines_before + memchr_iter(b'\n', self.before(at)).count() as u64 + 1
    }

    /// Returns the column, in bytes counted from 1, of a position in [`rest`](Self::rest).
    pub(super) fn column(&self, at: usize) -> u64 {
        let before = self.before(at);
        (before.len() - memrchr(b'\n', before).map_or(0, |newline| newline + 1)) as u64 + 1
    }

    fn before(&self, at: usize) -> &[u8] {
        &self.text[..(self.start + at).min(self.text.len())]
    }
}

/// Reads a file block by block.
pub(super) struct Blocks {
    source: Source,
    /// Bytes read beyond the last whole line.
    carry: Vec<u8>,
    /// The memory of a parsed block, for reuse: allocating new memory takes longer than reading into it.
    spare: Vec<u8>,
    /// The beginning of the file.
    opening: Vec<u8>,
    lines: u64,
    /// The number of lines skipped at the beginning of the file.
    skipped: u64,
    longest_line: usize,
    ended: bool,
}

impl Blocks {
    /// Opens a file and skips a byte order mark. If a budget is given, it limits the length of lines.
    pub(super) fn open(path: &Path, budget: Option<u64>) -> Result<Self, ImportError> {
        let mut source = Source::open(path)?;
        let mut carry = Vec::new();
        source.append(&mut carry, foreign::HEAD)?;
        // The type of a compressed file can be detected only after decompression.
        if let Some(kind) = foreign::by_bytes(path, &carry) {
            return Err(kind.error(path));
        }
        if carry.starts_with(&[0xef, 0xbb, 0xbf]) {
            carry.drain(..3);
        }
        if is_utf_16(&carry) {
            let what = "text in UTF-16".to_owned();
            return Err(ImportError::Unsupported { path: path.into(), what, advice: "save it as UTF-8" });
        }
        let longest_line =
            budget.map_or(LONGEST_LINE, |budget| ((budget / LINE_SHARE) as usize).clamp(BLOCK, LONGEST_LINE));
        let (spare, opening) = Default::default();
        Ok(Self { source, carry, spare, opening, lines: 0, skipped: 0, longest_line, ended: false })
    }

    /// Limits the length of lines.
    pub(super) fn limit_lines(&mut self, bytes: usize) {
        self.longest_line = bytes;
    }

    /// Returns a block of the next lines, or an empty block at the end.
    pub(super) fn next(&mut self) -> Result<Block, ImportError> {
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        // One spare byte allows the end of a read to be detected without growing the buffer.
        text.reserve(self.carry.len() + BLOCK + 1);
        text.append(&mut self.carry);
        let mut searched = 0;
        while !self.ended {
            self.ended = self.source.append(&mut text, BLOCK)? == 0;
            // Only the first line can be longer than one read.
            if text.len() > self.longest_line
                && memchr(b'\n', &text[searched..]).map_or(text.len(), |at| searched + at) > self.longest_line
                && !is_comment(&text)
            {
                return Err(self.long_line());
            }
            if let Some(newline) = memrchr(b'\n', &text[searched..]) {
                let end = searched + newline + 1;
                self.carry.extend_from_slice(&text[end..]);
                text.truncate(end);
                break;
            }
            if is_comment(&text) {
                text.truncate(KEPT);
            }
            searched = text.len();
        }
        if self.ended {
            // The bytes after the last newline also form a line.
            text.append(&mut self.carry);
        }
        if self.lines == 0 && self.opening.is_empty() {
            self.opening.extend_from_slice(&text[..text.len().min(OPENING)]);
        }
        let block = Block { text, start: 0, lines_before: self.lines };
        self.lines += memchr_iter(b'\n', &block.text).count() as u64;
        Ok(block)
    }

    /// Returns the error for a line that exceeds the length limit.
    fn long_line(&self) -> ImportError {
        let advice = match self.longest_line {
            // With a memory budget, the limit is at least a block.
            ..BLOCK | LONGEST_LINE => "check that the file is a text file of this format".into(),
            _ => Advice::new(
                "check that the file is a text file of this format, or give more --memory: a line may have a 64th of it",
                "check that the file is a text file of this format, or allow more `memory`: a line may have a 64th of it",
            ),
        };
        ImportError::LongLine {
            path: self.path().into(),
            line: self.lines + 1,
            longest: self.longest_line as u64,
            advice,
        }
    }

    /// Retains the memory of a block for reuse, unless a long line has enlarged the block.
    pub(super) fn recycle(&mut self, block: Block) {
        if block.text.capacity() <= 4 * BLOCK {
            self.spare = block.text;
        }
    }

    /// Skips the first `lines` lines of the file, which begin in `block`. At least one further line must exist.
    pub(super) fn skip(&mut self, block: &mut Block, lines: u64) -> Result<(), ImportError> {
        self.skipped = lines;
        let mut left = lines;
        loop {
            while left > 0 && !block.rest().is_empty() {
                block.start += memchr(b'\n', block.rest()).map_or(block.rest().len(), |newline| newline + 1);
                left -= 1;
            }
            if left == 0 && !block.rest().is_empty() {
                return Ok(());
            }
            let next = self.next()?;
            if next.text.is_empty() {
                return Err(self.too_few_lines(block, lines));
            }
            self.recycle(std::mem::replace(block, next));
        }
    }

    /// Passes over the next line, which is not a record. It begins in `block`.
    pub(super) fn pass(&mut self, block: &mut Block) {
        block.start += memchr(b'\n', block.rest()).map_or(block.rest().len(), |newline| newline + 1);
        self.skipped += 1;
    }

    /// Returns the error for a file in which all lines were skipped. `block` contains the last lines.
    fn too_few_lines(&self, block: &Block, skipped: u64) -> ImportError {
        let unended = u64::from(block.text.last().is_some_and(|&last| last != b'\n'));
        let lines = self.lines + unended;
        ImportError::Misfit {
            path: self.path().into(),
            line: lines.max(1),
            problem: format!("--skip {skipped} leaves no line: the file has {lines}"),
            advice: "skip fewer lines".into(),
        }
    }

    /// Returns the number of lines skipped at the beginning of the file.
    pub(super) fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Moves to the position that `find` searches for, which must lie on one line. Blocks without this position are
    /// dropped. Returns the position where `find` stopped. The skipped text and the line found must not contain control
    /// bytes.
    pub(super) fn seek(
        &mut self,
        block: &mut Block,
        find: impl Fn(&mut Cursor<'_>) -> bool,
    ) -> Result<usize, ImportError> {
        loop {
            let mut cursor = Cursor::new(block.rest());
            let found = find(&mut cursor);
            let end = cursor.at.min(cursor.text.len()) + cursor.line().len();
            if let Some(at) = block.rest()[..end].iter().position(|&byte| foreign::is_control(byte)) {
                return Err(block.error(self.path(), Fault { at, problem: Problem::Binary }));
            }
            if found {
                return Ok(cursor.at);
            }
            let next = self.next()?;
            if next.text.is_empty() {
                return Ok(block.rest().len());
            }
            self.recycle(std::mem::replace(block, next));
        }
    }

    /// Returns the retained beginning of the file, including skipped lines.
    pub(super) fn opening(&self) -> Block {
        Block { text: self.opening.clone(), start: 0, lines_before: 0 }
    }

    /// Fails if the file is too small for the count declared in the header. Each counted item needs at least `least`
    /// bytes.
    pub(super) fn check_count(
        &self,
        what: &'static str,
        line: u64,
        declared: u64,
        least: u64,
    ) -> Result<(), ImportError> {
        // The last item needs no separator after it.
        let Some(most) = self.source.most_text().map(|bytes| bytes / least + 1).filter(|most| declared > *most) else {
            return Ok(());
        };
        Err(ImportError::ImpossibleCount { path: self.path().into(), line, what, declared, most })
    }

    pub(super) fn path(&self) -> &Path {
        self.source.path()
    }

    /// Returns whether the text can be read only once.
    pub(super) fn is_pipe(&self) -> bool {
        self.source.is_pipe()
    }

    /// Returns the bytes of the file that have been read, and its size; `None` for a pipe.
    pub(super) fn progress(&self) -> (u64, Option<u64>) {
        self.source.progress()
    }
}

/// Returns whether a line is a comment in one of the formats and not an edge in any format.
fn is_comment(line: &[u8]) -> bool {
    match line.trim_ascii_start() {
        [b'#' | b'%', ..] => true,
        [b'c', next, ..] => next.is_ascii_whitespace(),
        _ => false,
    }
}

/// Returns whether a text begins with a UTF-16 byte order mark, or with two ASCII characters encoded in UTF-16.
fn is_utf_16(text: &[u8]) -> bool {
    let ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    match *text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => true,
        [a, 0, b, 0, ..] | [0, a, 0, b, ..] => ascii(a) && ascii(b),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{BLOCK, Blocks};
    use crate::advice::{Reader, explain};
    use crate::build::EdgeBatch;
    use crate::import::scan::Signs;
    use crate::import::{ImportError, ImportOptions, open};

    #[test]
    fn a_line_beyond_its_share_of_the_budget_is_refused_by_its_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("star.graph");
        let neighbours: Vec<_> = (2..=1_000_001).map(|vertex: u64| vertex.to_string()).collect();
        let text = format!("1000001 1000000\n{}\n{}", neighbours.join(" "), "1\n".repeat(1_000_000));
        std::fs::write(&path, text).unwrap();
        let read = |memory| {
            let mut stream = open(std::slice::from_ref(&path), &ImportOptions { memory, ..ImportOptions::default() })?;
            let (mut batch, mut edges) = (EdgeBatch::default(), 0);
            while stream.next(&mut batch)? {
                edges += batch.src.len();
            }
            Ok(edges)
        };
        match read(Some(64 << 20)) {
            Err(error @ ImportError::LongLine { line: 2, longest: 4_194_304, .. }) => {
                let text = explain(&error, Reader::CommandLine);
                assert!(text.contains("star.graph:2") && text.contains("give more --memory"), "{text}");
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(read(Some(1 << 30)).unwrap(), 2_000_000);
        assert_eq!(read(None).unwrap(), 2_000_000);
    }

    #[test]
    fn a_search_over_blank_and_comment_lines_keeps_a_few_blocks_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("blank.txt");
        let blank = "\n".repeat(8 * BLOCK);
        let comment = format!("# {}\n", "x".repeat(8 * BLOCK));
        std::fs::write(&path, format!("{blank}{comment}1 2\n{blank}")).unwrap();
        let mut blocks = Blocks::open(&path, Some(1 << 20)).unwrap();
        let mut block = blocks.next().unwrap();
        let at = blocks.seek(&mut block, |cursor| cursor.next_data_line(Signs::of(b"#"))).unwrap();
        assert_eq!(&block.rest()[at..at + 4], b"1 2\n");
        assert_eq!((block.line(at), block.column(at)), (8 * BLOCK as u64 + 2, 1));
        let held = block.text.capacity() + blocks.carry.capacity() + blocks.spare.capacity();
        assert!(held <= 8 * BLOCK, "{held}");
    }
}
