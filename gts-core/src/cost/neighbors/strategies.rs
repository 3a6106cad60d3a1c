//! This project's model: the cost of a kernel's pass over all its edges, by technique and direction.
//!
//! The model uses three kinds of numbers. Properties of the graph and the kernel are counted: entries, lane-steps,
//! bytes, attributes and the largest in-degree. Properties of the machine are measured individually (`gts devices
//! --measure`). The numbers of instructions and waits are estimated from the loops in the device code.
//!
//! A pass uses several resources concurrently. Warps that use one resource do not wait for warps that use another
//! resource, but each warp uses its resources one after the other. Therefore the first four terms combine as the square
//! root of their summed squares, a value between the longest term and the sum. The last two terms, contention and tail,
//! describe serial work. The time of a pass is the maximum of the combined term and the last two:
//!
//! - *memory*: sequential accesses to pages and sources; random accesses, which are faster if the cache contains the
//!   vertices with many edges; and sectors of entries that the lanes of a warp do not read together;
//! - *own caches*: reads of such sectors that the cores' own caches serve instead of memory, in scans whose entries
//!   refer to nearby vertices;
//! - *waits*: the time that warps wait in each step, for an entry and for the entry's vertex, divided by the number of
//!   concurrent warps. Lanes without an entry also wait, which is the cost of imbalance;
//! - *instructions*: the instructions of all lanes, including lanes without an entry;
//! - *contention*: serial updates of the vertex with the most edges. If repeating an update has no effect, threads
//!   check the value first, and few threads update the vertex;
//! - *tail*: the time in which lanes walk the longest list of a small page entry by entry, or in which a warp walks its
//!   share of a page window by window.

use crate::cost::accesses::{AccessConstants, AccessTime, seconds};
use crate::cost::algorithm::KernelShape;
use crate::cost::machine::{ProcessorConstants, ProcessorKind};
use crate::graph::{DegreeClass, GraphShape, ListClass, ListShape};
use crate::page::LANES;
use gts_contract::{KernelKind, Side, Technique};

/// The number of lanes per warp.
const WARP: f64 = 32.0;
/// The size of a memory transaction in bytes.
const SECTOR: f64 = 32.0;
/// The number of four-byte values in a sector. Nearby accesses share a sector.
const VALUES_A_SECTOR: f64 = 8.0;
/// The size of a slot in bytes.
const SLOT: f64 = 4.0;
/// The working set in bytes for accesses that hit the core's own cache.
const OWN_CACHE: f64 = (64 << 10) as f64;
/// Instructions per warp and entry: for the record, the first vertex of the target page, and the loop.
const STEP_INSTRUCTIONS: f64 = 20.0;
/// Instructions per warp and attribute accessed at the neighbour: for the address, the access, and the body's work.
const ACCESS_INSTRUCTIONS: f64 = 6.0;
/// Instructions per warp and visit of a vertex: for the slots, the activity check, reads at the source, and the end of
/// the visit.
const VISIT_INSTRUCTIONS: f64 = 40.0;
/// Instructions per warp with equal shares: for a window of 32 entries, and for searching 32 vertices for the owners of
/// the entries. The search is needed if the entries belong to several lists.
const WINDOW_INSTRUCTIONS: f64 = 30.0;
const LOOK_INSTRUCTIONS: f64 = 30.0;
/// Instructions per warp if lanes combine the values that they gathered for one vertex.
const JOIN_INSTRUCTIONS: f64 = 30.0;
/// The number of threads per block, and the number of entries in a block's part of a page.
const BLOCK: f64 = 256.0;
const CHUNK: f64 = 4096.0;
/// The slowdown of a program with two loops compared with a program with one loop. The program reserves registers for
/// both loops, so fewer warps run concurrently. On an H200, the hybrid technique took 1.07 to 1.09 times as long as one
/// thread per vertex even if every page used the loop with one thread per vertex.
const TWO_LOOPS: f64 = 1.07;
/// The size in bytes of the source vertex stored with each target in an edge list.
const LISTED_SOURCE: f64 = 4.0;
/// Minimum number of entries per vertex for which the hybrid technique uses equal shares for a page even if its lists
/// are equally long. On an H200 with RMAT 24, values of 2 and 4 made no difference. A value of 16 gained 0.5 % in
/// degree order, and lost 23 % in random order with pages of 1 MiB.
const SHORT_LISTS: f64 = 4.0;
/// The number of entries in a warp's share if all warps get equal shares.
const SHARE: f64 = 512.0;
/// The number of entries in flight in a pulling loop, and of windows in flight in a pushing loop. The source requests
/// unrolling of both loops by four. The value for the pulling loop is an estimate: half of this number.
const PULLED_AHEAD: f64 = 2.0;
const WINDOWS_AHEAD: f64 = 4.0;
/// Waits per entry: one for the record, and one for the record's vertex.
const ENTRY_WAITS: f64 = 2.0;
/// Waits before the first entry of a vertex: one for the slots, and one for the values read at the vertex.
const VISIT_WAITS: f64 = 2.0;

