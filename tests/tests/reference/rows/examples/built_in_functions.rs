//! Examples: built-in function. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("built-in function", "step"), run: step_row::run, kernels: step_row::kernels },
        Example { row: ("built-in function", "activate"), run: activate_row::run, kernels: activate_row::kernels },
        Example { row: ("built-in function", "num_vertices"), run: num_vertices_row::run, kernels: num_vertices_row::kernels },
        Example { row: ("built-in function", "num_edges"), run: num_edges_row::run, kernels: num_edges_row::kernels },
        Example { row: ("built-in function", "Vertex::new"), run: vertex_new_row::run, kernels: vertex_new_row::kernels },
    ]
}

mod step_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (step()) == (0);
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(example)?;
        holds(run)
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}

mod activate_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.weight[e] > 1 {
            activate(dst);
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

mod num_vertices_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (num_vertices() > v as u64) == (true);
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(example)?;
        holds(run)
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}

mod num_edges_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (v.out_degree() <= num_edges()) == (true);
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(example)?;
        holds(run)
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}

mod vertex_new_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (Vertex::new(v as u64) == v) == (true);
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.apply(example)?;
        holds(run)
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}
