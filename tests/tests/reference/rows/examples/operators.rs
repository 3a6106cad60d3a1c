//! Examples: operator. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("operator", "+"), run: symbol_0_row::run, kernels: symbol_0_row::kernels },
        Example { row: ("operator", "-"), run: symbol_1_row::run, kernels: symbol_1_row::kernels },
        Example { row: ("operator", "*"), run: symbol_2_row::run, kernels: symbol_2_row::kernels },
        Example { row: ("operator", "/"), run: symbol_3_row::run, kernels: symbol_3_row::kernels },
        Example { row: ("operator", "%"), run: symbol_4_row::run, kernels: symbol_4_row::kernels },
        Example { row: ("operator", "!"), run: symbol_5_row::run, kernels: symbol_5_row::kernels },
        Example { row: ("operator", "&"), run: symbol_6_row::run, kernels: symbol_6_row::kernels },
        Example { row: ("operator", "|"), run: symbol_7_row::run, kernels: symbol_7_row::kernels },
        Example { row: ("operator", "^"), run: symbol_8_row::run, kernels: symbol_8_row::kernels },
        Example { row: ("operator", "<<"), run: symbol_9_row::run, kernels: symbol_9_row::kernels },
        Example { row: ("operator", ">>"), run: symbol_10_row::run, kernels: symbol_10_row::kernels },
        Example { row: ("operator", "&&"), run: symbol_11_row::run, kernels: symbol_11_row::kernels },
        Example { row: ("operator", "||"), run: symbol_12_row::run, kernels: symbol_12_row::kernels },
        Example { row: ("operator", "=="), run: symbol_13_row::run, kernels: symbol_13_row::kernels },
        Example { row: ("operator", "!="), run: symbol_14_row::run, kernels: symbol_14_row::kernels },
        Example { row: ("operator", "<"), run: symbol_15_row::run, kernels: symbol_15_row::kernels },
        Example { row: ("operator", "<="), run: symbol_16_row::run, kernels: symbol_16_row::kernels },
        Example { row: ("operator", ">"), run: symbol_17_row::run, kernels: symbol_17_row::kernels },
        Example { row: ("operator", ">="), run: symbol_18_row::run, kernels: symbol_18_row::kernels },
        Example { row: ("operator", "as"), run: as_row::run, kernels: as_row::kernels },
        Example { row: ("operator", "[]"), run: symbol_20_row::run, kernels: symbol_20_row::kernels },
        Example { row: ("operator", "[x; n]"), run: x_n_row::run, kernels: x_n_row::kernels },
        Example { row: ("operator", ".."), run: symbol_22_row::run, kernels: symbol_22_row::kernels },
    ]
}

mod symbol_0_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (a.small[v] + 100) == 0;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        let ended = run.apply(example);
        faults(ended)
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}

mod symbol_1_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (3i32 - 5) == (-2);
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

mod symbol_2_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1.5f32 * 2.0) == (3.0);
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

mod symbol_3_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (-7i32 / 2) == (-3);
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

mod symbol_4_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (-7i32 % 2) == (-1);
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

mod symbol_5_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (!0u8) == (255);
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

mod symbol_6_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (12u32 & 10) == (8);
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

mod symbol_7_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (12u32 | 10) == (14);
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

mod symbol_8_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (12u32 ^ 10) == (6);
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

mod symbol_9_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (1u64 << 33) == (8589934592);
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

mod symbol_10_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (-8i32 >> 1) == (-4);
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

mod symbol_11_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (true && v == v) == (true);
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

mod symbol_12_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (false || v == v) == (true);
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

mod symbol_13_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (v == v.id()) == (true);
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

mod symbol_14_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (3u32 != 4) == (true);
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

mod symbol_15_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (f32::NEG_INFINITY < 0.0) == (true);
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

mod symbol_16_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (3u32 <= 3) == (true);
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

mod symbol_17_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (3u32 > 3) == (false);
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

mod symbol_18_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (3u32 >= 3) == (true);
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

mod as_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (300u32 as u8 == 44 && -1.5f32 as u32 == 0) == (true);
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

mod symbol_20_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (a.classes[v][a.count[v] + 4]) == 0;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        let ended = run.apply(example);
        faults(ended)
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(example)]
    }
}

mod x_n_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let list = [v as u64; 3];
        a.count[v] = list[2];
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

mod symbol_22_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        for i in 1..=3u64 {
            a.count[v] += i;
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
