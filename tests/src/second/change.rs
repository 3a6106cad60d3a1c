//! Changes to the words of a store: random changes, changes that pass most checks, and changes that keep the store
//! valid.

use super::Files;
use super::pages::{Entry, Pages};

/// Generates pseudorandom numbers that depend only on the seed.
#[derive(Clone, Debug)]
pub struct Draws(u64);

impl Draws {
    /// Creates a generator with a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// Draws 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Draws a number from 0 to `bound - 1`. `bound` must not be 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.bits() >> 33) as usize % bound
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        if all.is_empty() { None } else { all.get(self.below(all.len())) }
    }
}

/// Kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// A word of any file except the manifest.
    Word,
    /// A word of any file except the manifest and the pages: degrees, IDs, order, first neighbours or the page table.
    Table,
    /// A word in the header or the slots of a page.
    Frame,
    /// The target of an edge in one direction.
    Target,
    /// The value of an edge in one direction.
    Value,
    /// The value of an edge in both directions.
    ValueOfBoth,
    /// The targets of two edges, exchanged in one direction. All degrees stay the same.
    Crossing,
    /// The targets of two edges, exchanged in both directions.
    CrossingOfBoth,
    /// The target of an out-edge, with the in-degrees updated accordingly.
    TargetAndDegrees,
    /// Two in-degrees or two out-degrees. Their sum stays the same.
    Degrees,
    /// A word of the original IDs or of the vertex order.
    Id,
}

impl Change {
    /// All kinds of changes.
    pub const ALL: [Self; 11] = [
        Self::Word,
        Self::Table,
        Self::Frame,
        Self::Target,
        Self::Value,
        Self::ValueOfBoth,
        Self::Crossing,
        Self::CrossingOfBoth,
        Self::TargetAndDegrees,
        Self::Degrees,
        Self::Id,
    ];

    /// Changes the files at a random position without updating checksums. Does nothing if the store has no suitable
    /// position.
    pub fn apply(self, files: &mut Files, draws: &mut Draws) {
        // After other changes, a store may be unreadable and then has no edges to change.
        let _ = match self {
            Self::Word => word(files, draws, |name| name != "manifest"),
            Self::Table => word(files, draws, |name| name != "manifest" && !name.ends_with(".pages")),
            Self::Frame => frame(files, draws),
            Self::Target => {
                one_side(files, draws, |entry, vertices, draws| entry.vertex = draws.below(vertices) as u64)
            }
            Self::Value => one_side(files, draws, |entry, _, draws| entry.value = value(draws)),
            Self::ValueOfBoth => value_of_both(files, draws),
            Self::Crossing => crossing(files, draws, false),
            Self::CrossingOfBoth => crossing(files, draws, true),
            Self::TargetAndDegrees => target_and_degrees(files, draws),
            Self::Degrees => degrees(files, draws),
            Self::Id => word(files, draws, |name| name == "ids" || name == "order"),
        };
    }
}

/// Returns the bits of an edge value, sometimes those of NaN.
fn value(draws: &mut Draws) -> u64 {
    match draws.below(6) {
        0 => u64::MAX,
        1 => u64::from(f32::NAN.to_bits()),
        2 => draws.bits(),
        _ => u64::from((draws.below(90) as f32 / 4.0).to_bits()),
    }
}

/// Changes a word of a random file whose name satisfies `fits`.
fn word(files: &mut Files, draws: &mut Draws, fits: impl Fn(&str) -> bool) -> Option<()> {
    let names: Vec<String> = files.0.keys().filter(|name| fits(name) && !name.ends_with(".sums")).cloned().collect();
    let name = draws.of(&names)?;
    let bytes = files.0.get_mut(name)?;
    let words = bytes.len() / 4;
    let (at, other) = (4 * draws.below(words.max(1)), 4 * draws.below(words.max(1)));
    let found = u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?);
    let new = match draws.below(6) {
        0 => draws.bits() as u32,
        1 => found.wrapping_add(1),
        2 => found.wrapping_sub(1),
        3 => found ^ 1 << draws.below(32),
        4 => u32::from_le_bytes(bytes.get(other..other + 4)?.try_into().ok()?),
        _ => {
            // Exchange two words.
            (0..4).for_each(|byte| bytes.swap(at + byte, other + byte));
            return Some(());
        }
    };
    bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    Some(())
}

