//! Examples: value. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("value", "UNREACHED"), run: unreached_row::run, kernels: unreached_row::kernels },
        Example { row: ("value", "MAX"), run: max_row::run, kernels: max_row::kernels },
        Example { row: ("value", "MIN"), run: min_row::run, kernels: min_row::kernels },
        Example { row: ("value", "INFINITY"), run: infinity_row::run, kernels: infinity_row::kernels },
        Example { row: ("value", "NEG_INFINITY"), run: neg_infinity_row::run, kernels: neg_infinity_row::kernels },
        Example { row: ("value", "integer literal"), run: integer_literal_row::run, kernels: integer_literal_row::kernels },
        Example { row: ("value", "float literal"), run: float_literal_row::run, kernels: float_literal_row::kernels },
        Example { row: ("value", "bool literal"), run: bool_literal_row::run, kernels: bool_literal_row::kernels },
    ]
}

mod unreached_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if a.level[v] == UNREACHED {
            a.level[v] = 0;
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

mod max_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (u8::MAX) == (255);
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

mod min_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (u8::MIN) == (0);
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

mod infinity_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (f32::INFINITY > f32::MAX) == (true);
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

mod neg_infinity_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (f64::NEG_INFINITY < f64::MIN) == (true);
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

mod integer_literal_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (0x1fu32 + 1) == (32);
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

mod float_literal_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1.5f64 + 0.5) == (2.0);
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

mod bool_literal_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (!false) == (true);
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
