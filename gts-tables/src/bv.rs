//! BV graphs of WebGraph: the crate `webgraph` decodes the lists of successors in the order of the file.
//!
//! The crate trusts its input: a damaged list makes it panic, or allocate without limit. [`CheckedDecoder`] therefore
//! compares each number with what the list and the parameters still permit, before the crate uses the number.

use crate::guard::{damaged, quietly};
use dsi_bitstream::codes::ToInt;
use dsi_bitstream::dispatch::{CodesRead, FuncCodeReader, StaticCodeRead};
use dsi_bitstream::impls::BufBitReader;
use dsi_bitstream::traits::{BE, BitSeek, Endianness, LE, WordRead, WordSeek};
use gts_core::build::{DeclaredVertices, EdgeBatch};
use gts_core::files;
use gts_core::import::ImportError;
use gts_core::import::columnar::{ChosenColumns, ColumnClass, ColumnarFile, ColumnarRows, TypedColumn};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic;
use std::path::{Path, PathBuf};
use webgraph::graphs::bvgraph::sequential::NodeLabels;
use webgraph::graphs::bvgraph::{CompFlags, Decode};

const FORMAT: &str = "BV";
/// The number of edges after which a batch is full.
const BATCH: usize = 1 << 18;
/// The most lists to which a list may refer. The window of published graphs is below 100.
const MOST_WINDOW: usize = 1 << 16;
/// The number of words of zeros after the end of the file, which a decoder may look at but not consume.
const PADDING: u64 = 2;

/// Opens the bit stream of a BV graph. The parameters are beside it.
pub(crate) fn open(path: &Path, file: File) -> Result<Box<dyn ColumnarFile>, ImportError> {
    let beside = path.with_extension("properties");
    let text = files::read_small(&beside).map_err(|error| ImportError::io(&beside, error))?;
    let properties: HashMap<String, String> = text
        .lines()
        .filter(|line| !line.starts_with(['#', '!']))
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .collect();
    let unsupported = |what: String| ImportError::Unsupported {
        path: beside.clone(),
        what,
        advice: "convert it to a BV graph or to an edge list with WebGraph",
    };
    let property = |name: &str| properties.get(name).map_or("", String::as_str);
    let class = property("graphclass");
    if !class.ends_with(".BVGraph") {
        return Err(unsupported(format!("a graph of class `{class}`")));
    }
    let is_little = property("endianness") == LE::NAME;
    let flags = match is_little {
        true => CompFlags::from_properties::<LE>(&properties),
        false => CompFlags::from_properties::<BE>(&properties),
    };
    let flags = flags.map_err(|error| damaged(&beside, FORMAT, error.to_string()))?;
    let number = |name: &str| {
        property(name).parse::<u64>().map_err(|_| damaged(&beside, FORMAT, format!("it lacks the number of {name}")))
    };
    let (nodes, arcs) = (number("nodes")?, number("arcs")?);
    if flags.compression_window > MOST_WINDOW {
        return Err(unsupported(format!("a graph with a window of {} lists", flags.compression_window)));
    }
    let bytes = file.metadata().map_err(|error| ImportError::io(path, error))?.len();
    // A vertex takes at least one bit.
    if nodes > bytes.saturating_mul(8) {
        let detail = format!("{} declares {nodes} vertices, and {bytes} bytes cannot hold them", beside.display());
        return Err(damaged(path, FORMAT, detail));
    }
    Ok(Box::new(BvFile { path: path.into(), file, bytes, nodes, arcs, flags, is_little }))
}

struct BvFile {
    path: PathBuf,
    file: File,
    /// The size of the bit stream in bytes.
    bytes: u64,
    nodes: u64,
    arcs: u64,
    flags: CompFlags,
    /// Whether the bits of a word are read from the lowest to the highest.
    is_little: bool,
}

impl ColumnarFile for BvFile {
    fn columns(&self) -> Vec<TypedColumn> {
        ["source", "target"]
            .map(|name| TypedColumn {
                name: name.into(),
                class: ColumnClass::Unsigned,
                type_name: "numbers of vertices".into(),
            })
            .into()
    }

