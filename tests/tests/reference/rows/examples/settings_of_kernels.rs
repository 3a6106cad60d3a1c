//! Examples: setting of a kernel. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("setting of a kernel", "out"), run: out_row::run, kernels: out_row::kernels },
        Example { row: ("setting of a kernel", "in"), run: in_row::run, kernels: in_row::kernels },
        Example { row: ("setting of a kernel", "both"), run: both_row::run, kernels: both_row::kernels },
        Example { row: ("setting of a kernel", "technique"), run: technique_row::run, kernels: technique_row::kernels },
        Example { row: ("setting of a kernel", "racy"), run: racy_row::run, kernels: racy_row::kernels },
        Example { row: ("setting of a kernel", "ordered"), run: ordered_row::run, kernels: ordered_row::kernels },
    ]
}

mod out_row {
    use super::*;

    #[gts_kernel(scan(out))]
    fn leave(a: &mut Shared, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.scan(leave)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(leave)]
    }
}

mod in_row {
    use super::*;

    #[gts_kernel(scan(in))]
    fn arrive(a: &mut Shared, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.scan(arrive)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(arrive)]
    }
}

mod both_row {
    use super::*;

    #[gts_kernel(scan(both))]
    fn touch(a: &mut Shared, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.scan(touch)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(touch)]
    }
}

mod technique_row {
    use super::*;

    #[gts_kernel(scan, technique = edge8)]
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

mod racy_row {
    use super::*;

    #[gts_kernel(scan, racy)]
    fn last(a: &mut Shared, src: Vertex, dst: Vertex) {
        a.level[dst] = a.level[src];
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.scan(last)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(last)]
    }
}

mod ordered_row {
    use super::*;

    #[gts_kernel(intersect, ordered)]
    fn triangle(a: &mut Shared, u: Vertex, v: Vertex, w: Vertex) {
        a.total += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.intersect(triangle)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![intersect_kernel(triangle)]
    }
}
