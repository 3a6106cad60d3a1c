//! Fills pages with sorted edges.

use super::BuildError;
use super::gaps::Gaps;
use super::paginate::Pagination;
use super::record::{Record, from_ordered};
use super::sort::Sorted;
use crate::encoding::slotted::{Layout, PageWriter};
use crate::graph::{PageId, Vertex};
use crate::memory::NoMemory;
use crate::page::{AlignedBytes, Imbalance, PageFormat, Rvt, Topology};
use crate::parallel::*;

/// The number of vertices per task when record IDs are computed.
const PIECE: usize = 1 << 16;

/// Fills the pages of a pagination, in any order.
pub(super) struct PageFiller<'a> {
    degrees: &'a [u32],
    format: PageFormat,
    rvt: Rvt,
    first_edges: Vec<u64>,
    ids: RecordIds,
}

/// The record ID of each vertex, indexed by the number that edges use for the vertex.
enum RecordIds {
    /// Record IDs of up to four bytes.
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl<'a> PageFiller<'a> {
    /// Creates a filler for vertices with the given degrees. `gaps` must be given if the vertex numbers in edges have
    /// gaps.
    pub(super) fn new(
        degrees: &'a [u32],
        format: PageFormat,
        pagination: Pagination,
        gaps: Option<&Gaps>,
    ) -> Result<Self, BuildError> {
        let Pagination { start_vids, lp_ranges, first_edges } = pagination;
        let rvt = Rvt::new(start_vids, lp_ranges, degrees.len() as u64)?;
        let ids = if format.width().bytes() <= 4 {
            RecordIds::Narrow(spread(record_ids(&rvt, &format, |id| id as u32), gaps))
        } else {
            RecordIds::Wide(spread(record_ids(&rvt, &format, |id| id), gaps))
        };
        Ok(Self { degrees, format, rvt, first_edges, ids })
    }

    /// Returns the bytes needed for the record IDs of `vertices` vertices.
    pub(super) fn table_bytes(vertices: u64, format: &PageFormat) -> u64 {
        vertices * if format.width().bytes() <= 4 { 4 } else { 8 }
    }

    /// Returns the bytes per page.
    pub(super) fn page_size(&self) -> usize {
        self.format.page_size() as usize
    }

    /// Returns the number of pages.
    pub(super) fn num_pages(&self) -> u32 {
        self.rvt.num_pages()
    }

    /// Returns the number of the first edge of each page, followed by the total number of edges.
    pub(super) fn first_edges(&self) -> &[u64] {
        &self.first_edges
    }

    /// Returns the maximum number of edges in a page.
    pub(super) fn most_edges(&self) -> usize {
        self.first_edges.windows(2).map(|bounds| bounds[1] - bounds[0]).max().unwrap_or(0) as usize
    }

    /// Returns the RVT and the imbalance of its pages.
    pub(super) fn into_tables(self) -> (Rvt, Imbalance) {
        let imbalance = Imbalance::of(&self.rvt, self.degrees);
        (self.rvt, imbalance)
    }

    /// Fills a zeroed page. `list` receives a number of edges, and returns the page's next edges in that number.
    pub(super) fn fill<'e, R: Record>(&self, page: &mut [u8], number: u32, list: impl FnMut(usize) -> &'e [R]) {
        match &self.ids {
            RecordIds::Narrow(ids) => self.fill_with(page, number, list, |dst| u64::from(ids[dst as usize])),
            RecordIds::Wide(ids) => self.fill_with(page, number, list, |dst| ids[dst as usize]),
        }
    }

