//! Examples: class of kernels. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("class of kernels", "ordered"), run: ordered_row::run, kernels: ordered_row::kernels },
        Example { row: ("class of kernels", "monotone"), run: monotone_row::run, kernels: monotone_row::kernels },
    ]
}

mod ordered_row {
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

mod monotone_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let through = a.level[src].saturating_add(a.weight[e]);
        if a.level[dst].fetch_min(through) > through {
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
