//! Assigns vertices to pages, and chooses the width of record IDs.

use super::BuildError;
use crate::encoding::slotted::Layout;
use crate::graph::VertexOrder;
use crate::page::{DEFAULT_PAGE_SIZE, IdWidth, LEAST_DEFAULT_PAGE_SIZE, MIN_STORE_PAGE_SIZE, PageFormat};
use gts_contract::ScalarType;

/// A narrow width may cost one extra page per this number of pages, because it limits the slots. Otherwise a wider
/// width is chosen.
const SLOT_LIMIT_COST: u64 = 32;
/// The slot limit of a narrow width may cost one extra page, plus one per this number of pages. Otherwise smaller pages
/// are chosen.
pub(crate) const EMPTY_SHARE: u64 = 64;

/// The pages of a topology: their first vertices and first edges.
#[derive(Default)]
pub(super) struct Pagination {
    pub(super) start_vids: Vec<u64>,
    pub(super) lp_ranges: Vec<u32>,
    /// The number of the first edge of each page, followed by the total number of edges.
    pub(super) first_edges: Vec<u64>,
}

/// A receiver of pages.
trait Pages {
    /// Begins a page, given its first vertex, its LP_RANGE, and the number of its first edge. Returns whether to
    /// continue.
    fn page(&mut self, start: u64, lp_range: u32, first_edge: u64) -> bool;
}

impl Pages for Pagination {
    fn page(&mut self, start: u64, lp_range: u32, first_edge: u64) -> bool {
        self.start_vids.push(start);
        self.lp_ranges.push(lp_range);
        self.first_edges.push(first_edge);
        true
    }
}

/// A receiver that counts pages up to a limit.
struct Count {
    pages: u64,
    limit: u64,
}

impl Pages for Count {
    fn page(&mut self, _: u64, _: u32, _: u64) -> bool {
        self.pages += 1;
        self.pages <= self.limit
    }
}

/// Returns the pages for vertices with the given degrees.
pub(super) fn paginate(degrees: &[u32], format: &PageFormat) -> Result<Pagination, BuildError> {
    let mut pages = Pagination::default();
    let edges = walk(degrees, &Layout::new(format), format.width().max_slots(), &mut pages);
    pages.first_edges.push(edges);
    let (needed, max) = (pages.start_vids.len() as u64, format.width().max_pages());
    if needed > max {
        return Err(BuildError::TooManyPages { width: format.width(), needed, max });
    }
    Ok(pages)
}

/// Returns whether pages may be halved because slot numbers run out. In degree order, vertices with few edges share the
/// last pages. Most of these pages have no edges, and passes skip them.
pub(crate) fn halves_empty_pages(order: VertexOrder) -> bool {
    order != VertexOrder::Degree
}

/// Returns the page format for vertices with the given degrees. Chooses the width and the page size if they are not
/// given. The default page size is halved while the slot limit leaves much of each page empty and smaller pages need
/// less memory in total, and while the whole graph fits in one page of half the size.
pub(super) fn choose_format(
    degrees: &[u32],
    page_size: Option<u32>,
    order: VertexOrder,
    width: Option<IdWidth>,
    value: Option<ScalarType>,
) -> Result<PageFormat, BuildError> {
    let of_size = |page_size: u32| {
        let width = match width {
            Some(width) => width,
            None => choose_width(degrees, page_size, value)?,
        };
        Ok::<_, BuildError>(PageFormat::new(page_size, width, value)?)
    };
    let mut format = of_size(page_size.unwrap_or(DEFAULT_PAGE_SIZE))?;
    if page_size.is_some() {
        return Ok(format);
    }
    let pages = |format: &PageFormat, max_slots| count(degrees, &Layout::new(format), max_slots, u64::MAX);
    let mut present = pages(&format, format.width().max_slots());
    while halves_empty_pages(order)
        && format.page_size() > LEAST_DEFAULT_PAGE_SIZE
        && present > tolerated_empty(pages(&format, format.width().with_most_slots().max_slots()))
        && let Ok(half) = of_size(format.page_size() / 2)
    {
        let halves = pages(&half, half.width().max_slots());
        if halves > half.width().max_pages() || halves >= 2 * present {
            break;
        }
        (format, present) = (half, halves);
    }
    while present <= 1 && format.page_size() > MIN_STORE_PAGE_SIZE {
        let half = of_size(format.page_size() / 2)?;
        if pages(&half, half.width().max_slots()) > 1 {
            break;
        }
        format = half;
    }
    Ok(format)
}

