//! Computes the memory for the data that a device stores for a run, and for the data that travels with pages. The
//! planner and sessions call the same functions: the planner passes the shape of a graph, and a session passes the
//! graph.
//!
//! WA stay on the device, whole or in parts. A *column* has one value per vertex that kernels only read: an `ra`, or
//! the degrees in a topology. If the device has no room for a column, the column stays in host memory, and its values
//! travel with each group of pages. A column cannot travel if a kernel reads the column at vertices outside the pages
//! of a launch.

use super::algorithm::bytes_of;
use super::memory::Need;
use crate::graph::{Graph, GraphShape};
use gts_contract::{
    Access, AttributeKind, AttributeSchema, KernelDescriptor, KernelKind, Schema, Side, Site, SourceLocation,
};

/// The size in bytes of a page reference in a device's lists: an offset and a number.
pub const PAGE_REF: u64 = 16;
/// The size in bytes of a page's activity counts.
pub const ACTIVITY: u64 = 12;
/// The size in bytes of a global's element on a device.
pub const CELL: u64 = 8;
/// The size of a pass's report in bytes.
pub const REPORT: u64 = 192;
/// Bytes of device memory reserved for temporary data, such as vertices to activate and fill values.
pub const RESERVE: u64 = 256 << 10;
/// Bytes of device memory that a run leaves free if no budget is set. Programs, their stacks and the driver use this
/// memory.
pub const MARGIN: u64 = 512 << 20;
/// The number of staging slots per stream: one is filled while kernels read the other.
pub const SLOTS: u64 = 2;
/// The vertex count of every Strategy-S part is a multiple of this number, so that parts consist of whole words of the
/// active sets.
pub const GRAIN: u64 = 64;
/// Divisor of a device's available memory: Strategy-S reserves the quotient for staging and for pages.
pub const STAGING_SHARE: u64 = 8;
/// Maximum number of bytes by which a buffer exceeds the requested length.
const BUFFER_END: u64 = 16;
/// Maximum number of buffers per session besides the attributes.
const BUFFERS: u64 = 16;
/// Bytes reserved for globals, reports and the driver's rounding on a device that has a part of the WA.
const SUNDRIES: u64 = 64 << 10;
/// Minimum number of bytes that a vertex with an edge uses in a page: its slot and one entry.
const LEAST_VERTEX: u64 = 8;
/// Maximum number of padding bytes between the values of two columns in a slot.
const ALIGNED: u64 = 32;
/// The size of a stored degree in bytes.
const DEGREE: u64 = 4;

/// The identity of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColumnKey {
    /// The attribute with this index in the schema.
    Attribute(usize),
    /// The degrees in a topology.
    Degrees(Side),
}

impl ColumnKey {
    /// Returns the canonical identity of the column in a graph: in a symmetric graph, in-degrees and out-degrees are
    /// one column.
    pub fn within(self, symmetric: bool) -> Self {
        match self {
            Self::Degrees(Side::In) if symmetric => Self::Degrees(Side::Out),
            key => key,
        }
    }
}

/// A column that a kernel's passes read, with the properties of the reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnRead {
    /// The column that is read.
    pub key: ColumnKey,
    /// Whether the column is read at vertices outside the pages of a launch, or outside the range of a vertex kernel.
    pub far: bool,
    /// Whether the kernel's body reads the column. If false, the device itself reads the column, at active vertices
    /// only, which requires no copy.
    pub by_body: bool,
    /// The source location of the body's read. If there are several reads, the first far read takes precedence.
    pub location: Option<SourceLocation>,
}

/// Returns the columns that passes of a kernel over the topologies `sides` read, without duplicates. These are the
/// columns that the body reads, and the degrees with which the device counts active pages and edges.
pub fn columns_read(kernel: &KernelDescriptor, sides: &[Side]) -> Vec<ColumnRead> {
    let meets = kernel.kind == KernelKind::Intersect;
    let far = |site: Site| meets || !matches!(site, Site::Src | Site::V);
    let is_ra = |attribute: usize| matches!(kernel.schema.attributes[attribute].kind, AttributeKind::Ra { .. });
    let uses = kernel.facts.uses.iter().filter(|used| is_ra(used.attribute) && used.access == Access::Read);
    let named = |key, site, location| ColumnRead { key, far: far(site), by_body: true, location: Some(location) };
    let attributes = uses.map(|used| named(ColumnKey::Attribute(used.attribute), used.site, used.location));
    let degrees = kernel.facts.degrees.iter();
    let degrees = degrees.map(|used| named(ColumnKey::Degrees(used.side), used.site, used.location));
    let counted = match kernel.kind {
        KernelKind::Traverse | KernelKind::Intersect => sides,
        KernelKind::Scan | KernelKind::Vertex => &[],
    };
    let counted = counted.iter().map(|side| counted_by_device(*side, meets));
    let mut all: Vec<ColumnRead> = Vec::new();
    for read in attributes.chain(degrees).chain(counted) {
        note(&mut all, read);
    }
    all
}

