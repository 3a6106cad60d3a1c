//! Examples: method of edges. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("method of edges", "position"), run: position_row::run, kernels: position_row::kernels },
    ]
}

mod position_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if e.position() < 3 {
            a.count[dst] += 1;
        }
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
