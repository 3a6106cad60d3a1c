//! Counts the edges of each vertex.

use super::record::Record;
use super::sort::Sorted;
use crate::parallel::*;

/// Counts, for each vertex, the edges whose `end` is this vertex. Counts wrap at 32 bits.
pub(super) fn count<R: Record>(edges: &[Vec<R>], vertices: u32, end: impl Fn(&R) -> u32 + Sync) -> Vec<u32> {
    let total: usize = edges.iter().map(Vec::len).sum();
    // One table per thread is used, up to the memory that the edges use.
    let tables = rayon::current_num_threads().min(total / (vertices as usize).max(1)).max(1);
    let part = edges.len().div_ceil(tables).max(1);
    let count = |part: &[Vec<R>]| {
        let mut counts = vec![0u32; vertices as usize];
        for edge in part.iter().flatten() {
            let count = &mut counts[end(edge) as usize];
            *count = count.wrapping_add(1);
        }
        counts
    };
    let add = |mut a: Vec<u32>, b: Vec<u32>| {
        a.par_iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(b));
        a
    };
    edges.par_chunks(part).map(count).reduce_with(add).unwrap_or_else(|| vec![0; vertices as usize])
}

/// Returns the number of edges to each vertex. The error contains a vertex with too many edges, and the number of its
/// edges.
pub(super) fn targets<R: Record>(edges: &[Vec<R>], vertices: u32) -> Result<Vec<u32>, (u32, u64)> {
    let counts = count(edges, vertices, Record::dst);
    let total: u64 = edges.iter().map(|edges| edges.len() as u64).sum();
    if counts.par_iter().map(|&count| u64::from(count)).sum::<u64>() == total {
        return Ok(counts);
    }
    // At least one count has wrapped.
    let mut exact = vec![0u64; vertices as usize];
    edges.iter().flatten().for_each(|edge| exact[edge.dst() as usize] += 1);
    Err((0..).zip(exact).max_by_key(|&(_, count)| count).unwrap_or_default())
}

/// Properties of each source vertex, from one pass over the sorted edges.
pub(super) struct Sources {
    /// The number of edges of each source.
    pub(super) degrees: Vec<u32>,
    /// The first target of each source; `u32::MAX` if there is none.
    pub(super) heads: Vec<u32>,
}

/// Returns the degree and the first target of each source. The error contains a source with too many edges, and the
/// number of its edges.
pub(super) fn sources<R: Record>(edges: &Sorted<R>) -> Result<Sources, (u32, u64)> {
    let vertices = edges.bounds.last().map_or(0, |&last| last as usize);
    let mut sources = Sources { degrees: vec![0; vertices], heads: vec![u32::MAX; vertices] };
    let (mut degrees, mut heads) = (sources.degrees.as_mut_slice(), sources.heads.as_mut_slice());
    let mut tasks = Vec::with_capacity(edges.buckets.len());
    for (bucket, bounds) in edges.buckets.iter().zip(edges.bounds.windows(2)) {
        let (bucket_degrees, other_degrees) = degrees.split_at_mut((bounds[1] - bounds[0]) as usize);
        let (bucket_heads, other_heads) = heads.split_at_mut((bounds[1] - bounds[0]) as usize);
        tasks.push((bucket, bounds[0], bucket_degrees, bucket_heads));
        (degrees, heads) = (other_degrees, other_heads);
    }
    tasks.into_par_iter().try_for_each(|(bucket, first, degrees, heads)| {
        for run in bucket.chunk_by(|a, b| a.src() == b.src()) {
            let Some(edge) = run.first() else { continue };
            let place = (edge.src() - first) as usize;
            degrees[place] = u32::try_from(run.len()).map_err(|_| (edge.src(), run.len() as u64))?;
            heads[place] = edge.dst();
        }
        Ok(())
    })?;
    Ok(sources)
}
