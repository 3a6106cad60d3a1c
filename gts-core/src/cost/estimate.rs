//! Estimates the shape of a graph before it is generated, from the generator and the rules of the page format.
//!
//! For random graphs, the degree distribution is known: in an RMAT graph, the probability that an edge leaves a vertex
//! depends only on the number of one bits in the vertex number. The degrees determine the size of the lists, which
//! determines the number of pages. The end of a page stays unused if the next vertex does not fit. The expected waste
//! is half a vertex, weighted by size.

use crate::build::{BuildError, BuildOptions, EMPTY_SHARE, halves_empty_pages};
use crate::encoding::slotted::Layout;
use crate::generate::{Family, Generator, QUADRANTS};
use crate::graph::{
    DegreeClass, DegreeSpread, GraphShape, KnownLevel, ListShape, TopologyShape, TraversalGrowth, VertexOrder,
};
use crate::page::{DEFAULT_PAGE_SIZE, IdWidth, LEAST_DEFAULT_PAGE_SIZE, MIN_STORE_PAGE_SIZE, PageFormat};
use gts_contract::ScalarType;

/// Inverse of the largest share of additional pages for which a narrower width is chosen, as in a build.
const SLOT_LIMIT_COST: f64 = 32.0;

/// Maximum radius of a torus for which the vertices at each distance are counted. In a larger torus, all distances are
/// assumed to have the same number of vertices.
const MOST_DISTANCES: u64 = 4096;

/// Estimates the shape of the graph that a generator creates.
///
/// The edges that the options drop or add are not known before generation. Therefore duplicates count as edges, and a
/// symmetric graph counts each generated edge twice.
///
/// # Errors
///
/// Fails if the page size or width is invalid, or if there are too many pages to number.
pub(crate) fn estimate(generator: &Generator, options: &BuildOptions) -> Result<GraphShape, BuildError> {
    let (family, weights) = (generator.family(), generator.weights());
    let directed = matches!(family, Family::Rmat { .. } | Family::Uniform { .. });
    let symmetric = !directed || options.undirected || options.symmetrise;
    let value = if options.value_type.is_some() { options.value_type } else { weights };
    let edges = generator.num_edges() * if symmetric { 2 } else { 1 };
    let mut degrees = FamilyDegrees::of(family);
    if directed && symmetric {
        degrees.scale_by(2.0);
    }
    let order = options.order.or_chosen(chosen_order(family));
    let out = topology(&degrees, edges, options, order, value)?;
    let longest = PageFormat::new(out.page_size, out.width, value).map(|format| Layout::new(&format).capacity(1))?;
    let pages = (out.small_pages as f64, longest as f64, edges as f64);
    let lists = ListShape { local: local(family), ..ListShape::estimated(&degrees.classes, order, pages) };
    let most = degrees.classes.iter().map(DegreeClass::most).fold(0.0, f64::max) as u64;
    Ok(GraphShape {
        vertices: generator.num_vertices(),
        edges,
        out,
        // The quadrants (0,1) and (1,0) are equal, so in-degrees and out-degrees have the same distribution.
        incoming: (options.in_edges && !symmetric).then_some(out),
        symmetric,
        // Generators create few or no self-loops.
        undirected_edges: symmetric.then_some(edges / 2),
        value,
        order,
        classes: degrees.classes.clone(),
        in_lists: (options.in_edges && !symmetric).then(|| lists.clone()),
        lists,
        largest: [most; 2],
        reach: reach(family),
        // Generated IDs are consecutive, so the original order needs no map.
        id_map: if order == VertexOrder::Original { 0 } else { 8 * generator.num_vertices() },
        estimated: true,
        edges_at_most: (directed && options.symmetrise) || options.drop_self_loops || options.drop_duplicates,
    })
}

/// Returns the vertex order that a build chooses for a graph family if none is specified.
fn chosen_order(family: &Family) -> VertexOrder {
    match *family {
        // The centre of a star with fewer than three leaves is not a hub.
        Family::Star { vertices } if vertices < 4 => VertexOrder::Original,
        Family::Rmat { .. } | Family::Star { .. } => VertexOrder::Degree,
        Family::Uniform { .. }
        | Family::Grid { .. }
        | Family::Torus { .. }
        | Family::Chain { .. }
        | Family::Complete { .. } => VertexOrder::Original,
    }
}