/// Changes a word in the header or the slots of a page, by one or at random.
fn frame(files: &mut Files, draws: &mut Draws) -> Option<()> {
    let page_size = files.number("page-size").ok()? as usize;
    let name = *draws.of(&sides(files))?;
    let bytes = files.0.get_mut(&format!("{name}.pages"))?;
    let page = page_size * draws.below(bytes.len() / page_size);
    let slots = u32::from_le_bytes(bytes[page + 8..page + 12].try_into().ok()?) as usize;
    let at = match draws.below(2) {
        0 => page + 4 * draws.below(4),
        _ => page + page_size - 4 * (1 + draws.below(slots.clamp(1, 900) + 1)),
    };
    let found = u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?);
    let new = [found.wrapping_add(1), found.wrapping_sub(1), draws.bits() as u32][draws.below(3)];
    bytes[at..at + 4].copy_from_slice(&new.to_le_bytes());
    Some(())
}

/// Returns the directions that the store contains.
fn sides(files: &Files) -> Vec<&'static str> {
    ["out", "in"].into_iter().filter(|side| files.0.contains_key(&format!("{side}.pages"))).collect()
}

/// Returns a random vertex with edges, and the index of a random edge in its list.
fn edge(pages: &Pages, draws: &mut Draws) -> Option<(usize, usize)> {
    let with_edges: Vec<usize> = (0..pages.lists.len()).filter(|&vertex| !pages.lists[vertex].is_empty()).collect();
    let vertex = *draws.of(&with_edges)?;
    Some((vertex, draws.below(pages.lists[vertex].len())))
}

/// Writes the lists of these vertices in one direction.
fn write(files: &mut Files, side: &str, pages: &Pages, vertices: &[usize]) -> Option<()> {
    let file = files.0.get_mut(&format!("{side}.pages"))?;
    vertices.iter().for_each(|&vertex| pages.write(file, vertex as u64, &pages.lists[vertex]));
    Some(())
}

/// Changes a random edge in one direction and sorts its list.
fn one_side(files: &mut Files, draws: &mut Draws, change: impl Fn(&mut Entry, usize, &mut Draws)) -> Option<()> {
    let side = *draws.of(&sides(files))?;
    let mut pages = Pages::read(files, side).ok()?;
    let (vertex, at) = edge(&pages, draws)?;
    let vertices = pages.lists.len();
    change(&mut pages.lists[vertex][at], vertices, draws);
    write(files, side, &pages, &[vertex])
}

/// Returns the position of an edge's twin: the entry in the list of its target that refers to the source.
fn twin(pages: &Pages, vertex: usize, entry: Entry) -> Option<(usize, usize)> {
    let target = entry.vertex as usize;
    let twin = Entry { vertex: vertex as u64, value: entry.value };
    Some((target, pages.lists[target].iter().position(|entry| *entry == twin)?))
}

/// Changes the value of an edge and of its twin.
fn value_of_both(files: &mut Files, draws: &mut Draws) -> Option<()> {
    let mut out = Pages::read(files, "out").ok()?;
    let (vertex, at) = edge(&out, draws)?;
    let entry = out.lists[vertex][at];
    let new = value(draws);
    if let Ok(mut incoming) = Pages::read(files, "in") {
        let (target, place) = twin(&incoming, vertex, entry)?;
        incoming.lists[target][place].value = new;
        write(files, "in", &incoming, &[target])?;
    } else if files.stated("symmetric").ok()? == "yes" {
        let (target, place) = twin(&out, vertex, entry)?;
        out.lists[target][place].value = new;
        write(files, "out", &out, &[target])?;
    }
    out.lists[vertex][at].value = new;
    write(files, "out", &out, &[vertex])
}