/// Adds the degrees with which a device counts active edges if steps may walk the opposite topologies.
pub fn note_pulled(all: &mut Vec<ColumnRead>, sides: &[Side]) {
    sides.iter().for_each(|side| note(all, counted_by_device(side.opposite(), false)));
}

/// Returns a read of a topology's degrees by the device itself, not by the kernel's body.
fn counted_by_device(side: Side, far: bool) -> ColumnRead {
    ColumnRead { key: ColumnKey::Degrees(side), far, by_body: false, location: None }
}

/// Adds a read to `all`, or merges it with an earlier read of the same column.
pub fn note(all: &mut Vec<ColumnRead>, read: ColumnRead) {
    match all.iter_mut().find(|other| other.key == read.key) {
        Some(other) => {
            if other.location.is_none() || (read.far && !other.far) {
                other.location = read.location;
            }
            other.far |= read.far;
            other.by_body |= read.by_body;
        }
        None => all.push(read),
    }
}

/// A column that a run reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadColumn {
    /// The column's identity.
    pub key: ColumnKey,
    /// Bytes per value.
    pub bytes: u64,
    /// Whether the column must be on the device because a kernel reads it at arbitrary vertices.
    pub stays: bool,
}

impl ReadColumn {
    /// Returns the `ra` columns of a struct. `vertex_bytes` is the size of a stored vertex number.
    pub fn of(schema: &Schema, vertex_bytes: usize) -> Vec<Self> {
        let attributes = schema.attributes.iter().enumerate();
        let ra = attributes.filter(|(_, declared)| matches!(declared.kind, AttributeKind::Ra { .. }));
        let column = |(attribute, declared): (usize, &AttributeSchema)| {
            let bytes = bytes_of(declared, vertex_bytes);
            Self { key: ColumnKey::Attribute(attribute), bytes, stays: false }
        };
        ra.map(column).collect()
    }

    /// Returns all columns of a run: the `ra` columns, then the degree columns that kernels read.
    pub fn all(ra: &[Self], symmetric: bool, read: &[ColumnRead]) -> Vec<Self> {
        let mut reads = Vec::new();
        for one in read {
            note(&mut reads, ColumnRead { key: one.key.within(symmetric), ..*one });
        }
        let far = |key| reads.iter().any(|read| read.key == key && read.far);
        let mut all: Vec<Self> = ra.iter().map(|column| Self { stays: far(column.key), ..*column }).collect();
        for key in [Side::Out, Side::In].map(ColumnKey::Degrees) {
            if reads.iter().any(|read| read.key == key) {
                all.push(Self { key, bytes: DEGREE, stays: far(key) });
            }
        }
        all
    }
}

/// The properties of a graph that determine its memory use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphLoad {
    /// The number of vertices.
    pub vertices: u64,
    /// The number of edges.
    pub edges: u64,
    /// The size of a stored vertex number in bytes.
    pub vertex_bytes: u64,
    /// The size of a page in bytes.
    pub page_bytes: u64,
    /// The number of pages per topology: out-edges, then in-edges. The numbers are equal in a symmetric graph.
    pub pages: [u64; 2],
    /// Whether out-edges and in-edges share one topology.
    pub symmetric: bool,
}

impl GraphLoad {
    /// Returns the load of a graph. `vertex_bytes` is the size of a stored vertex number.
    pub fn of(graph: &Graph, vertex_bytes: usize) -> Self {
        let pages = |side| graph.topology(side).map_or(0, |topology| u64::from(topology.num_pages()));
        Self {
            vertices: graph.num_vertices(),
            edges: graph.num_edges(),
            vertex_bytes: vertex_bytes as u64,
            page_bytes: graph.out_topology().format().page_size().into(),
            pages: [pages(Side::Out), pages(Side::In)],
            symmetric: graph.properties().symmetric,
        }
    }

