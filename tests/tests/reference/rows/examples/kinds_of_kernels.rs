//! Examples: kind of kernel. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("kind of kernel", "scan"), run: scan_row::run, kernels: scan_row::kernels },
        Example { row: ("kind of kernel", "traverse"), run: traverse_row::run, kernels: traverse_row::kernels },
        Example { row: ("kind of kernel", "gather"), run: gather_row::run, kernels: gather_row::kernels },
        Example { row: ("kind of kernel", "vertex"), run: vertex_row::run, kernels: vertex_row::kernels },
        Example { row: ("kind of kernel", "priority"), run: priority_row::run, kernels: priority_row::kernels },
        Example { row: ("kind of kernel", "intersect"), run: intersect_row::run, kernels: intersect_row::kernels },
    ]
}

mod scan_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.count[dst] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.scan(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(example)]
    }
}

mod traverse_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[dst] == UNREACHED {
            a.level[dst] = step() + 1;
            activate(dst);
        }
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.traverse(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(example)]
    }
}

mod gather_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        if v.out_degree() == 0 {
            return;
        }
        let least = v.neighbors().min(|dst| a.level[dst]);
        a.level[v] = least;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod vertex_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.next[v] = 0.15 + a.damping * a.next[v];
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}

mod priority_row {
    use super::*;

    #[gts_kernel(priority)]
    fn nearness(a: &mut Shared, v: Vertex) -> u32 {
        a.level[v]
    }

    #[gts_kernel(traverse)]
    fn relax(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let through = a.level[src].saturating_add(a.weight[e]);
        if a.level[dst].fetch_min(through) > through {
            activate(dst);
        }
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.traverse_near(relax, nearness, 2)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![priority_sift(nearness), priority_find(nearness), priority_bring(nearness), edge_kernel(relax)]
    }
}

mod intersect_row {
    use super::*;

    #[gts_kernel(intersect)]
    fn example(a: &mut Shared, u: Vertex, v: Vertex, w: Vertex) {
        a.count[w] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.intersect(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![intersect_kernel(example)]
    }
}
