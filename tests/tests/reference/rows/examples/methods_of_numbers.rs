//! Examples: method of numbers. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("method of numbers", "sqrt"), run: sqrt_row::run, kernels: sqrt_row::kernels },
        Example { row: ("method of numbers", "exp"), run: exp_row::run, kernels: exp_row::kernels },
        Example { row: ("method of numbers", "ln"), run: ln_row::run, kernels: ln_row::kernels },
        Example { row: ("method of numbers", "powf"), run: powf_row::run, kernels: powf_row::kernels },
        Example { row: ("method of numbers", "powi"), run: powi_row::run, kernels: powi_row::kernels },
        Example { row: ("method of numbers", "sin"), run: sin_row::run, kernels: sin_row::kernels },
        Example { row: ("method of numbers", "cos"), run: cos_row::run, kernels: cos_row::kernels },
        Example { row: ("method of numbers", "abs"), run: abs_row::run, kernels: abs_row::kernels },
        Example { row: ("method of numbers", "floor"), run: floor_row::run, kernels: floor_row::kernels },
        Example { row: ("method of numbers", "ceil"), run: ceil_row::run, kernels: ceil_row::kernels },
        Example { row: ("method of numbers", "min"), run: min_row::run, kernels: min_row::kernels },
        Example { row: ("method of numbers", "max"), run: max_row::run, kernels: max_row::kernels },
        Example { row: ("method of numbers", "count_ones"), run: count_ones_row::run, kernels: count_ones_row::kernels },
        Example { row: ("method of numbers", "leading_zeros"), run: leading_zeros_row::run, kernels: leading_zeros_row::kernels },
        Example { row: ("method of numbers", "trailing_zeros"), run: trailing_zeros_row::run, kernels: trailing_zeros_row::kernels },
        Example { row: ("method of numbers", "wrapping_add"), run: wrapping_add_row::run, kernels: wrapping_add_row::kernels },
        Example { row: ("method of numbers", "wrapping_sub"), run: wrapping_sub_row::run, kernels: wrapping_sub_row::kernels },
        Example { row: ("method of numbers", "wrapping_mul"), run: wrapping_mul_row::run, kernels: wrapping_mul_row::kernels },
        Example { row: ("method of numbers", "wrapping_neg"), run: wrapping_neg_row::run, kernels: wrapping_neg_row::kernels },
        Example { row: ("method of numbers", "wrapping_shl"), run: wrapping_shl_row::run, kernels: wrapping_shl_row::kernels },
        Example { row: ("method of numbers", "wrapping_shr"), run: wrapping_shr_row::run, kernels: wrapping_shr_row::kernels },
        Example { row: ("method of numbers", "saturating_add"), run: saturating_add_row::run, kernels: saturating_add_row::kernels },
        Example { row: ("method of numbers", "saturating_sub"), run: saturating_sub_row::run, kernels: saturating_sub_row::kernels },
        Example { row: ("method of numbers", "saturating_mul"), run: saturating_mul_row::run, kernels: saturating_mul_row::kernels },
        Example { row: ("method of numbers", "is_nan"), run: is_nan_row::run, kernels: is_nan_row::kernels },
    ]
}

mod sqrt_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (9.0f32.sqrt()) == (3.0);
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

mod exp_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (0.0f64.exp()) == (1.0);
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

mod ln_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1.0f64.ln()) == (0.0);
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

mod powf_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (2.0f32.powf(3.0) > 7.99) == (true);
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

mod powi_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (2.0f64.powi(-1) < 0.51) == (true);
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

mod sin_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (0.0f32.sin()) == (0.0);
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

mod cos_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (0.0f32.cos()) == (1.0);
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

mod abs_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = ((-7i32).abs()) == (7);
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

mod floor_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1.5f32.floor()) == (1.0);
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

mod ceil_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1.5f32.ceil()) == (2.0);
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
        a.holds[v] = (7u32.min(2)) == (2);
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

mod max_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (7u32.max(2)) == (7);
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

mod count_ones_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (7u64.count_ones()) == (3);
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

mod leading_zeros_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1u8.leading_zeros()) == (7);
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

mod trailing_zeros_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (8u32.trailing_zeros()) == (3);
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

mod wrapping_add_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (255u8.wrapping_add(2)) == (1);
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

mod wrapping_sub_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1u8.wrapping_sub(2)) == (255);
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

mod wrapping_mul_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (128u8.wrapping_mul(3)) == (128);
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

mod wrapping_neg_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1u8.wrapping_neg()) == (255);
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

mod wrapping_shl_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1u32.wrapping_shl(33)) == (2);
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

mod wrapping_shr_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (4u32.wrapping_shr(33)) == (2);
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

mod saturating_add_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (250u8.saturating_add(10)) == (255);
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

mod saturating_sub_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1u8.saturating_sub(2)) == (0);
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

mod saturating_mul_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (100u8.saturating_mul(3)) == (255);
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

mod is_nan_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1.0f32.is_nan()) == (false);
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