/// The predicted cost of a pass: seconds by cause, and the underlying figures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// Bytes read and written sequentially.
    pub bytes: f64,
    /// The number of 32-byte sectors transferred by random accesses.
    pub sectors: f64,
    /// The share of random accesses whose vertex is cached.
    pub cached: f64,
    /// Lane-steps per entry; 1 without imbalance.
    pub imbalance: f64,
    /// Seconds spent on memory accesses.
    pub memory: f64,
    /// Seconds spent on accesses to the cores' own caches.
    pub own_caches: f64,
    /// Seconds spent waiting for reads.
    pub waits: f64,
    /// Seconds spent executing instructions.
    pub instructions: f64,
    /// Seconds spent updating the most contended vertex.
    pub contention: f64,
    /// Seconds spent walking the longest list.
    pub tail: f64,
}

impl Terms {
    /// Returns the predicted seconds of the pass.
    pub fn seconds(&self) -> f64 {
        let shared = self.memory.hypot(self.own_caches).hypot(self.waits).hypot(self.instructions);
        shared.max(self.contention).max(self.tail)
    }

    /// Returns the name of the longest term.
    pub fn bound(&self) -> &'static str {
        self.all().into_iter().fold(("memory", 0.0), |most, next| if next.1 > most.1 { next } else { most }).0
    }

    fn all(&self) -> [(&'static str, f64); 6] {
        [
            ("memory", self.memory),
            ("own caches", self.own_caches),
            ("waits", self.waits),
            ("instructions", self.instructions),
            ("contention", self.contention),
            ("the longest list", self.tail),
        ]
    }
}

/// A pass of a kernel: the graph's lists and the work per edge.
#[derive(Clone, Copy, Debug)]
pub struct PassShape<'a> {
    /// The kernel that the pass runs.
    pub kernel: &'a KernelShape,
    /// The lists of the topology that the pass walks.
    pub lists: &'a ListShape,
    /// The size of an entry in bytes, including the edge value.
    pub entry_bytes: f64,
    /// The number of parts per page. One block processes each part.
    pub chunks: f64,
    /// The number of vertices in the graph.
    pub vertices: f64,
    /// The maximum number of edges that update one vertex.
    pub most_updates: f64,
    /// The degree classes of the vertices; empty if unknown.
    pub classes: &'a [DegreeClass],
    /// Whether the pass pulls.
    pub pulls: bool,
}

impl<'a> PassShape<'a> {
    /// Creates the pass of a kernel over the first topology that the kernel walks, or over the opposite topology if the
    /// pass pulls. Returns `None` if the graph lacks this topology, if the kernel cannot pull, or if the kernel walks
    /// no edges.
    pub fn of(graph: &'a GraphShape, kernel: &'a KernelShape, pulls: bool) -> Option<Self> {
        let own = *kernel.sides.first()?;
        let side = if pulls { own.opposite() } else { own };
        let topology = graph.topology(side)?;
        if kernel.kind == KernelKind::Intersect || (pulls && !kernel.may_pull) {
            return None;
        }
        let lists = match side {
            Side::In if !graph.symmetric => graph.in_lists.as_ref()?,
            _ => &graph.lists,
        };
        Some(Self {
            kernel,
            lists,
            entry_bytes: topology.entry_bytes() as f64,
            chunks: (f64::from(topology.page_size) / topology.entry_bytes() as f64 / CHUNK).ceil(),
            vertices: graph.vertices as f64,
            most_updates: graph.largest_degree(own.opposite()) as f64,
            classes: &graph.classes,
            pulls,
        })
    }