    fn declared(&self) -> (DeclaredVertices, Option<u64>) {
        (DeclaredVertices::Range { first: 0, count: self.nodes }, Some(self.arcs))
    }

    fn rows(self: Box<Self>, _: ChosenColumns) -> Result<Box<dyn ColumnarRows>, ImportError> {
        match self.is_little {
            true => BvRows::<LE>::open(*self),
            false => BvRows::<BE>::open(*self),
        }
    }
}

/// The edges of a BV graph.
struct BvRows<E: Endianness>
where
    Bits<E>: CodesRead<E, Error = io::Error>,
{
    path: PathBuf,
    lists: NodeLabels<CheckedDecoder<E>>,
    /// The number of lists that have been read.
    done: u64,
    nodes: u64,
    /// The number of declared edges that have not been read.
    arcs: u64,
    /// The sizes of what has been read and of the file, in bits.
    read: u64,
    bits: u64,
}

impl<E: Endianness> BvRows<E>
where
    Bits<E>: CodesRead<E, Error = io::Error> + BitSeek<Error = io::Error> + 'static,
{
    fn open(file: BvFile) -> Result<Box<dyn ColumnarRows>, ImportError> {
        let BvFile { path, file, bytes, nodes, arcs, mut flags, .. } = file;
        let bits = 8 * bytes;
        let window = flags.compression_window.min(nodes.max(1) as usize);
        flags.compression_window = window;
        let decoder = CheckedDecoder::new(FileWords::new(file), &flags, (nodes, arcs));
        let decoder = decoder.map_err(|error| damaged(&path, FORMAT, error))?;
        let lists = NodeLabels::new(decoder, nodes as usize, window, flags.min_interval_length);
        Ok(Box::new(Self { path, lists, done: 0, nodes, arcs, read: 0, bits }))
    }

    /// Appends the edges of the next list.
    fn list(&mut self, batch: &mut EdgeBatch) -> Result<(), Fault> {
        let list = self.lists.next_successors().map_err(|_| Fault::Contents("a list is malformed"))?;
        if !list.is_sorted_by(|one, next| one < next) {
            return Err(Fault::Contents("a list names a successor twice"));
        }
        batch.src.resize(batch.src.len() + list.len(), self.done);
        batch.dst.extend(list.iter().map(|target| *target as u64));
        self.arcs -= list.len() as u64;
        self.done += 1;
        self.read = self.lists.bit_pos().map_err(Fault::Io)?;
        if self.read > self.bits { Err(Fault::Contents(CUT)) } else { Ok(()) }
    }
}

impl<E: Endianness> ColumnarRows for BvRows<E>
where
    Bits<E>: CodesRead<E, Error = io::Error> + BitSeek<Error = io::Error> + 'static,
{
    fn next(&mut self, batch: &mut EdgeBatch) -> Result<bool, ImportError> {
        batch.clear();
        let read = quietly(|| {
            while self.done < self.nodes && batch.src.len() < BATCH {
                self.list(batch)?;
            }
            match self.arcs {
                1.. if self.done == self.nodes => {
                    Err(Fault::Contents("it has fewer edges than its parameters declare"))
                }
                _ => Ok(()),
            }
        });
        let fault = match read {
            Ok(Ok(())) => return Ok(!batch.src.is_empty()),
            Ok(Err(fault)) => Some(fault),
            Err(panic) => panic.downcast::<Fault>().ok().map(|fault| *fault),
        };
        batch.clear();
        Err(match fault {
            Some(Fault::Io(error)) => ImportError::io(&self.path, error),
            Some(Fault::Contents(detail)) => damaged(&self.path, FORMAT, detail.into()),
            None => damaged(&self.path, FORMAT, "a list is malformed".into()),
        })
    }

    fn progress(&self) -> (u64, u64) {
        (self.read / 8, self.bits / 8)
    }
}

