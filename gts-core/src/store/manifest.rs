//! The manifest of a store, which describes the store as text.
//!
//! Every line contains a key and a value, in a fixed order. The last line contains the checksum of all previous lines.
//! The parser accepts arbitrary bytes, which may be hostile, without panicking. The caller still has to check the
//! values against the files.

use super::StoreError;
use super::directory::Directory;
use super::files::{FileEntry, FileName, MANIFEST, failed};
use super::io::Io;
use super::keys::StoredKeys;
use crate::graph::{Kept, MOST_LAYERS, Properties, VertexOrder};
use crate::page::{EDGE_VALUE_TYPES, IdWidth, MIN_STORE_PAGE_SIZE, PageFormat};
use gts_contract::{ScalarType, Side};
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// The store version that this code reads and writes.
pub(super) const VERSION: u64 = 6;
/// Maximum number of stripes per store.
pub(super) const MOST_STRIPES: usize = 64;
/// Maximum number of notes in a manifest.
const MOST_NOTES: usize = 16;
/// Maximum number of bytes per note.
const NOTE_BYTES: usize = 1 << 10;
/// Maximum number of bytes in a manifest. Most manifests have about one thousand. A manifest of a layer-ordered graph
/// has room for [`MOST_LAYERS`].
const MAX_BYTES: u64 = (64 << 10) + (MOST_LAYERS as u64 + 1) * LAYER_BYTES;
/// Maximum number of bytes per layer start.
const LAYER_BYTES: u64 = 11;
/// The first words of a manifest.
const MAGIC: &str = "gts store ";
/// Maximum number of characters of an invalid line that an error includes.
const SHOWN: usize = 80;

/// The description of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) vertices: u64,
    pub(crate) edges: u64,
    pub(crate) properties: Properties,
    pub(crate) keys: StoredKeys,
    pub(crate) page_size: u32,
    pub(crate) out: Pages,
    pub(crate) incoming: Option<Pages>,
    /// The directories that contain the pages; empty if the pages are in the manifest's directory.
    pub(crate) stripes: Vec<PathBuf>,
    /// Notes from the reader of the input.
    pub(crate) notes: Vec<String>,
    pub(crate) files: Vec<FileEntry>,
}

/// The description of the pages of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pages {
    pub(crate) width: IdWidth,
    pub(crate) count: u32,
}

impl Manifest {
    /// Returns the text of the manifest, including its checksum.
    pub(super) fn to_text(&self) -> String {
        let properties = &self.properties;
        let yes = |holds| if holds { "yes" } else { "no" };
        let or_none = |value: Option<String>| value.unwrap_or_else(|| "none".to_owned());
        let pages = |pages: &Pages| format!("{} {}", pages.width, pages.count);
        let lines = [
            ("vertices", self.vertices.to_string()),
            ("edges", self.edges.to_string()),
            ("order", properties.order.to_string()),
            ("symmetric", yes(properties.symmetric).to_owned()),
            ("sorted", yes(properties.sorted).to_owned()),
            ("duplicates", properties.duplicates.to_string()),
            ("self-loops", properties.self_loops.to_string()),
            ("self-loop-count", properties.num_self_loops.to_string()),
            ("largest-out-degree", properties.largest_out_degree.to_string()),
            ("largest-in-degree", properties.largest_in_degree.to_string()),
            ("values", or_none(properties.value_type.map(|scalar| scalar.to_string()))),
            ("bipartite-rows", or_none(properties.bipartite_rows.map(|rows| rows.to_string()))),
            ("ids", self.keys.text()),
            ("page-size", self.page_size.to_string()),
            ("out", pages(&self.out)),
            ("in", or_none(self.incoming.as_ref().map(pages))),
        ];
        let mut text = format!("{MAGIC}{VERSION}\n");
        for (key, value) in lines {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{key} {value}");
            if key == "order" && !properties.layers.is_empty() {
                let starts = properties.layers.iter().map(|start| format!(" {start}"));
                let _ = writeln!(text, "layers{}", starts.collect::<String>());
            }
        }
        let _ = writeln!(text, "stripes {}", self.stripes.len());
        for stripe in &self.stripes {
            let _ = writeln!(text, "stripe {}", stripe.display());
        }
        let notes = &self.notes[..self.notes.len().min(MOST_NOTES)];
        let _ = writeln!(text, "notes {}", notes.len());
        for note in notes {
            let _ = writeln!(text, "note {}", kept_note(note));
        }
        for file in &self.files {
            let _ = writeln!(text, "file {} {} {:016x}", file.name.text(), file.bytes, file.checksum);
        }
        let checksum = xxh3_64(text.as_bytes());
        let _ = writeln!(text, "checksum {checksum:016x}");
        text
    }