    fn fill_with<'e, R: Record>(
        &self,
        page: &mut [u8],
        number: u32,
        mut list: impl FnMut(usize) -> &'e [R],
        record_id: impl Fn(u32) -> u64,
    ) {
        let vertices = self.rvt.vertices(PageId(number));
        let entries = self.first_edges[number as usize + 1] - self.first_edges[number as usize];
        let slots = (vertices.end - vertices.start) as u32;
        let mut writer = PageWriter::new(Layout::new(&self.format), page, vertices.start, slots, entries as u32);
        for vertex in vertices {
            // A large vertex has more edges than a page can contain.
            let degree = entries.min(u64::from(self.degrees[vertex as usize])) as usize;
            if degree > 0 {
                let list = list(degree);
                writer.put_records(list.iter().map(|edge| record_id(edge.dst())));
                if let Some(scalar) = self.format.value() {
                    let values = list.iter().map(|edge| from_ordered(scalar, edge.value()));
                    match R::VALUE_BYTES {
                        4 => writer.put_values(values.map(|bits| (bits as u32).to_le_bytes())),
                        _ => writer.put_values(values.map(u64::to_le_bytes)),
                    }
                }
            }
            writer.end_vertex();
        }
    }
}

/// Builds the topology from sorted edges.
pub(super) fn fill<R: Record>(
    edges: &Sorted<R>,
    degrees: &[u32],
    format: PageFormat,
    pagination: Pagination,
    gaps: Option<&Gaps>,
) -> Result<Topology, BuildError> {
    let filler = PageFiller::new(degrees, format, pagination, gaps)?;
    let len = filler.num_pages() as usize * filler.page_size();
    let mut bytes = AlignedBytes::zeroed(len).ok_or(NoMemory { what: "pages", bytes: len as u64 })?;
    let starts = bucket_starts(edges);
    let pages = bytes.as_mut_slice().par_chunks_exact_mut(filler.page_size());
    pages.zip(0u32..filler.num_pages()).for_each(|(page, number)| {
        let first = filler.first_edges[number as usize];
        let mut bucket = starts.partition_point(|&start| start <= first) - 1;
        let mut place = (first - starts[bucket]) as usize;
        filler.fill(page, number, |count| {
            // All edges of a vertex are in the same bucket.
            while place == edges.buckets[bucket].len() {
                (bucket, place) = (bucket + 1, 0);
            }
            place += count;
            &edges.buckets[bucket][place - count..place]
        });
    });
    Ok(Topology::trusted(format, filler.into_tables(), edges.len(), bytes))
}

/// Returns the record ID of each vertex.
fn record_ids<I: Copy + Default + Send>(rvt: &Rvt, format: &PageFormat, narrow: impl Fn(u64) -> I + Sync) -> Vec<I> {
    let page_bits = 8 * u32::from(format.width().page_bytes());
    let mut ids = vec![I::default(); rvt.num_vertices() as usize];
    ids.par_chunks_mut(PIECE).enumerate().for_each(|(piece, ids)| {
        let mut vertex = (piece * PIECE) as u64;
        let mut rest = ids;
        while !rest.is_empty() {
            let Some(page) = rvt.first_page_of(Vertex::from_dense(vertex)) else { return };
            let vertices = rvt.vertices(page);
            let count = (vertices.end - vertex).min(rest.len() as u64);
            let (now, later) = rest.split_at_mut(count as usize);
            for (id, slot) in now.iter_mut().zip(vertex - vertices.start..) {
                *id = narrow(u64::from(page.0) | slot << page_bits);
            }
            vertex += count;
            rest = later;
        }
    });
    ids
}

/// Converts a table indexed by rank to a table indexed by vertex number.
fn spread<I: Copy + Default>(by_rank: Vec<I>, gaps: Option<&Gaps>) -> Vec<I> {
    match gaps {
        Some(gaps) => gaps.spread(&by_rank),
        None => by_rank,
    }
}

/// Returns the number of the first edge in each bucket.
fn bucket_starts<R: Record>(edges: &Sorted<R>) -> Vec<u64> {
    let lens = edges.buckets.iter().map(|bucket| bucket.len() as u64);
    lens.scan(0, |sum, len| Some(std::mem::replace(sum, *sum + len))).collect()
}