/// Returns the share of entries whose vertex is numbered close to a recent entry's vertex.
fn local(family: &Family) -> f64 {
    // The number of four-byte values in a 32-byte sector. Consecutive vertices have consecutive neighbours.
    const VALUES: f64 = 8.0;
    match *family {
        Family::Rmat { .. } | Family::Uniform { .. } => 0.0,
        // Both neighbours in a row share a sector. Each adjacent row needs another sector.
        Family::Grid { .. } => 1.0 - 3.0 / (4.0 * VALUES),
        Family::Torus { ref sides } => {
            let degree = 2.0 * sides.dimensions() as f64;
            1.0 - (degree - 1.0) / (degree * VALUES)
        }
        Family::Chain { .. } => 1.0 - 1.0 / (2.0 * VALUES),
        Family::Star { .. } | Family::Complete { .. } => 1.0 - 1.0 / VALUES,
    }
}

/// Returns the reach of traversals from the vertex with the highest degree; ties go to the smallest vertex number.
fn reach(family: &Family) -> TraversalGrowth {
    let (vertices, edges) = (family.vertices() as f64, 2.0 * family.edges() as f64);
    let evenly = |levels: u64| {
        let repeats = levels.max(1) as f64;
        TraversalGrowth::Known(vec![KnownLevel { vertices: vertices / repeats, edges: edges / repeats, repeats }])
    };
    let one_hop = || {
        let hub = KnownLevel { vertices: 1.0, edges: vertices - 1.0, repeats: 1.0 };
        TraversalGrowth::Known(vec![
            hub,
            KnownLevel { vertices: vertices - 1.0, edges: edges - hub.edges, repeats: 1.0 },
        ])
    };
    match *family {
        Family::Rmat { scale, .. } => TraversalGrowth::Mixed(between_ones(scale as usize, family.edges() as f64)),
        Family::Uniform { .. } => TraversalGrowth::Random,
        Family::Grid { rows, columns } => evenly((rows + columns).saturating_sub(3)),
        Family::Torus { ref sides } if sides.radius() > MOST_DISTANCES => evenly(sides.radius() + 1),
        Family::Torus { ref sides } => {
            let degree = 2.0 * sides.dimensions() as f64;
            let level = |vertices| KnownLevel { vertices, edges: vertices * degree, repeats: 1.0 };
            TraversalGrowth::Known(sides.at_distances().into_iter().map(level).collect())
        }
        Family::Chain { vertices } => evenly(vertices.saturating_sub(1)),
        Family::Star { .. } | Family::Complete { .. } => one_hop(),
    }
}

/// Returns the number of RMAT edges from vertices with `i` one bits to vertices with `j` one bits, for all `i` and `j`.
/// Each bit of the two vertex numbers is drawn independently.
fn between_ones(scale: usize, edges: f64) -> Vec<f64> {
    let side = scale + 1;
    let total = QUADRANTS.iter().sum::<u64>() as f64;
    let [neither, target, source, both] = QUADRANTS.map(|weight| weight as f64 / total);
    let mut between = vec![0.0; side * side];
    between[0] = edges;
    for bits in 0..scale {
        for i in (0..=bits + 1).rev() {
            for j in (0..=bits + 1).rev() {
                let at = |i: usize, j: usize| between[i * side + j];
                let mut sum = at(i, j) * neither;
                if j > 0 {
                    sum += at(i, j - 1) * target;
                }
                if i > 0 {
                    sum += at(i - 1, j) * source;
                }
                if i > 0 && j > 0 {
                    sum += at(i - 1, j - 1) * both;
                }
                between[i * side + j] = sum;
            }
        }
    }
    between
}

/// The degrees in a graph family.
#[derive(Clone, Debug)]
struct FamilyDegrees {
    classes: Vec<DegreeClass>,
    /// The binary logarithm of the number of vertices if class `b` contains the vertex numbers with `b` one bits;
    /// otherwise `None`.
    by_ones: Option<usize>,
}