    /// Returns the load of a graph with this shape.
    pub fn of_shape(graph: &GraphShape) -> Self {
        let pages = |side| graph.topology(side).map_or(0, |topology| topology.pages());
        Self {
            vertices: graph.vertices,
            edges: graph.edges,
            vertex_bytes: graph.vertex_bytes() as u64,
            page_bytes: graph.out.page_size.into(),
            pages: [pages(Side::Out), pages(Side::In)],
            symmetric: graph.symmetric,
        }
    }
}

/// The properties of a struct's attributes that determine their memory use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttributeLoad {
    /// The size of the `wa` attributes in bytes per vertex.
    pub wa: u64,
    /// The size of the updatable edge attributes in bytes per edge.
    pub edge_wa: u64,
    /// The size in bytes of params, globals, the report and the unused ends of buffers.
    pub small: u64,
}

impl AttributeLoad {
    /// Returns the load of a struct's attributes. `vertex_bytes` is the size of a stored vertex number.
    pub fn of(schema: &Schema, vertex_bytes: usize) -> Self {
        let buffers = schema.attributes.len() as u64 + BUFFERS;
        let mut load = Self { small: REPORT + BUFFER_END * buffers, ..Self::default() };
        for declared in schema.attributes {
            let bytes = bytes_of(declared, vertex_bytes);
            match declared.kind {
                AttributeKind::Wa { .. } => load.wa += bytes,
                AttributeKind::EdgeWa { .. } => load.edge_wa += bytes,
                AttributeKind::Param { .. } => load.small += bytes,
                AttributeKind::Global { merge } => {
                    let cells = if merge.has_wide_total(declared.ty.scalar) { 2 } else { 1 };
                    load.small += CELL * u64::from(declared.ty.length) * cells;
                }
                AttributeKind::Ra { .. } | AttributeKind::Edge { .. } => {}
            }
        }
        load
    }
}

/// The column values that travel with pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Travelling {
    /// The number of columns.
    pub columns: u64,
    /// The total size of the columns in bytes per vertex.
    pub bytes: u64,
}

impl Travelling {
    /// Counts the given columns and adds up their sizes.
    fn of<'a>(columns: impl IntoIterator<Item = &'a ReadColumn>) -> Self {
        columns
            .into_iter()
            .fold(Self::default(), |sum, column| Self { columns: sum.columns + 1, bytes: sum.bytes + column.bytes })
    }

    /// Returns the space in bytes per page that a staging slot needs for the travelling values. The space suffices for
    /// all vertices with edges on the page.
    pub fn beside_page(&self, page_bytes: u64) -> u64 {
        page_bytes.div_ceil(LEAST_VERTEX) * self.bytes + ALIGNED * self.columns
    }
}

/// Returns the size in bytes of a page in a staging slot, including its entry in a launch's list and its travelling
/// values.
pub fn staged_bytes(page_bytes: u64, travelling: Travelling) -> u64 {
    page_bytes + PAGE_REF + travelling.beside_page(page_bytes)
}

/// Returns the minimum number of slots for streaming: two, or four if devices forward pages to each other.
pub fn least_slots(relayed: bool) -> u64 {
    SLOTS * (1 + u64::from(relayed))
}

/// The memory use of a run on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLoad {
    /// The sizes of the graph and its pages.
    pub graph: GraphLoad,
    /// The sizes of the WA, the params and the globals.
    pub attributes: AttributeLoad,
    /// The RA columns, which kernels only read.
    pub ra: Vec<ReadColumn>,
}

/// The placement of a run's columns on the device and in host memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColumnPlacement {
    /// The columns on the device.
    pub held: Vec<ReadColumn>,
    /// The columns in host memory.
    pub away: Vec<ReadColumn>,
}

impl ColumnPlacement {
    /// Returns the number and size of the columns that travel with pages.
    pub fn travelling(&self) -> Travelling {
        Travelling::of(&self.away)
    }

    /// Returns the number and size of the columns that travel in a pass whose body reads `reads`.
    pub fn travelling_of(&self, reads: &[ColumnRead], symmetric: bool) -> Travelling {
        let read =
            |column: &&ReadColumn| reads.iter().any(|read| read.by_body && read.key.within(symmetric) == column.key);
        Travelling::of(self.away.iter().filter(read))
    }
}

/// The error for data that does not fit on a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    /// The required memory, including the minimum for staging.
    pub needs: Vec<Need>,
    /// The column that neither fits nor can travel; `None` if the cause is another need.
    pub column: Option<ColumnKey>,
    /// The source location of a read that prevents `column` from travelling.
    pub location: Option<SourceLocation>,
}

