//! Examples: random number. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("random number", "random"), run: random_row::run, kernels: random_row::kernels },
        Example { row: ("random number", "random_f32"), run: random_f32_row::run, kernels: random_f32_row::kernels },
        Example { row: ("random number", "random_f64"), run: random_f64_row::run, kernels: random_f64_row::kernels },
        Example { row: ("random number", "random_below"), run: random_below_row::run, kernels: random_below_row::kernels },
    ]
}

mod random_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if random(v, 0) >> 63 == 1 {
            a.count[v] += 1;
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

mod random_f32_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if random_f32(e, 0) < 0.5 {
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

mod random_f64_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if random_f64(v, 1) < 0.01 {
            activate(v);
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

mod random_below_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.level[v] = random_below(v, 2, 6) as u32;
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