impl FamilyDegrees {
    fn of(family: &Family) -> Self {
        let alike = |vertices: f64, degree: f64, spread| DegreeClass {
            vertices,
            out_degree: degree,
            in_degree: degree,
            spread,
        };
        let even = |vertices: u64, degree: u64| alike(vertices as f64, degree as f64, DegreeSpread::Even);
        let classes = match *family {
            Family::Rmat { scale, edge_factor } => return Self::of_rmat(scale as usize, edge_factor),
            Family::Uniform { edge_factor, .. } => {
                vec![alike(family.vertices() as f64, edge_factor as f64, DegreeSpread::Poisson)]
            }
            Family::Grid { .. } | Family::Torus { .. } | Family::Chain { .. } => {
                let degree = 2.0 * family.edges() as f64 / family.vertices() as f64;
                vec![alike(family.vertices() as f64, degree, DegreeSpread::Even)]
            }
            Family::Star { vertices } => vec![even(1, vertices - 1), even(vertices - 1, 1)],
            Family::Complete { vertices } => vec![even(vertices, vertices - 1)],
        };
        Self { classes, by_ones: None }
    }

    fn of_rmat(scale: usize, edge_factor: u64) -> Self {
        let total = QUADRANTS.iter().sum::<u64>() as f64;
        let (zero, one) = ((QUADRANTS[0] + QUADRANTS[1]) as f64 / total, (QUADRANTS[2] + QUADRANTS[3]) as f64 / total);
        let edges = edge_factor as f64 * (scale as f64).exp2();
        let mut vertices = 1.0;
        let classes = (0..=scale).map(|ones| {
            let degree = edges * zero.powi((scale - ones) as i32) * one.powi(ones as i32);
            let class = DegreeClass { vertices, out_degree: degree, in_degree: degree, spread: DegreeSpread::Poisson };
            vertices = vertices * (scale - ones) as f64 / (ones + 1) as f64;
            class
        });
        Self { classes: classes.collect(), by_ones: Some(scale) }
    }

    fn scale_by(&mut self, factor: f64) {
        for class in &mut self.classes {
            class.out_degree *= factor;
            class.in_degree *= factor;
        }
    }
}

/// Returns the topology with the requested page size, or with the page size that a build would choose if none is
/// requested.
fn topology(
    degrees: &FamilyDegrees,
    edges: u64,
    options: &BuildOptions,
    order: VertexOrder,
    value: Option<ScalarType>,
) -> Result<TopologyShape, BuildError> {
    let of_size = |page_size| topology_of(page_size, degrees, edges, options, order, value);
    if let Some(page_size) = options.page_size {
        return of_size(page_size);
    }
    let mut shape = of_size(DEFAULT_PAGE_SIZE)?;
    while halves_empty_pages(order) && shape.page_size > LEAST_DEFAULT_PAGE_SIZE {
        let roomy = PageFormat::new(shape.page_size, shape.width.with_most_slots(), value)?;
        let fewest = PageCounts::count(degrees, order, &roomy).total();
        let emptied = shape.pages() as f64 > 1.0 + fewest * (1.0 + 1.0 / EMPTY_SHARE as f64);
        match of_size(shape.page_size / 2) {
            Ok(half) if emptied && half.bytes() < shape.bytes() => shape = half,
            _ => break,
        }
    }
    while shape.pages() <= 1 && shape.page_size > MIN_STORE_PAGE_SIZE {
        let half = of_size(shape.page_size / 2)?;
        if half.pages() > 1 {
            break;
        }
        shape = half;
    }
    Ok(shape)
}

/// Returns the topology with the width that a build would choose: the narrowest width that causes few additional pages.
fn topology_of(
    page_size: u32,
    degrees: &FamilyDegrees,
    edges: u64,
    options: &BuildOptions,
    order: VertexOrder,
    value: Option<ScalarType>,
) -> Result<TopologyShape, BuildError> {
    let mut widths: Vec<IdWidth> = options.width.map_or_else(|| IdWidth::all().collect(), |width| vec![width]);
    widths.sort_by_key(|width| (width.bytes(), std::cmp::Reverse(width.page_bytes())));
    let mut counted = Vec::new();
    for width in widths {
        let format = PageFormat::new(page_size, width, value)?;
        counted.push((format, PageCounts::count(degrees, order, &format)));
    }
    let able = |&&(format, pages): &&(PageFormat, PageCounts)| pages.total() <= format.width().max_pages() as f64;
    let fewest = counted.iter().filter(able).map(|(_, pages)| pages.total()).fold(f64::INFINITY, f64::min);
    let tolerated = (fewest * (1.0 + 1.0 / SLOT_LIMIT_COST)).floor();
    let Some((format, pages)) = counted.iter().filter(able).find(|(_, pages)| pages.total() <= tolerated) else {
        let (format, pages) = &counted[counted.len() - 1];
        return Err(BuildError::TooManyPages {
            width: format.width(),
            needed: pages.total() as u64,
            max: format.width().max_pages(),
        });
    };
    Ok(TopologyShape {
        small_pages: pages.small.ceil() as u64,
        large_pages: pages.large.round() as u64,
        page_size: format.page_size(),
        width: format.width(),
        value_bytes: format.value_bytes() as u32,
        edges,
    })
}