impl TooLarge {
    /// Returns the total of all needs in bytes.
    pub fn needed(&self) -> u64 {
        self.needs.iter().map(|need| need.bytes).sum()
    }
}

impl DeviceLoad {
    /// Returns a device's needs besides columns and pages, if the WA are split into `parts` parts.
    pub fn fixed(&self, parts: u64) -> Vec<Need> {
        let (graph, load) = (&self.graph, &self.attributes);
        let own = graph.vertices.div_ceil(parts);
        let distinct = if graph.symmetric { 1 } else { graph.pages.len() };
        let tables = graph.pages[..distinct].iter().filter(|pages| **pages > 0);
        let tables: u64 = tables.map(|pages| (PAGE_REF + graph.vertex_bytes) * (pages + 1)).sum();
        // WA per edge require a table with the number of each page's first edge.
        let numbers = if load.edge_wa > 0 { 8 * graph.pages[0] } else { 0 };
        vec![
            // WA per edge are never split.
            Need { what: "WA", bytes: own * load.wa + graph.edges * load.edge_wa },
            Need { what: "active vertices", bytes: 2 * graph.vertices.div_ceil(8) },
            Need { what: "tables of pages", bytes: tables + numbers + load.small },
        ]
    }

    /// Returns the minimum memory for streaming: slots for one page each and its travelling values, lists of all pages,
    /// and the [`RESERVE`].
    pub fn least_staging(&self, travelling: Travelling, relayed: bool) -> u64 {
        let lists = (ACTIVITY + PAGE_REF) * self.graph.pages.iter().sum::<u64>();
        least_slots(relayed) * staged_bytes(self.graph.page_bytes, travelling) + lists + RESERVE
    }

    /// Returns whether scans can pull while pages stream. The source values and the minimum for staging must fit in the
    /// `available` bytes, which exclude the device's other data.
    pub fn pulls_along_streams(&self, available: u64, handed: u64) -> bool {
        handed.saturating_add(self.least_staging(Travelling::default(), false)) <= available
    }

    /// Returns the needs of a device that stores all of the WA and the given columns.
    pub fn needs(&self, placement: &ColumnPlacement) -> Vec<Need> {
        let of = |wanted: fn(&ColumnKey) -> bool| -> u64 {
            let held = placement.held.iter().filter(|column| wanted(&column.key));
            held.map(|column| column.bytes * self.graph.vertices).sum()
        };
        let mut needs = self.fixed(1);
        needs.insert(1, Need { what: "RA", bytes: of(|key| matches!(key, ColumnKey::Attribute(_))) });
        needs.insert(2, Need { what: "degrees", bytes: of(|key| matches!(key, ColumnKey::Degrees(_))) });
        needs
    }

    /// Checks that a device with `budget` bytes can store all of the WA for any kernel. The device must also have room
    /// for all columns, or for staging slots in which all columns travel.
    ///
    /// # Errors
    ///
    /// Returns [`TooLarge`] with the needs of the smaller alternative.
    pub fn check(&self, budget: u64) -> Result<(), TooLarge> {
        let key = |side| ColumnKey::Degrees(side);
        let read =
            [Side::Out, Side::In].map(|side| ColumnRead { key: key(side), far: false, by_body: true, location: None });
        let columns = ReadColumn::all(&self.ra, self.graph.symmetric, &read);
        let held = ColumnPlacement { held: columns.clone(), away: Vec::new() };
        let away = ColumnPlacement { held: Vec::new(), away: columns };
        let least = if self.needed(&held) < self.needed(&away) { held } else { away };
        if self.needed(&least) <= budget { Ok(()) } else { Err(self.too_large(&least)) }
    }

    /// Places the columns for a device that stores all of the WA and may use `budget` bytes. If there is room, all
    /// columns are on the device. Otherwise, columns that cannot travel are placed first. The other columns follow in
    /// order, and each is placed if there is room.
    ///
    /// # Errors
    ///
    /// Fails if there is no room for the WA (see [`DeviceLoad::check`]), or for a column that cannot travel.
    pub fn place(&self, budget: u64, reads: &[ColumnRead]) -> Result<ColumnPlacement, TooLarge> {
        self.check(budget)?;
        let columns = ReadColumn::all(&self.ra, self.graph.symmetric, reads);
        let all = ColumnPlacement { held: columns.clone(), away: Vec::new() };
        if self.needed(&all) <= budget {
            return Ok(all);
        }
        let mut placement = ColumnPlacement { held: Vec::new(), away: columns.clone() };
        for stays in [true, false] {
            for column in columns.iter().filter(|column| column.stays == stays) {
                let mut next = placement.clone();
                next.away.retain(|other| other.key != column.key);
                next.held.push(*column);
                if self.needed(&next) <= budget {
                    placement = next;
                } else if stays {
                    let is_it = |read: &&ColumnRead| read.far && read.key.within(self.graph.symmetric) == column.key;
                    let location = reads.iter().find(is_it).and_then(|read| read.location);
                    return Err(TooLarge { column: Some(column.key), location, ..self.too_large(&next) });
                }
            }
        }
        Ok(placement)
    }

