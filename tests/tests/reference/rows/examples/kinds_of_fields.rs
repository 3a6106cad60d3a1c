//! Examples: kind of field. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("kind of field", "wa"), run: wa_row::run, kernels: wa_row::kernels },
        Example { row: ("kind of field", "ra"), run: ra_row::run, kernels: ra_row::kernels },
        Example { row: ("kind of field", "edge"), run: edge_row::run, kernels: edge_row::kernels },
        Example { row: ("kind of field", "param"), run: param_row::run, kernels: param_row::kernels },
        Example { row: ("kind of field", "global"), run: global_row::run, kernels: global_row::kernels },
    ]
}

mod wa_row {
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

mod ra_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.next[dst] += a.rank[src];
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

mod edge_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.level[dst].fetch_min(a.weight[e]);
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

mod param_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.next[v] = a.damping * a.next[v];
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

mod global_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if v.out_degree() == 0 {
            a.total += 1;
        }
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
