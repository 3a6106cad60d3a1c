//! Fills the pages from sorted edges.

use super::BuildError;
use super::paginate::Pagination;
use super::record::{Record, from_ordered};
use super::sort::Sorted;
use crate::encoding::slotted::{Layout, PageWriter};
use crate::page::{AlignedBytes, PageFormat, Rvt, Topology};
use rayon::prelude::*;

/// Vertices whose record IDs are computed as one task.
const PIECE: usize = 1 << 16;

/// The topology of the sorted edges.
pub(super) fn fill<R: Record>(
    edges: &Sorted<R>,
    degrees: &[u32],
    format: PageFormat,
    pagination: Pagination,
) -> Result<Topology, BuildError> {
    let Pagination { start_vids, lp_ranges, first_edges } = pagination;
    let rvt = Rvt::new(start_vids, lp_ranges, degrees.len() as u64)?;
    let page_size = format.page_size() as usize;
    let len = rvt.num_pages() as usize * page_size;
    let mut bytes = AlignedBytes::zeroed(len).ok_or(BuildError::Memory { bytes: len as u64 })?;
    if format.width().bytes() <= 4 {
        let ids = record_ids(&rvt, &format, |id| id as u32);
        fill_pages(edges, degrees, &format, &rvt, &first_edges, &mut bytes, |dst| u64::from(ids[dst as usize]));
    } else {
        let ids = record_ids(&rvt, &format, |id| id);
        fill_pages(edges, degrees, &format, &rvt, &first_edges, &mut bytes, |dst| ids[dst as usize]);
    }
    Ok(Topology::trusted(format, rvt, edges.len(), bytes))
}

/// The record ID of each vertex.
fn record_ids<I: Copy + Default + Send>(rvt: &Rvt, format: &PageFormat, narrow: impl Fn(u64) -> I + Sync) -> Vec<I> {
    let page_bits = 8 * u32::from(format.width().page_bytes());
    let mut ids = vec![I::default(); rvt.num_vertices() as usize];
    ids.par_chunks_mut(PIECE).enumerate().for_each(|(piece, ids)| {
        let mut vertex = (piece * PIECE) as u64;
        let mut rest = ids;
        while !rest.is_empty() {
            let Some(page) = rvt.first_page_of(crate::graph::Vertex::from_dense(vertex)) else { return };
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

fn fill_pages<R: Record>(
    edges: &Sorted<R>,
    degrees: &[u32],
    format: &PageFormat,
    rvt: &Rvt,
    first_edges: &[u64],
    bytes: &mut AlignedBytes,
    record_id: impl Fn(u32) -> u64 + Sync,
) {
    let layout = Layout::new(format);
    let value = format.value();
    let starts = bucket_starts(edges);
    let pages = bytes.as_mut_slice().par_chunks_exact_mut(format.page_size() as usize);
    pages.zip(0u32..rvt.num_pages()).for_each(|(page, number)| {
        let vertices = rvt.vertices(crate::graph::PageId(number));
        let first = first_edges[number as usize];
        let entries = first_edges[number as usize + 1] - first;
        let slots = (vertices.end - vertices.start) as u32;
        let mut writer = PageWriter::new(layout, page, vertices.start, slots, entries as u32);
        let mut bucket = starts.partition_point(|&start| start <= first) - 1;
        let mut place = (first - starts[bucket]) as usize;
        for vertex in vertices {
            // A large vertex has more edges than its page; all of them lie in one bucket.
            let degree = entries.min(u64::from(degrees[vertex as usize])) as usize;
            if degree > 0 {
                while place == edges.buckets[bucket].len() {
                    (bucket, place) = (bucket + 1, 0);
                }
                let list = &edges.buckets[bucket][place..place + degree];
                writer.put_records(list.iter().map(|edge| record_id(edge.dst())));
                if let Some(scalar) = value {
                    let values = list.iter().map(|edge| from_ordered(scalar, edge.value()));
                    match R::VALUE_BYTES {
                        4 => writer.put_values(values.map(|bits| (bits as u32).to_le_bytes())),
                        _ => writer.put_values(values.map(u64::to_le_bytes)),
                    }
                }
                place += degree;
            }
            writer.end_vertex();
        }
    });
}

/// Number of the first edge of each bucket.
fn bucket_starts<R: Record>(edges: &Sorted<R>) -> Vec<u64> {
    let lens = edges.buckets.iter().map(|bucket| bucket.len() as u64);
    lens.scan(0, |sum, len| Some(std::mem::replace(sum, *sum + len))).collect()
}