    /// Returns the memory in bytes needed on a device that stores all of the WA and streams pages with minimum staging.
    fn needed(&self, placement: &ColumnPlacement) -> u64 {
        let held: u64 = self.needs(placement).iter().map(|need| need.bytes).sum();
        held + self.least_staging(placement.travelling(), false)
    }

    /// Returns the error for a placement that does not fit on the device.
    fn too_large(&self, placement: &ColumnPlacement) -> TooLarge {
        let mut needs = self.needs(placement);
        needs.push(Need { what: "staging", bytes: self.least_staging(placement.travelling(), false) });
        TooLarge { needs, column: None, location: None }
    }

    /// Returns the memory in bytes that a Strategy-S device with `available` bytes needs besides its part of the WA.
    pub fn beside_part(&self, available: u64, relayed: bool) -> u64 {
        self.least_beside_part(relayed) + available / STAGING_SHARE
    }

    /// Returns the minimum memory in bytes that a Strategy-S device needs besides its part of the WA, without the share
    /// reserved for staging.
    pub fn least_beside_part(&self, relayed: bool) -> u64 {
        let fixed: u64 = self.fixed(1).iter().filter(|need| need.what != "WA").map(|need| need.bytes).sum();
        fixed + self.least_staging(Travelling::default(), relayed) + SUNDRIES
    }

    /// Returns the number of parts into which Strategy-S splits the WA for `devices` devices with `available` bytes
    /// each. Returns `None` if there is no room for [`GRAIN`] vertices.
    pub fn parts(&self, devices: u64, available: u64, relayed: bool) -> Option<u64> {
        let left = available.checked_sub(self.beside_part(available, relayed))?;
        parts_of(self.graph.vertices, devices, left / self.attributes.wa.max(1))
    }
}