    /// Parses the text of a manifest. `path` is the path for error messages.
    pub(super) fn parse(bytes: &[u8], path: &Path) -> Result<Self, StoreError> {
        let mut lines = Lines { path, rest: check_text(bytes, path)?, line: 0 };
        check_version(&mut lines)?;
        let vertices = lines.number("vertices", u64::from(u32::MAX))?;
        let edges = lines.number("edges", u64::MAX)?;
        let orders = "original, random:SEED, degree, layers:ROOT or inherited";
        let order = lines.choice("order", orders, VertexOrder::stated)?;
        let layers = match order {
            VertexOrder::Layers { .. } => {
                let starts = "0, then where each layer ends, ascending, up to the number of vertices";
                lines.choice("layers", starts, |value| layers(value, vertices))?
            }
            _ => Arc::default(),
        };
        let symmetric = lines.yes("symmetric")?;
        let sorted = lines.choice("sorted", "yes", |value| (value == "yes").then_some(true))?;
        let duplicates = lines.kept("duplicates")?;
        let self_loops = lines.kept("self-loops")?;
        let num_self_loops = lines.self_loop_count(edges, symmetric, self_loops)?;
        let largest_out_degree = lines.number("largest-out-degree", u64::from(u32::MAX))? as u32;
        let largest_in_degree = lines.number("largest-in-degree", u64::from(u32::MAX))? as u32;
        let value_type = lines.choice("values", "none, u32, i32, f32, u64 or f64", scalar)?;
        let bipartite_rows =
            lines.choice("bipartite-rows", "none, or a number up to that of the vertices", |value| {
                optional(value, |value| value.parse().ok().filter(|&rows| rows <= vertices))
            })?;
        let keys = "`list`, `from` and the first ID, either of them after `signed`, `uuid`, or `text` and its bytes; any of them \
                    after `sided` if there are rows";
        let keys = lines.choice("ids", keys, |value| {
            StoredKeys::parse(value, vertices).filter(|keys| !keys.form.has_sides || bipartite_rows.is_some())
        })?;
        let page_size = lines.number("page-size", u64::from(u32::MAX))? as u32;
        if page_size < MIN_STORE_PAGE_SIZE {
            return Err(lines.error(page_size.to_string(), format!("a page size from {MIN_STORE_PAGE_SIZE} on")));
        }
        let pages = "the width of record IDs, such as 2,2, and the number of pages";
        let out = lines.choice("out", pages, Pages::parse)?;
        let incoming = lines.choice("in", pages, |value| optional(value, Pages::parse))?;
        for pages in [Some(out), incoming].into_iter().flatten() {
            PageFormat::new(page_size, pages.width, value_type)
                .map_err(|source| StoreError::Format { path: path.to_owned(), source })?;
        }
        let (stripes, notes) = (lines.stripes()?, lines.notes()?);
        let properties = Properties {
            order,
            layers,
            symmetric,
            sorted,
            duplicates,
            self_loops,
            num_self_loops,
            largest_out_degree,
            largest_in_degree,
            value_type,
            bipartite_rows,
        };
        let mut manifest =
            Self { vertices, edges, properties, keys, page_size, out, incoming, stripes, notes, files: Vec::new() };
        let Some(expected) = expected_files(&manifest) else {
            return Err(lines.error("pages".to_owned(), "files of fewer than 2^64 bytes".to_owned()));
        };
        for (name, bytes) in expected {
            manifest.files.push(lines.file(name, bytes)?);
        }
        match lines.rest {
            "" => Ok(manifest),
            rest => Err(lines.error(rest.to_owned(), "the checksum".to_owned())),
        }
    }
}

/// Reads the manifest of a store.
pub(super) fn read_manifest(io: &dyn Io, directory: &Directory) -> Result<Manifest, StoreError> {
    let path = directory.path().join(MANIFEST);
    let mut reader = io.open_in(directory, MANIFEST).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            StoreError::NotAStore { path: directory.path().to_owned(), reason: "it has no manifest" }
        }
        _ => failed("open", &path)(error),
    })?;
    let len = reader.len().map_err(failed("read the size of", &path))?;
    if len > MAX_BYTES {
        return Err(StoreError::Size { path, found: len, expected: MAX_BYTES });
    }
    let mut bytes = vec![0; len as usize];
    reader.read_exact(&mut bytes).map_err(failed("read", &path))?;
    Manifest::parse(&bytes, &path)
}

