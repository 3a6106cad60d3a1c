//! Examples: item. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("item", "gts_attributes"), run: gts_attributes_row::run, kernels: gts_attributes_row::kernels },
        Example { row: ("item", "gts_fn"), run: gts_fn_row::run, kernels: gts_fn_row::kernels },
        Example { row: ("item", "gts_const"), run: gts_const_row::run, kernels: gts_const_row::kernels },
        Example { row: ("item", "crate"), run: crate_row::run, kernels: crate_row::kernels },
    ]
}

mod gts_attributes_row {
    use super::*;

    #[gts_attributes(T = f32 | u32)]
    pub struct Paths<T> {
        #[wa(init = UNREACHED, merge = min)]
        pub distance: T,
        #[edge]
        pub weight: T,
    }

    #[gts_kernel(traverse)]
    fn relax<T>(paths: &mut Paths<T>, src: Vertex, dst: Vertex, e: Edge) {
        let through = paths.distance[src].saturating_add(paths.weight[e]);
        if paths.distance[dst].fetch_min(through) > through {
            activate(dst);
        }
    }

    pub(super) fn run() -> Result<()> {
        let mut run = started::<Paths<u32>>()?;
        run.traverse(relax::<u32>)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(relax::<u32>)]
    }
}

mod gts_fn_row {
    use super::*;

    #[gts_fn]
    fn mixed(x: u64) -> u64 {
        let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x ^ x >> 32
    }

    #[gts_kernel(vertex)]
    fn label(a: &mut Shared, v: Vertex) {
        a.count[v] = mixed(v as u64);
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(label)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(label)]
    }
}

mod gts_const_row {
    use super::*;

    #[gts_const]
    const LIMIT: u32 = 1 << 4;

    #[gts_kernel(vertex)]
    fn mark(a: &mut Shared, v: Vertex) {
        a.bits[v] |= LIMIT;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(mark)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(mark)]
    }
}

mod crate_row {
    use super::*;

    #[gts_kernel(scan, crate = gts_runtime)]
    fn count(a: &mut Shared, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.scan(count)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(count)]
    }
}