    /// Returns the cost of the pass with the given technique on a GPU.
    pub fn terms(&self, technique: Technique, machine: &ProcessorConstants) -> Terms {
        let model =
            PassModel { pass: self, machine, accesses: &machine.accesses, cached: self.cached(&machine.accesses) };
        model.terms(technique)
    }

    /// Returns the seconds that a pulling pass needs to check, for every vertex, whether the vertex must search for an
    /// active neighbour. The check consists of sequential reads at the vertex and the instructions of a visit.
    pub fn asking(&self, machine: &ProcessorConstants) -> f64 {
        let memory = self.vertices * self.kernel.merged as f64 / machine.memory_rate;
        memory.hypot(self.vertices / WARP * VISIT_INSTRUCTIONS * machine.accesses.instruction)
    }

    /// Returns whether the hybrid technique assigns one thread to each vertex of a page. `pass_seconds` is the time of
    /// the pass with equal shares. The time for a single list must not exceed the longer of `pass_seconds` and the time
    /// of a launch.
    pub fn prefers_vertices(&self, page: &ListClass, pass_seconds: f64, machine: &ProcessorConstants) -> bool {
        let model = PassModel { pass: self, machine, accesses: &machine.accesses, cached: 0.0 };
        model.prefers_vertices(page, pass_seconds)
    }

    /// Returns all page-based techniques with their costs, cheapest first.
    pub fn ranked(&self, machine: &ProcessorConstants) -> Vec<(Technique, Terms)> {
        let mut all: Vec<_> =
            Technique::of_pages().map(|technique| (technique, self.terms(technique, machine))).collect();
        all.sort_by(|(_, one), (_, other)| one.seconds().total_cmp(&other.seconds()));
        all
    }

    /// Returns the number of bytes per vertex that the pass accesses at random.
    fn random_bytes(&self) -> f64 {
        match (self.pulls, self.kernel.kind) {
            (true, KernelKind::Traverse) => self.kernel.at_source as f64,
            (true, _) => self.kernel.handed.unwrap_or(0) as f64,
            (false, _) => self.kernel.target.bytes as f64,
        }
    }

    /// Returns the share of random accesses whose vertex is cached. The cache is assumed to contain the vertices with
    /// the most edges.
    fn cached(&self, accesses: &AccessConstants) -> f64 {
        let each = self.random_bytes();
        let walks_out = self.kernel.sides.first() == Some(&Side::Out);
        // Accesses go to the neighbour of each entry. In a push along out-edges, the neighbour often has many in-edges.
        let degree = |class: &DegreeClass| if walks_out != self.pulls { class.in_degree } else { class.out_degree };
        let mut classes: Vec<_> = self.classes.iter().map(|class| (degree(class), class.vertices)).collect();
        classes.sort_by(|one, other| other.0.total_cmp(&one.0));
        let all: f64 = classes.iter().map(|(degree, vertices)| degree * vertices).sum();
        let (mut room, mut found) = (accesses.cache as f64, 0.0);
        for (degree, vertices) in classes {
            let fits = if each > 0.0 { vertices.min(room / each) } else { vertices };
            found += degree * fits;
            room -= fits * each;
        }
        if all > 0.0 { found / all } else { 1.0 }
    }
}

/// A pass with the machine that runs it.
struct PassModel<'a> {
    pass: &'a PassShape<'a>,
    machine: &'a ProcessorConstants,
    accesses: &'a AccessConstants,
    cached: f64,
}