/// The estimated numbers of small and large pages.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PageCounts {
    small: f64,
    large: f64,
}

/// The space in small pages and the number of large pages that a group of vertices needs.
#[derive(Clone, Copy, Debug, Default)]
struct Load {
    vertices: f64,
    /// The size of the slots and entries in bytes. `squares` is the sum of the squared sizes of all vertices.
    bytes: f64,
    squares: f64,
    large_vertices: f64,
    large_pages: f64,
}

impl std::ops::AddAssign for Load {
    fn add_assign(&mut self, other: Self) {
        self.vertices += other.vertices;
        self.bytes += other.bytes;
        self.squares += other.squares;
        self.large_vertices += other.large_vertices;
        self.large_pages += other.large_pages;
    }
}

/// The capacity of a page in a given format.
struct PageCapacity {
    /// The space per page for slots and entries, in bytes.
    bytes: f64,
    slots: f64,
    /// Maximum number of entries in a page that contains a single vertex.
    capacity: f64,
    slot_bytes: f64,
    entry_bytes: f64,
}

impl PageCounts {
    fn total(&self) -> f64 {
        (self.small + self.large).ceil()
    }

    fn count(degrees: &FamilyDegrees, order: VertexOrder, format: &PageFormat) -> Self {
        let layout = Layout::new(format);
        let slot_bytes = (layout.slot_offset(0) - layout.slot_offset(1)) as f64;
        let room = PageCapacity {
            bytes: layout.slot_offset(0) as f64 - layout.values_offset(0) as f64,
            slots: format.width().max_slots() as f64,
            capacity: layout.capacity(1) as f64,
            slot_bytes,
            entry_bytes: (layout.entry_bytes() + format.value_bytes()) as f64,
        };
        room.pages(degrees, order)
    }
}

impl PageCapacity {
    fn pages(&self, degrees: &FamilyDegrees, order: VertexOrder) -> PageCounts {
        let loads = degrees.classes.iter().map(|class| self.load(class));
        match (order, degrees.by_ones) {
            // In original order, vertices of high and low degree are interleaved, but unevenly at every scale.
            (VertexOrder::Original, Some(scale)) => self.pages_by_ones(scale, &loads.collect::<Vec<_>>()),
            (VertexOrder::Random { .. } | VertexOrder::Layers { .. }, _) => {
                let mut all = Load::default();
                loads.for_each(|load| all += load);
                self.filled(&all)
            }
            // The vertices of each class are consecutive.
            (VertexOrder::Original | VertexOrder::Degree | VertexOrder::Inherited, _) => {
                loads.map(|load| PageCounts { small: self.filled(&load).small, large: load.large_pages }).fold(
                    PageCounts::default(),
                    |sum, pages| PageCounts { small: sum.small + pages.small, large: sum.large + pages.large },
                )
            }
        }
    }

    fn load(&self, class: &DegreeClass) -> Load {
        let degree = class.out_degree;
        let variance = if class.spread == DegreeSpread::Poisson { degree } else { 0.0 };
        // The share of vertices whose list does not fit in a page: a step function, or the tail of a normal
        // distribution (approximated by a logistic function).
        let beyond = (degree - self.capacity - 0.5) / variance.sqrt().max(1e-9);
        let large = 1.0 / (1.0 + (-1.702 * beyond).clamp(-700.0, 700.0).exp());
        let small = class.vertices * (1.0 - large);
        let bytes = self.slot_bytes + self.entry_bytes * degree;
        let large = class.vertices * large;
        Load {
            vertices: small,
            bytes: small * bytes,
            squares: small * (bytes * bytes + self.entry_bytes * self.entry_bytes * variance),
            large_vertices: large,
            large_pages: large * (degree / self.capacity).ceil().max(2.0),
        }
    }