/// Returns the maximum number of pages to accept if another width needs only `fewest` pages.
fn tolerated(fewest: u64) -> u64 {
    fewest.saturating_add(fewest / SLOT_LIMIT_COST)
}

/// Returns the maximum number of pages to accept if `fewest` pages would be enough without a slot limit.
fn tolerated_empty(fewest: u64) -> u64 {
    fewest + 1 + fewest / EMPTY_SHARE
}

/// Returns the smallest width that can identify all pages and slots. Among equal widths, the one with more bytes for
/// page numbers is preferred. A width is skipped if its slot limit causes many more pages than another width needs.
fn choose_width(degrees: &[u32], page_size: u32, value: Option<ScalarType>) -> Result<IdWidth, BuildError> {
    let edges = degrees.iter().map(|&degree| u64::from(degree)).sum();
    let mut widths: Vec<IdWidth> = IdWidth::all().collect();
    widths.sort_by_key(|width| (width.bytes(), std::cmp::Reverse(width.page_bytes())));
    let mut fewest = u64::MAX;
    let mut able = Vec::new();
    for width in widths {
        let format = PageFormat::new(page_size, width, value)?;
        let limit = width.max_pages().min(tolerated(fewest));
        if least_pages(degrees.len() as u64, edges, &format) > limit {
            continue;
        }
        let pages = count(degrees, &Layout::new(&format), width.max_slots(), limit);
        if pages <= limit {
            fewest = fewest.min(pages);
            able.push((width, pages));
        }
    }
    let chosen = able.into_iter().find(|&(_, pages)| pages <= tolerated(fewest));
    chosen.map(|(width, _)| width).ok_or_else(|| too_many_pages(degrees, page_size, value))
}

/// Returns the error if even the widest record IDs cannot identify all pages.
fn too_many_pages(degrees: &[u32], page_size: u32, value: Option<ScalarType>) -> BuildError {
    let widest = IdWidth::new(4, 4).and_then(|width| Ok((width, PageFormat::new(page_size, width, value)?)));
    match widest {
        Ok((width, format)) => {
            let needed = count(degrees, &Layout::new(&format), width.max_slots(), u64::MAX);
            BuildError::TooManyPages { width, needed, max: width.max_pages() }
        }
        Err(error) => error.into(),
    }
}

/// Returns a lower bound on the number of pages, based on the bytes of entries and slots and on the slot limit.
fn least_pages(vertices: u64, edges: u64, format: &PageFormat) -> u64 {
    let entry = (format.width().bytes() + format.value_bytes()) as u128;
    let bytes = u128::from(edges) * entry + 4 * u128::from(vertices);
    let by_bytes = bytes / u128::from(format.page_size());
    (by_bytes as u64).max(vertices / format.width().max_slots())
}

/// Counts the pages. Stops when the count exceeds `limit`.
fn count(degrees: &[u32], layout: &Layout, max_slots: u64, limit: u64) -> u64 {
    let mut count = Count { pages: 0, limit };
    walk(degrees, layout, max_slots, &mut count);
    count.pages
}

/// Visits the vertices in order, and begins a new page if the next vertex does not fit. A list that does not fit in an
/// empty page gets a run of large pages. Returns the number of edges.
fn walk(degrees: &[u32], layout: &Layout, max_slots: u64, pages: &mut impl Pages) -> u64 {
    let capacity = layout.capacity(1);
    // The number of slots in the open page; 0 if no page is open.
    let (mut slots, mut entries) = (0, 0);
    let mut edges = 0;
    for (vertex, &degree) in (0u64..).zip(degrees) {
        let degree = u64::from(degree);
        if degree > capacity {
            let run = degree.div_ceil(capacity);
            for page in 0..run {
                if !pages.page(vertex, (run - page) as u32, edges + page * capacity) {
                    return edges;
                }
            }
            slots = 0;
        } else {
            if slots == 0 || slots == max_slots || !layout.fits(slots + 1, entries + degree) {
                if !pages.page(vertex, 0, edges) {
                    return edges;
                }
                (slots, entries) = (0, 0);
            }
            slots += 1;
            entries += degree;
        }
        edges += degree;
    }
    edges
}