impl PassModel<'_> {
    fn terms(&self, technique: Technique) -> Terms {
        let lists = self.pass.lists;
        // All threads of a block share a large page, as with equal shares but without the search.
        let large = ListClass {
            pages: 1.0,
            vertices: 1.0,
            entries: lists.large_entries,
            lane_steps: [lists.large_entries; LANES.len()],
            longest: 0.0,
        };
        let mut sum = Terms::default();
        let mut steps = 0.0;
        let balanced = || lists.classes.iter().map(|class| self.of_class(class, Technique::Balanced).seconds()).sum();
        let pass_seconds: f64 = if technique == Technique::Hybrid { balanced() } else { 0.0 };
        for (class, is_large) in
            lists.classes.iter().map(|class| (class, false)).chain((large.entries > 0.0).then_some((&large, true)))
        {
            let used = match technique {
                Technique::EdgeList(_) => technique,
                _ if is_large => Technique::Balanced,
                Technique::Hybrid if self.prefers_vertices(class, pass_seconds) => Technique::Vertex,
                Technique::Hybrid => Technique::Balanced,
                other => other,
            };
            let terms = self.of_class(class, used);
            sum.bytes += terms.bytes;
            sum.sectors += terms.sectors;
            sum.memory += terms.memory;
            sum.own_caches += terms.own_caches;
            sum.waits += terms.waits;
            sum.instructions += terms.instructions;
            // Large pages take the same time with every technique.
            sum.tail = if is_large { sum.tail } else { sum.tail.max(terms.tail) };
            steps += terms.imbalance * class.entries;
        }
        if technique == Technique::Hybrid {
            let shared = [&mut sum.memory, &mut sum.own_caches, &mut sum.waits, &mut sum.instructions];
            shared.into_iter().for_each(|seconds| *seconds *= TWO_LOOPS);
        }
        sum.imbalance = steps / lists.entries().max(1.0);
        sum.cached = self.cached;
        sum.contention = match self.pass.pulls || self.pass.kernel.once || self.pass.kernel.idempotent {
            true => 0.0,
            false => self.pass.most_updates * self.pass.kernel.target.updates as f64 * self.accesses.contended,
        };
        sum
    }

    fn prefers_vertices(&self, page: &ListClass, pass_seconds: f64) -> bool {
        if page.entries >= SHORT_LISTS * page.vertices {
            return false;
        }
        let [vertex, balanced] =
            [Technique::Vertex, Technique::Balanced].map(|technique| self.of_class(page, technique));
        // A single list must not take longer than the rest of the pass, or than a launch if the launch takes longer.
        vertex.tail <= pass_seconds.max(self.machine.launch)
            && Terms { tail: 0.0, ..vertex }.seconds() < Terms { tail: 0.0, ..balanced }.seconds()
    }

    /// Returns the cost of a class of similar pages, without contention.
    fn of_class(&self, class: &ListClass, technique: Technique) -> Terms {
        let kernel = self.pass.kernel;
        let leaves = self.pass.pulls && kernel.leaves_early;
        let by_vertex = technique.lanes().map(f64::from);
        // Reading of a list can stop early only if one thread or a group of lanes walks the list in order.
        let (entries, steps, longest) = match by_vertex {
            Some(lanes) => {
                let at = LANES.iter().position(|&other| f64::from(other) == lanes).unwrap_or(0);
                let most = (class.entries, class.lane_steps[at], (class.longest / lanes).ceil());
                match leaves {
                    true => looked_at(class.vertices, lanes, most),
                    false => most,
                }
            }
            None => (class.entries, class.entries, 0.0),
        };
        let per_edge = self.entry_accesses();
        let mut memory = self.memory(class, entries, by_vertex, &per_edge);
        if technique.edge_list().is_some() {
            let sources = entries * LISTED_SOURCE;
            memory.bytes += sources;
            memory.memory += sources / self.machine.memory_rate;
        }
        let (visits, windows) = (class.vertices, entries / WARP);
        let warp_steps = steps / WARP;
        let own = self.wait(self.accesses.cache as f64 / 64.0);
        let far = self.wait(self.pass.random_bytes() * self.pass.vertices);
        // A push waits for its updates only if their results determine which vertices to activate.
        let answers = kernel.target.reads + if kernel.kind == KernelKind::Traverse { kernel.target.updates } else { 0 };
        let far_waits = if self.pass.pulls { per_edge.reads.min(1.0) } else { answers.min(1) as f64 };
        let ahead = if kernel.kind == KernelKind::Traverse { 1.0 } else { WINDOWS_AHEAD };
        let window = (ENTRY_WAITS * own + far_waits * far) / ahead;
        let tail = match by_vertex {
            Some(_) => longest * (ENTRY_WAITS * own + far_waits * far),
            None if technique.edge_list().is_some() => 0.0,
            // A warp walks its share window by window.
            None => SHARE.min(entries / class.pages.max(1.0)) / WARP * (2.0 * own + window),
        };
        let (wait, instructions) = match by_vertex {
            Some(lanes) => {
                let groups = visits * lanes.min(WARP) / WARP;
                let runs = if self.pass.pulls && kernel.kind == KernelKind::Scan { PULLED_AHEAD } else { 1.0 };
                // A group whose entries are all in flight together waits once.
                let rounds = (warp_steps / runs).max(groups.min(warp_steps));
                let join = if self.pass.pulls { JOIN_INSTRUCTIONS * lanes.min(WARP).log2() / 5.0 } else { 0.0 };
                (
                    groups * VISIT_WAITS * own + rounds * (ENTRY_WAITS * own + far_waits * far),
                    groups * (VISIT_INSTRUCTIONS + join) + warp_steps * self.step_instructions(&per_edge),
                )
            }
            // Each thread reads its entry, then the values at both ends.
            None if technique.edge_list().is_some() => {
                let at_source = if kernel.at_source > 0 { own } else { 0.0 };
                (windows * (own + at_source + far_waits * far), windows * self.step_instructions(&per_edge))
            }
            None => {
                let ended = windows.min(visits);
                let looks = windows + visits / WARP;
                let joins = if self.pass.pulls { ended } else { 0.0 };
                let shares = entries / SHARE;
                (
                    shares * 4.0 * own + looks * own + windows * (own + window),
                    (ended + visits / WARP) * LOOK_INSTRUCTIONS
                        + windows * (WINDOW_INSTRUCTIONS + self.step_instructions(&per_edge))
                        + joins * JOIN_INSTRUCTIONS * 2.0,
                )
            }
        };
        // Each block processes a part of a page with 256 threads. If the part has few vertices, some threads are idle.
        let busy = by_vertex.map_or(1.0, |lanes| {
            let slots = class.vertices / (class.pages * self.pass.chunks).max(1.0);
            (slots.max(1.0) * lanes / BLOCK).min(1.0)
        });
        let warps = (self.accesses.warps as f64 * busy).max(1.0);
        Terms {
            waits: wait / warps,
            instructions: instructions * self.accesses.instruction,
            tail,
            imbalance: steps / entries.max(1.0),
            ..memory
        }
    }

    /// Returns the terms for memory and the cores' own caches.
    fn memory(&self, class: &ListClass, entries: f64, by_vertex: Option<f64>, per_edge: &PerEdge) -> Terms {
        let kernel = self.pass.kernel;
        let own = if self.pass.pulls { kernel.merged } else { kernel.at_source } as f64;
        let handed = if self.pass.pulls { kernel.handed.unwrap_or(0) as f64 } else { 0.0 };
        let bytes = entries * self.pass.entry_bytes + class.vertices * (SLOT + own + handed);
        let over = self.pass.random_bytes() * self.pass.vertices;
        let time = |times: &[AccessTime]| {
            let anywhere = seconds(times, over);
            let held = seconds(times, over.min(self.accesses.cache as f64 / 2.0));
            let chance = (self.accesses.cache as f64 / over.max(1.0)).min(1.0);
            // The share of cache hits in excess of the hits expected by chance.
            let more = if chance < 1.0 { ((self.cached - chance) / (1.0 - chance)).clamp(0.0, 1.0) } else { 1.0 };
            // Recently read values are still in the core's own cache.
            let near = self.pass.lists.local;
            near * seconds(times, near_bytes(self.accesses, over)) / VALUES_A_SECTOR
                + (1.0 - near) * (held * more + anywhere * (1.0 - more))
        };
        // The active set has one bit per vertex, in vertex order.
        let activation = activation(self.accesses, self.pass.vertices, self.pass.lists.local);
        let bits = entries
            * (per_edge.bits * seconds(&self.accesses.reads, self.pass.vertices / 8.0)
                + per_edge.activations * activation);
        let random = bits
            + per_edge.reads * entries * time(&self.accesses.reads)
            + per_edge.updates * entries * time(&self.accesses.atomics);
        // Lanes that share a list read one entry each in a single step, and one sector serves all of them. If lists are
        // short, the sector also serves lanes of the next lists.
        let each = self.pass.entry_bytes / SECTOR;
        let apart = by_vertex.map_or(0.0, |lanes| {
            let mean = class.entries / class.vertices.max(1.0);
            let sectors = (1.0 / lanes).max(each).min(mean.max(1.0) * each / lanes.min(mean.max(1.0)));
            entries * (sectors - each).max(0.0) * seconds(&self.accesses.reads, OWN_CACHE)
        });
        let kept = if kernel.kind == KernelKind::Scan { self.pass.lists.local } else { 0.0 };
        Terms {
            bytes,
            sectors: (per_edge.reads + per_edge.updates) * entries,
            memory: bytes / self.machine.memory_rate + random + (1.0 - kept) * apart,
            own_caches: kept * apart,
            ..Terms::default()
        }
    }

    /// Returns the number of random accesses per entry.
    fn entry_accesses(&self) -> PerEdge {
        let kernel = self.pass.kernel;
        match (self.pass.pulls, kernel.kind) {
            // The step checks whether the neighbour is active, and reads the neighbour's value.
            (true, KernelKind::Traverse) => {
                PerEdge { bits: 1.0, reads: f64::from(u8::from(kernel.at_source > 0)), ..PerEdge::default() }
            }
            (true, _) => {
                PerEdge { reads: if kernel.handed.unwrap_or(0) > 0 { 1.0 } else { 0.0 }, ..PerEdge::default() }
            }
            (false, _) => {
                let (reads, updates) = (kernel.target.reads as f64, kernel.target.updates as f64);
                let (looks, share) = match (kernel.once, kernel.idempotent) {
                    // A guard that becomes false admits one update per vertex.
                    (true, _) => (0.0, self.pass.vertices / self.entries()),
                    // Threads first check whether an update would change the value. One update per vertex is assumed to
                    // change the value.
                    (false, true) => (updates, self.pass.vertices / self.entries()),
                    (false, false) => (0.0, 1.0),
                };
                let updates = updates * share.min(1.0);
                let activations = if kernel.kind == KernelKind::Traverse { updates.min(1.0) } else { 0.0 };
                PerEdge { bits: 0.0, reads: reads + looks, updates, activations }
            }
        }
    }

    /// Returns the number of entries that the pass visits, at least one.
    fn entries(&self) -> f64 {
        self.pass.lists.entries().max(1.0)
    }

    fn step_instructions(&self, per_edge: &PerEdge) -> f64 {
        STEP_INSTRUCTIONS + ACCESS_INSTRUCTIONS * (per_edge.bits + per_edge.reads + per_edge.updates)
    }

    /// Returns the seconds of a dependent read within `working_set` bytes.
    fn wait(&self, working_set: f64) -> f64 {
        seconds(&self.accesses.waits, working_set)
    }
}