    /// Returns the estimated page counts for evenly mixed vertices.
    fn filled(&self, load: &Load) -> PageCounts {
        let unused = if load.bytes > 0.0 { (load.squares / load.bytes / 2.0).min(self.bytes / 2.0) } else { 0.0 };
        // Apart from pages that end at a run of large pages, every page contains at least one vertex.
        let small = (load.bytes / (self.bytes - unused)).min(load.vertices).max(load.vertices / self.slots);
        // A small page that ends at a run of large pages is half full on average.
        PageCounts { small: small + 0.5 * load.large_vertices, large: load.large_pages }
    }

    /// Returns the page counts of an RMAT graph in original order. A range of vertex numbers is halved until each part
    /// fits in a page. The estimate for a range depends only on the length of the common prefix of its numbers and on
    /// the number of one bits in that prefix.
    fn pages_by_ones(&self, scale: usize, loads: &[Load]) -> PageCounts {
        // Start with one representative vertex per count of one bits. Then double the ranges until they cover the whole
        // graph.
        let mut vertices = 1.0;
        let mut ranges: Vec<(Load, PageCounts)> = loads
            .iter()
            .enumerate()
            .map(|(ones, load)| {
                let share = |value: f64| value / vertices;
                let one = Load {
                    vertices: share(load.vertices),
                    bytes: share(load.bytes),
                    squares: share(load.squares),
                    large_vertices: share(load.large_vertices),
                    large_pages: share(load.large_pages),
                };
                vertices = vertices * (scale - ones) as f64 / (ones + 1) as f64;
                (one, self.filled(&one))
            })
            .collect();
        for beginning in (0..scale).rev() {
            ranges = (0..=beginning)
                .map(|ones| {
                    let (zeros, rest) = (&ranges[ones], &ranges[ones + 1]);
                    let mut load = zeros.0;
                    load += rest.0;
                    let split = PageCounts { small: zeros.1.small + rest.1.small, large: zeros.1.large + rest.1.large };
                    let fits = load.bytes <= self.bytes && load.vertices <= self.slots;
                    let whole = self.filled(&load);
                    let pages = if fits && load.large_vertices < 0.5 { whole } else { split };
                    (load, pages)
                })
                .collect();
        }
        ranges[0].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::OrderChoice;
    use crate::build::build;
    use crate::generate::parse;

    #[test]
    fn the_order_that_a_build_chooses_is_predicted() {
        let options = BuildOptions { order: OrderChoice::Auto, ..BuildOptions::default() };
        let random =
            ["rmat:8", "rmat:12", "rmat:14,edge-factor=4", "uniform:8", "uniform:12", "uniform:13,edge-factor=1"];
        let plain =
            ["grid:90x70", "chain:3000", "complete:70", "star:3", "star:4", "star:100", "star:5000", "torus:40^2"];
        for spec in random.into_iter().chain(plain) {
            let (estimated, built) = both(spec, &options);
            assert_eq!((estimated.order, estimated.id_map), (built.order, built.id_map), "{spec}");
        }
    }

    /// Returns the estimated shape and the built shape of a graph.
    fn both(spec: &str, options: &BuildOptions) -> (GraphShape, GraphShape) {
        let estimated = estimate(&parse(spec).unwrap(), options).unwrap();
        let (graph, _) = build(&mut parse(spec).unwrap(), options).unwrap();
        (estimated, GraphShape::of(&graph))
    }

    fn assert_close(spec: &str, options: &BuildOptions, share: f64) {
        let (estimated, built) = both(spec, options);
        assert_eq!((estimated.vertices, estimated.edges), (built.vertices, built.edges), "{spec}");
        if options.page_size.is_none_or(|bytes| bytes >= 64 << 10) {
            assert_eq!(estimated.out.width, built.out.width, "{spec}");
            let (found, expected) = (estimated.out.large_pages as f64, built.out.large_pages as f64);
            assert!((found - expected).abs() <= 2.0 + 0.1 * expected, "{spec}: {found} large, {expected} built");
        }
        let (found, expected) = (estimated.out.pages() as f64, built.out.pages() as f64);
        // Rounding up causes an error of up to one page.
        let off = (found - expected).abs();
        assert!(off <= 1.0 || off <= share * expected, "{spec} {options:?}: {found} pages estimated, {expected} built");
    }

    #[test]
    fn rmat_is_estimated_within_a_few_per_cent() {
        // If a page holds only a few vertices, its unused space varies randomly.
        for (page_size, share) in [(4 << 10, 0.10), (16 << 10, 0.06), (64 << 10, 0.02), (1 << 20, 0.02)] {
            for order in [VertexOrder::Original, VertexOrder::Random { seed: 1 }, VertexOrder::Degree] {
                let options =
                    BuildOptions { page_size: Some(page_size), order: order.into(), ..BuildOptions::default() };
                for spec in ["rmat:12", "rmat:16", "rmat:16,weights=f32", "rmat:15,edge-factor=4"] {
                    assert_close(spec, &options, share);
                }
            }
        }
    }

    #[test]
    fn narrow_slots_are_accounted_for() {
        let width = Some(IdWidth::new(3, 1).unwrap());
        let options = BuildOptions { page_size: Some(64 << 10), width, ..BuildOptions::default() };
        assert_close("rmat:16", &options, 0.03);
    }

    #[test]
    fn default_pages_of_large_graphs_take_few_bytes_an_edge() {
        for spec in ["rmat:24", "rmat:26", "rmat:27"] {
            for order in [VertexOrder::Original, VertexOrder::Random { seed: 1 }] {
                let options = BuildOptions { order: order.into(), ..BuildOptions::default() };
                let shape = estimate(&parse(spec).unwrap(), &options).unwrap();
                let bytes = shape.out.bytes() as f64 / shape.edges as f64;
                // Estimates are off by up to two per cent. For RMAT 26 in original order, the counted value is 4.38.
                assert!(bytes <= 4.42, "{spec} {order}: {bytes} bytes an edge, pages of {}", shape.out.page_size);
            }
        }
    }

    #[test]
    fn page_sizes_are_chosen_as_for_graphs_that_are_built() {
        let width = Some(IdWidth::new(2, 2).unwrap());
        let (estimated, built) = both("rmat:20,edge-factor=1", &BuildOptions { width, ..BuildOptions::default() });
        assert_eq!(estimated.out.page_size, built.out.page_size);
        assert!(built.out.page_size < DEFAULT_PAGE_SIZE);
    }

    #[test]
    fn plain_shapes_are_estimated() {
        let options = BuildOptions { page_size: Some(4 << 10), ..BuildOptions::default() };
        for spec in
            ["uniform:14", "grid:100x200", "star:20000", "chain:30000", "complete:200", "torus:20^3", "torus:2^10"]
        {
            assert_close(spec, &options, 0.03);
        }
    }

    #[test]
    fn what_cannot_be_made_can_be_estimated() {
        let shape = estimate(&parse("rmat:30").unwrap(), &BuildOptions::default()).unwrap();
        assert_eq!((shape.vertices, shape.edges), (1 << 30, 1 << 34));
        // 16 G edges of 4 to 6 bytes each.
        assert!((64..110).contains(&(shape.out.bytes() >> 30)), "{shape:?}");
        assert!(shape.out.large_pages > 0);
    }

    #[test]
    fn edges_between_classes_are_those_that_leave_them() {
        let shape = estimate(&parse("rmat:12").unwrap(), &BuildOptions::default()).unwrap();
        let TraversalGrowth::Mixed(between) = &shape.reach else { panic!("{:?}", shape.reach) };
        for (class, row) in shape.classes.iter().zip(between.chunks_exact(13)) {
            let leaving = class.vertices * class.out_degree;
            assert!((row.iter().sum::<f64>() / leaving - 1.0).abs() < 1e-9, "{class:?}");
        }
    }

    #[test]
    fn too_many_pages_are_refused() {
        let width = Some(IdWidth::new(1, 2).unwrap());
        let options = BuildOptions { width, ..BuildOptions::default() };
        assert!(matches!(
            estimate(&parse("rmat:30").unwrap(), &options),
            Err(BuildError::TooManyPages { max: 255, .. })
        ));
    }
}