/// Returns the files that a store must have, with their sizes. Returns `None` if a size exceeds 64 bits.
pub(super) fn expected_files(manifest: &Manifest) -> Option<Vec<(FileName, u64)>> {
    let mut files = Vec::new();
    let mut side = |side, pages: Pages| {
        let count = u64::from(pages.count);
        files.push((FileName::Pages(side), count.checked_mul(u64::from(manifest.page_size))?));
        files.push((FileName::Sums(side), count.checked_mul(8)?));
        files.push((FileName::StartVids(side), count.checked_mul(8)?));
        files.push((FileName::LpRanges(side), count.checked_mul(4)?));
        files.push((FileName::Imbalance(side), count.checked_mul(8)?));
        Some(())
    };
    side(Side::Out, manifest.out)?;
    if let Some(pages) = manifest.incoming {
        side(Side::In, pages)?;
    }
    let four = manifest.vertices.checked_mul(4)?;
    files.push((FileName::Degrees(Side::Out), four));
    if !manifest.properties.symmetric {
        files.push((FileName::Degrees(Side::In), four));
    }
    files.extend(manifest.keys.files(manifest.vertices)?);
    if manifest.properties.order != VertexOrder::Original {
        files.push((FileName::Order, four));
    }
    if manifest.properties.order == VertexOrder::Degree {
        files.push((FileName::Heads, four));
    }
    Some(files)
}

/// Parses the starts of the layers. Returns `None` if the starts are impossible in a graph of `vertices` vertices.
fn layers(text: &str, vertices: u64) -> Option<Arc<[u32]>> {
    let starts: Vec<u32> = text.split(' ').map(canonical).collect::<Option<_>>()?;
    let ascends = starts.is_sorted_by(|one, next| one < next);
    let last = starts.last().is_some_and(|&last| u64::from(last) <= vertices);
    let count = (2..=MOST_LAYERS + 1).contains(&starts.len());
    (count && starts[0] == 0 && ascends && last).then(|| starts.into())
}

impl Pages {
    fn parse(text: &str) -> Option<Self> {
        let (width, count) = text.split_once(' ')?;
        let pages = Self { width: canonical(width)?, count: canonical(count)? };
        (u64::from(pages.count) <= pages.width.max_pages()).then_some(pages)
    }
}

/// Checks that the bytes are text that ends with the checksum of the preceding lines, and returns the text without the
/// checksum. The version is checked first, because other versions may use a different checksum.
fn check_text<'a>(bytes: &'a [u8], path: &Path) -> Result<&'a str, StoreError> {
    let foreign = StoreError::NotAStore { path: path.to_owned(), reason: "its manifest is not that of a graph" };
    let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let version = std::str::from_utf8(first).ok().and_then(|line| line.strip_prefix(MAGIC)).ok_or(foreign)?;
    if let Some(found) = canonical(version).filter(|&found| found != VERSION) {
        return Err(StoreError::Version { path: path.to_owned(), found, known: VERSION });
    }
    let line = bytes.iter().filter(|&&byte| byte == b'\n').count() as u32;
    let damaged = |found: &str| StoreError::Manifest {
        path: path.to_owned(),
        line: line.max(1),
        found: shown(found),
        expected: "the manifest's checksum".to_owned(),
    };
    let text = std::str::from_utf8(bytes).map_err(|_| damaged("bytes that are no text"))?;
    let body = text.strip_suffix('\n').ok_or_else(|| damaged("no end of line"))?;
    let start = body.rfind('\n').map_or(0, |end| end + 1);
    let (body, last) = body.split_at(start);
    let stated = last.strip_prefix("checksum ").and_then(hexadecimal).ok_or_else(|| damaged(last))?;
    match xxh3_64(body.as_bytes()) {
        found if found == stated => Ok(body),
        found => Err(StoreError::Checksum { path: path.to_owned(), found, expected: stated }),
    }
}

fn check_version(lines: &mut Lines<'_>) -> Result<(), StoreError> {
    let line = lines.next().unwrap_or_default();
    match line.strip_prefix(MAGIC).and_then(canonical::<u64>) {
        Some(VERSION) => Ok(()),
        _ => Err(lines.error(line.to_owned(), format!("{MAGIC}{VERSION}"))),
    }
}

/// Converts a note to the form stored in a manifest: one line, truncated to [`NOTE_BYTES`].
fn kept_note(note: &str) -> String {
    let mut kept = String::with_capacity(note.len().min(NOTE_BYTES));
    for c in note.chars().map(|c| if c.is_control() { ' ' } else { c }) {
        if kept.len() + c.len_utf8() > NOTE_BYTES {
            break;
        }
        kept.push(c);
    }
    kept
}