/// The reason why a list cannot be read.
#[derive(Debug)]
enum Fault {
    Io(io::Error),
    Contents(&'static str),
}

const CUT: &str = "it ends too early";

impl Fault {
    /// Unwinds out of the crate's decoder, which cannot return an error.
    fn raise(self) -> ! {
        panic::resume_unwind(Box::new(self))
    }
}

/// Fails unless a condition holds.
fn check(holds: bool, problem: &'static str) {
    if !holds {
        Fault::Contents(problem).raise();
    }
}

type Bits<E> = BufBitReader<E, FileWords>;

/// The codes of the parts of a list.
struct ListCodes<E: Endianness>
where
    Bits<E>: CodesRead<E>,
{
    outdegrees: FuncCodeReader<E, Bits<E>>,
    references: FuncCodeReader<E, Bits<E>>,
    blocks: FuncCodeReader<E, Bits<E>>,
    intervals: FuncCodeReader<E, Bits<E>>,
    residuals: FuncCodeReader<E, Bits<E>>,
}

/// A decoder of numbers that passes on only those that a list can contain.
struct CheckedDecoder<E: Endianness>
where
    Bits<E>: CodesRead<E>,
{
    bits: Bits<E>,
    codes: ListCodes<E>,
    nodes: u64,
    /// The number of declared edges in this list and after it.
    arcs: u64,
    min_interval: u64,
    /// The lengths of the last lists, by vertex modulo the number of lists.
    lengths: Vec<u64>,
    /// The next vertex.
    next: u64,
    /// The number of successors that have not been decoded.
    left: u64,
    /// The length of the list from which successors are copied.
    reference: u64,
    /// The number of blocks of that list. Every second one is copied.
    block_count: u64,
    /// The number of blocks that have been read.
    block: u64,
    /// The end of the last block, the last interval or the last residual.
    at: u64,
    /// Whether an interval follows another one.
    has_interval: bool,
}

impl<E: Endianness> CheckedDecoder<E>
where
    Bits<E>: CodesRead<E, Error = io::Error>,
{
    fn new(words: FileWords, flags: &CompFlags, (nodes, arcs): (u64, u64)) -> Result<Self, String> {
        let code = |code| FuncCodeReader::new(code).map_err(|error| format!("a code is unknown: {error}"));
        Ok(Self {
            bits: BufBitReader::new(words),
            codes: ListCodes {
                outdegrees: code(flags.outdegrees)?,
                references: code(flags.references)?,
                blocks: code(flags.blocks)?,
                intervals: code(flags.intervals)?,
                residuals: code(flags.residuals)?,
            },
            nodes,
            arcs,
            min_interval: flags.min_interval_length as u64,
            lengths: vec![0; flags.compression_window + 1],
            next: 0,
            left: 0,
            reference: 0,
            block_count: 0,
            block: 0,
            at: 0,
            has_interval: false,
        })
    }

    fn read(&mut self, code: impl Fn(&ListCodes<E>) -> &FuncCodeReader<E, Bits<E>>) -> u64 {
        match code(&self.codes).read(&mut self.bits) {
            Ok(number) => number,
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Fault::Contents(CUT).raise(),
            Err(error) => Fault::Io(error).raise(),
        }
    }

    /// Counts successors that are decoded.
    fn take(&mut self, count: u64) {
        check(count <= self.left, "a list has more successors than it declares");
        self.left -= count;
    }

    /// Sets the end of what has been decoded to a vertex at a distance from another one.
    fn go(&mut self, vertex: Option<u64>) {
        match vertex.filter(|vertex| *vertex < self.nodes) {
            Some(vertex) => self.at = vertex,
            None => Fault::Contents("a list names a vertex that does not exist").raise(),
        }
    }

    /// Returns the vertex at a signed distance from the current vertex.
    fn near(&self, distance: u64) -> Option<u64> {
        (self.next - 1).checked_add_signed(distance.to_int())
    }
}

impl<E: Endianness> Decode for CheckedDecoder<E>
where
    Bits<E>: CodesRead<E, Error = io::Error>,
{
    fn read_outdegree(&mut self) -> u64 {
        let degree = self.read(|codes| &codes.outdegrees);
        check(degree <= self.nodes, "a list has more successors than there are vertices");
        check(degree <= self.arcs, "it has more edges than its parameters declare");
        self.arcs -= degree;
        self.left = degree;
        let place = self.next as usize % self.lengths.len();
        self.lengths[place] = degree;
        self.next += 1;
        degree
    }

    fn read_reference_offset(&mut self) -> u64 {
        let offset = self.read(|codes| &codes.references);
        let (vertex, lists) = (self.next - 1, self.lengths.len() as u64);
        check(offset < lists && offset <= vertex, "a list refers to one that is not in the window");
        self.reference = self.lengths[((vertex - offset) % lists) as usize];
        offset
    }

    fn read_block_count(&mut self) -> u64 {
        let count = self.read(|codes| &codes.blocks);
        check(count <= self.reference + 1, BLOCKS);
        (self.block_count, self.block, self.at) = (count, 0, 0);
        if count == 0 {
            self.take(self.reference);
        }
        count
    }

    fn read_block(&mut self) -> u64 {
        let block = self.read(|codes| &codes.blocks);
        check(block <= self.reference, BLOCKS);
        let length = block + u64::from(self.block > 0);
        check(length <= self.reference - self.at, BLOCKS);
        self.at += length;
        if self.block.is_multiple_of(2) {
            self.take(length);
        }
        self.block += 1;
        if self.block == self.block_count && self.block.is_multiple_of(2) {
            self.take(self.reference - self.at);
        }
        block
    }

    fn read_interval_count(&mut self) -> u64 {
        let count = self.read(|codes| &codes.intervals);
        check(count <= self.left / self.min_interval.max(1), "a list has more intervals than successors");
        self.has_interval = false;
        count
    }

    fn read_interval_start(&mut self) -> u64 {
        let start = self.read(|codes| &codes.intervals);
        let vertex = match self.has_interval {
            true => (self.at + 1).checked_add(start),
            false => self.near(start),
        };
        self.has_interval = true;
        self.go(vertex);
        start
    }

    fn read_interval_len(&mut self) -> u64 {
        let more = self.read(|codes| &codes.intervals);
        check(more <= self.left, "a list has more successors than it declares");
        let length = more + self.min_interval;
        self.take(length);
        check(length <= self.nodes - self.at, "a list names a vertex that does not exist");
        self.at += length;
        more
    }

    fn read_first_residual(&mut self) -> u64 {
        let distance = self.read(|codes| &codes.residuals);
        self.go(self.near(distance));
        distance
    }

    fn read_residual(&mut self) -> u64 {
        let distance = self.read(|codes| &codes.residuals);
        self.go((self.at + 1).checked_add(distance));
        distance
    }
}

const BLOCKS: &str = "a list copies more successors than another one has";

impl<E: Endianness> BitSeek for CheckedDecoder<E>
where
    Bits<E>: CodesRead<E> + BitSeek<Error = io::Error>,
{
    type Error = io::Error;

    fn bit_pos(&mut self) -> io::Result<u64> {
        self.bits.bit_pos()
    }

    fn set_bit_pos(&mut self, bit: u64) -> io::Result<()> {
        self.bits.set_bit_pos(bit)
    }
}

/// The words of a file. Some words of zeros follow its end.
struct FileWords {
    file: BufReader<File>,
    read: u64,
    /// The number of words of zeros that may still be read.
    padding: u64,
}

impl FileWords {
    fn new(file: File) -> Self {
        Self { file: BufReader::with_capacity(1 << 16, file), read: 0, padding: PADDING }
    }
}

impl WordRead for FileWords {
    type Error = io::Error;
    type Word = u32;

    fn read_word(&mut self) -> io::Result<u32> {
        let mut word = [0; 4];
        let mut filled = 0;
        while filled < word.len() {
            match self.file.read(&mut word[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if filled == 0 {
            self.padding = self.padding.checked_sub(1).ok_or(io::ErrorKind::UnexpectedEof)?;
        }
        self.read += 1;
        Ok(u32::from_ne_bytes(word))
    }
}

impl WordSeek for FileWords {
    type Error = io::Error;

    fn word_pos(&mut self) -> io::Result<u64> {
        Ok(self.read)
    }

    fn set_word_pos(&mut self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}