/// The number of random accesses per entry.
#[derive(Default)]
struct PerEdge {
    /// Reads of the active set.
    bits: f64,
    reads: f64,
    updates: f64,
    /// Updates of the next step's active set.
    activations: f64,
}

/// Returns the number of entries, of lane-steps, and of steps in the longest list, if each list is read up to its first
/// active entry. Half of the entries are assumed to be active. All three results are limited to `most`, the values for
/// whole lists. The `lanes` lanes of a list check one entry each per step. With probability 1/2 to the power of
/// `lanes`, all these entries are inactive. A warp continues until its last vertex is done.
fn looked_at(vertices: f64, lanes: f64, most: (f64, f64, f64)) -> (f64, f64, f64) {
    let together = (WARP / lanes).max(1.0);
    let rounds = 1.0 / (1.0 - (-lanes).exp2());
    let longest = rounds.max(1.0 + together.log2() / lanes);
    let entries = vertices * lanes * rounds;
    let steps = vertices / together * longest * lanes.max(WARP);
    (entries.min(most.0), steps.min(most.1), longest.min(most.2))
}

/// Returns the seconds that a push needs to set a vertex's bit in the active set. A share `near` of the edges leads to
/// vertices that are numbered close together, so their bits share words.
pub(in crate::cost) fn activation(accesses: &AccessConstants, vertices: f64, near: f64) -> f64 {
    let set = vertices / 8.0;
    near * seconds(&accesses.atomics, near_bytes(accesses, set)) / VALUES_A_SECTOR
        + (1.0 - near) * seconds(&accesses.atomics, set)
}

/// Returns the working set of nearby accesses, given the working set `over` of all accesses.
fn near_bytes(accesses: &AccessConstants, over: f64) -> f64 {
    over.min(accesses.cache as f64 / 64.0)
}

/// Returns whether kernels on this kind of processor can use different techniques.
pub fn has_techniques(kind: ProcessorKind) -> bool {
    kind == ProcessorKind::Cuda
}

#[cfg(test)]
mod tests;