/// Returns the smallest number of parts that is a multiple of `devices` and leaves at most `most` vertices per part.
/// Returns `None` if `most` is less than [`GRAIN`].
pub fn parts_of(vertices: u64, devices: u64, most: u64) -> Option<u64> {
    let most = Some(most / GRAIN).filter(|most| *most > 0)?;
    let grains = vertices.div_ceil(GRAIN).max(1);
    Some(grains.div_ceil(devices.checked_mul(most)?).max(1) * devices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn load(vertices: u64, ra: Vec<ReadColumn>) -> DeviceLoad {
        let graph = GraphLoad {
            vertices,
            edges: 16 * vertices,
            vertex_bytes: 4,
            page_bytes: 1 << 20,
            pages: [vertices >> 14, 0],
            symmetric: false,
        };
        DeviceLoad { graph, attributes: AttributeLoad { wa: 4, edge_wa: 0, small: 1000 }, ra }
    }

    fn column(number: usize, bytes: u64) -> ReadColumn {
        ReadColumn { key: ColumnKey::Attribute(number), bytes, stays: false }
    }

    fn read(key: ColumnKey, far: bool) -> ColumnRead {
        ColumnRead { key, far, by_body: true, location: None }
    }

    const OUT: ColumnKey = ColumnKey::Degrees(Side::Out);

    #[test]
    fn columns_travel_where_wa_fits_and_they_do_not() {
        // The WA and each column need 1 GiB. In-degrees are not read.
        let load = load(1 << 28, vec![column(0, 4)]);
        let reads = [read(ColumnKey::Attribute(0), false), read(OUT, false)];
        let fixed: u64 = load.fixed(1).iter().map(|need| need.bytes).sum();
        let staging = |columns, bytes| load.least_staging(Travelling { columns, bytes }, false);
        assert_eq!(Travelling { columns: 2, bytes: 8 }.beside_page(1 << 20), (1 << 20) + 64);
        // All columns that kernels read may travel.
        let away = load.place(fixed + staging(3, 12), &reads).unwrap();
        assert_eq!((away.held.len(), away.travelling()), (0, Travelling { columns: 2, bytes: 8 }));
        assert_eq!(load.place(fixed + staging(3, 12) - 1, &reads).unwrap_err().column, None);
        let one = load.place(fixed + (1 << 30) + staging(1, 4), &reads).unwrap();
        assert_eq!((one.held[0].key, one.away[0].key), (ColumnKey::Attribute(0), OUT));
        let none = load.place(fixed + (2 << 30) + staging(0, 0), &reads).unwrap();
        assert!(none.away.is_empty());
        // A column that no kernel reads needs no memory.
        assert!(load.place(fixed + (1 << 30) + staging(0, 0), &reads[..1]).unwrap().away.is_empty());
    }

    #[test]
    fn what_cannot_travel_comes_first_or_is_named() {
        let load = load(1 << 28, vec![column(0, 4), column(1, 4)]);
        let reads = [read(ColumnKey::Attribute(0), false), read(ColumnKey::Attribute(1), true)];
        let placed = load.place(5 << 29, &reads).unwrap();
        assert_eq!((placed.held[0].key, placed.away[0].key), (ColumnKey::Attribute(1), ColumnKey::Attribute(0)));
        let refused = load.place(3 << 29, &reads).unwrap_err();
        assert_eq!((refused.column, refused.location), (Some(ColumnKey::Attribute(1)), None));
        assert!(refused.needed() > 3 << 29);
    }

    #[test]
    fn the_place_of_a_far_read_is_kept() {
        let at = |line| SourceLocation { file: "kernel.rs", line, column: 5 };
        let read = |far, line| ColumnRead { location: Some(at(line)), ..read(ColumnKey::Attribute(0), far) };
        let mut all = Vec::new();
        for (far, line) in [(false, 7), (true, 9), (true, 11), (false, 12)] {
            note(&mut all, read(far, line));
        }
        assert_eq!((all.len(), all[0].far, all[0].location), (1, true, Some(at(9))));
        let refused = load(1 << 28, vec![column(0, 4)]).place(3 << 29, &all).unwrap_err();
        assert_eq!((refused.column, refused.location), (Some(ColumnKey::Attribute(0)), Some(at(9))));
    }

    #[test]
    fn both_degrees_of_a_symmetric_graph_are_one_column() {
        let reads = [read(OUT, false), read(ColumnKey::Degrees(Side::In), true)];
        let columns = ReadColumn::all(&[], true, &reads);
        assert_eq!(columns, [ReadColumn { key: OUT, bytes: 4, stays: true }]);
        assert_eq!(ReadColumn::all(&[], false, &reads).len(), 2);
    }

    #[test]
    fn wa_is_cut_into_as_few_parts_as_fit() {
        assert_eq!(parts_of(1000, 1, 1024), Some(1));
        assert_eq!(parts_of(1000, 1, 512), Some(2));
        assert_eq!(parts_of(1000, 2, 300), Some(4));
        assert_eq!(parts_of(1000, 1, 63), None);
        assert_eq!(parts_of(0, 3, 64), Some(3));
    }

    proptest! {
        #[test]
        fn placements_stay_within_their_budget_and_lose_nothing(
            vertices in 1u64..1 << 26,
            bytes in proptest::collection::vec((1u64..64, any::<bool>()), 0..5),
            degrees in proptest::option::of(any::<bool>()),
            budget in 0u64..1 << 33,
        ) {
            let columns = bytes.iter().enumerate().map(|(number, &(bytes, _))| column(number, bytes));
            let load = load(vertices, columns.collect());
            let reads = bytes.iter().enumerate().map(|(number, &(_, far))| read(ColumnKey::Attribute(number), far));
            let reads: Vec<ColumnRead> = reads.chain(degrees.map(|far| read(OUT, far))).collect();
            match load.place(budget, &reads) {
                Ok(placed) => {
                    prop_assert!(load.needed(&placed) <= budget);
                    prop_assert_eq!(placed.held.len() + placed.away.len(), reads.len());
                    prop_assert!(placed.away.iter().all(|column| !column.stays));
                    // Additional memory never makes a run fail.
                    prop_assert!(load.place(budget + (1 << 20), &reads).is_ok());
                }
                Err(refused) => {
                    prop_assert!(refused.needed() > budget);
                    // If every column can travel, a run is refused only because the WA do not fit.
                    let travels = reads.iter().all(|read| !read.far);
                    prop_assert!(!travels || (refused.column.is_none() && load.check(budget).is_err()));
                }
            }
        }
    }
}
