//! A struct and its kernels within a function.
#![deny(warnings)]
// Users write programs without the lints of this workspace.
#![allow(missing_docs, unreachable_pub)]

use gts_graph::prelude::*;

fn main() {
    #[gts_attributes(T = f32 | f64)]
    pub struct PageRank<T> {
        #[ra(from = next)]
        pub rank: T,
        #[wa(init = 0.0, merge = sum)]
        pub next: T,
        #[param]
        pub damping: T,
        #[global(merge = sum)]
        pub dangling: T,
    }

    #[gts_kernel(scan)]
    fn push<T>(pr: &mut PageRank<T>, src: Vertex, dst: Vertex) {
        pr.next[dst] += pr.rank[src] / src.out_degree() as T;
    }

    #[gts_kernel(vertex)]
    fn apply<T>(pr: &mut PageRank<T>, v: Vertex) {
        pr.next[v] = pr.damping * pr.next[v];
        if v.out_degree() == 0 {
            pr.dangling += pr.next[v];
        }
    }

    fn single(run: &mut Run<PageRank<f32>>) -> Result<Vec<f32>> {
        run.set_param(PageRank::DAMPING, 0.85)?;
        run.scan(push)?;
        run.apply(apply)?;
        run.rotate(PageRank::RANK)?;
        let _dangling: f32 = run.global(PageRank::DANGLING)?;
        run.take(PageRank::RANK)
    }

    fn double(run: &mut Run<PageRank<f64>>) -> Result<Vec<f64>> {
        run.fill(PageRank::RANK, 0.5)?;
        run.scan(push)?;
        run.take(PageRank::NEXT)
    }

    let _ = (single, double);
}