/// Exchanges the targets of the edges u to v and x to w, with their values, in one or both directions.
fn crossing(files: &mut Files, draws: &mut Draws, both: bool) -> Option<()> {
    let side = if both { "out" } else { *draws.of(&sides(files))? };
    let mut pages = Pages::read(files, side).ok()?;
    let ((u, at), (x, place)) = (edge(&pages, draws)?, edge(&pages, draws)?);
    let (first, second) = (pages.lists[u][at], pages.lists[x][place]);
    let symmetric = files.stated("symmetric").ok()? == "yes";
    let (v, w) = (first.vertex as usize, second.vertex as usize);
    // Edges with a common end are not exchanged.
    if u == x || v == w || (symmetric && (u == w || v == x || u == v || x == w)) {
        return None;
    }
    let come_from = |pages: &mut Pages| {
        let ((v, from_u), (w, from_x)) = (twin(pages, u, first)?, twin(pages, x, second)?);
        pages.lists[v][from_u] = Entry { vertex: x as u64, value: second.value };
        pages.lists[w][from_x] = Entry { vertex: u as u64, value: first.value };
        Some(())
    };
    // Values stay with their sources here, so the twins must exchange them.
    let swap = |pages: &mut Pages| {
        pages.lists[u][at].vertex = second.vertex;
        pages.lists[x][place].vertex = first.vertex;
    };
    if both && symmetric {
        come_from(&mut pages)?;
    } else if let (true, Ok(mut incoming)) = (both, Pages::read(files, "in")) {
        come_from(&mut incoming)?;
        write(files, "in", &incoming, &[v, w])?;
    }
    swap(&mut pages);
    write(files, side, &pages, &[u, x, v, w])?;
    if side == "out" { facts_of_edges(files, &pages) } else { Some(()) }
}

/// Updates the table of first neighbours and the number of self-loops.
fn facts_of_edges(files: &mut Files, pages: &Pages) -> Option<()> {
    let lists = || (0..).zip(&pages.lists).flat_map(|(src, list)| list.iter().map(move |entry| (src, entry.vertex)));
    files.state("self-loop-count", lists().filter(|(src, dst): &(u64, u64)| src == dst).count() as u64);
    let first = |list: &Vec<Entry>| list.iter().map(|entry| entry.vertex as u32).min().unwrap_or(u32::MAX);
    let heads = pages.lists.iter().flat_map(|list| first(list).to_le_bytes()).collect();
    files.0.get_mut("heads").map(|table| *table = heads).or(Some(()))
}

/// Changes the target of an out-edge. Updates the table of in-degrees and the manifest.
fn target_and_degrees(files: &mut Files, draws: &mut Draws) -> Option<()> {
    let mut pages = Pages::read(files, "out").ok()?;
    let (vertex, at) = edge(&pages, draws)?;
    pages.lists[vertex][at].vertex = draws.below(pages.lists.len()) as u64;
    write(files, "out", &pages, &[vertex])?;
    facts_of_edges(files, &pages)?;
    let table: Vec<u32> = pages.turned_around().iter().map(|list| list.len() as u32).collect();
    files.state("largest-in-degree", u64::from(table.iter().copied().max().unwrap_or(0)));
    let degrees = files.0.get_mut("in.degrees")?;
    *degrees = table.iter().flat_map(|degree| degree.to_le_bytes()).collect();
    Some(())
}

/// Moves an edge from one degree to another in the same table, and updates the manifest.
fn degrees(files: &mut Files, draws: &mut Draws) -> Option<()> {
    let names: Vec<_> =
        ["in", "out"].into_iter().filter(|side| files.0.contains_key(&format!("{side}.degrees"))).collect();
    let side = *draws.of(&names)?;
    let mut table = files.table::<4>(&format!("{side}.degrees")).ok()?;
    let (from, to) = (draws.below(table.len()), draws.below(table.len()));
    table[from] = table[from].checked_sub(1)?;
    table[to] += 1;
    files.state(&format!("largest-{side}-degree"), table.iter().copied().max().unwrap_or(0));
    let bytes = table.iter().flat_map(|&degree| (degree as u32).to_le_bytes()).collect();
    files.0.insert(format!("{side}.degrees"), bytes);
    Some(())
}