/// The lines that have not been read.
struct Lines<'a> {
    path: &'a Path,
    rest: &'a str,
    line: u32,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (line, rest) = self.rest.split_once('\n')?;
        self.rest = rest;
        self.line += 1;
        Some(line)
    }

    fn error(&self, found: String, expected: String) -> StoreError {
        StoreError::Manifest { path: self.path.to_owned(), line: self.line, found: shown(&found), expected }
    }

    /// Reads the next line, which must begin with `key`, and parses its value with `read`.
    fn choice<T>(&mut self, key: &str, expected: &str, read: impl FnOnce(&str) -> Option<T>) -> Result<T, StoreError> {
        let line = self.next();
        let value = line.and_then(|line| line.strip_prefix(key)).and_then(|rest| rest.strip_prefix(' '));
        value
            .and_then(read)
            .ok_or_else(|| self.error(line.unwrap_or("the end").to_owned(), format!("`{key}` and {expected}")))
    }

    fn number(&mut self, key: &str, max: u64) -> Result<u64, StoreError> {
        self.choice(key, &format!("a number up to {max}"), |value| canonical(value).filter(|&number| number <= max))
    }

    fn yes(&mut self, key: &str) -> Result<bool, StoreError> {
        self.choice(key, "yes or no", |value| match value {
            "yes" => Some(true),
            "no" => Some(false),
            _ => None,
        })
    }

    fn kept(&mut self, key: &str) -> Result<Kept, StoreError> {
        self.choice(key, "kept or dropped", |value| {
            [Kept::Kept, Kept::Dropped].into_iter().find(|kept| kept.to_string() == value)
        })
    }

    /// Reads and validates the number of self-loops in a graph with `edges` edges.
    fn self_loop_count(&mut self, edges: u64, symmetric: bool, kept: Kept) -> Result<u64, StoreError> {
        self.choice("self-loop-count", "a number of edges that fits what is stated before", |value| {
            let count = canonical(value)?;
            let others = edges.checked_sub(count)?;
            // A symmetric graph contains the reverse of every edge that is not a self-loop.
            let in_pairs = !symmetric || others.is_multiple_of(2);
            (in_pairs && (kept == Kept::Kept || count == 0)).then_some(count)
        })
    }

    /// Reads the notes of the input's reader.
    fn notes(&mut self) -> Result<Vec<String>, StoreError> {
        let count = self.number("notes", MOST_NOTES as u64)?;
        let note = |value: &str| (kept_note(value) == value).then(|| value.to_owned());
        let expected = format!("a text of at most {NOTE_BYTES} bytes");
        (0..count).map(|_| self.choice("note", &expected, note)).collect()
    }

    /// Reads the directories that contain the pages; empty if the pages are in the store's directory.
    fn stripes(&mut self) -> Result<Vec<PathBuf>, StoreError> {
        let expected = format!("a number up to {MOST_STRIPES}");
        let count =
            self.choice("stripes", &expected, |value| canonical(value).filter(|&count| count <= MOST_STRIPES))?;
        let absolute = |value: &str| Some(PathBuf::from(value)).filter(|path| path.is_absolute());
        (0..count).map(|_| self.choice("stripe", "the path of a directory", absolute)).collect()
    }

    /// Reads the entry of a file. The name and size of the file follow from previous lines.
    fn file(&mut self, name: FileName, bytes: u64) -> Result<FileEntry, StoreError> {
        let expected = format!("{} {bytes} and a checksum of 16 digits", name.text());
        let start = format!("{} {bytes} ", name.text());
        self.choice("file", &expected, |value| {
            let checksum = value.strip_prefix(&start).and_then(hexadecimal)?;
            Some(FileEntry { name, bytes, checksum })
        })
    }
}

/// Parses a value in the form that this program writes, without a sign or leading zeros.
fn canonical<T: FromStr + ToString>(text: &str) -> Option<T> {
    text.parse::<T>().ok().filter(|value| value.to_string() == text)
}

fn hexadecimal(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok().filter(|number| format!("{number:016x}") == text)
}

fn optional<T>(text: &str, read: impl FnOnce(&str) -> Option<T>) -> Option<Option<T>> {
    if text == "none" { Some(None) } else { read(text).map(Some) }
}

fn scalar(text: &str) -> Option<Option<ScalarType>> {
    optional(text, |text| EDGE_VALUE_TYPES.into_iter().find(|scalar| scalar.name() == text))
}

fn shown(text: &str) -> String {
    text.chars().take(SHOWN).collect()
}
