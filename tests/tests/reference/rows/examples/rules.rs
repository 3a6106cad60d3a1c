//! Examples: rule. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("rule", "arithmetic"), run: arithmetic_row::run, kernels: arithmetic_row::kernels },
        Example { row: ("rule", "fault"), run: fault_row::run, kernels: fault_row::kernels },
        Example { row: ("rule", "missing values"), run: missing_values_row::run, kernels: missing_values_row::kernels },
        Example { row: ("rule", "steps"), run: steps_row::run, kernels: steps_row::kernels },
        Example { row: ("rule", "evaluation order"), run: evaluation_order_row::run, kernels: evaluation_order_row::kernels },
        Example { row: ("rule", "types"), run: types_row::run, kernels: types_row::kernels },
        Example { row: ("rule", "names"), run: names_row::run, kernels: names_row::kernels },
        Example { row: ("rule", "random formula"), run: random_formula_row::run, kernels: random_formula_row::kernels },
    ]
}

mod arithmetic_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (a.signed[v] / (a.level[v].count_ones() as i32 - 32)) == 0;
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

mod fault_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (a.classes[v][v.id() as u64 + 4]) == 0;
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

mod missing_values_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[src] != UNREACHED {
            a.level[dst].fetch_min(a.level[src] + 1);
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

mod steps_row {
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

mod evaluation_order_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let old = a.count[v].fetch_add(1);
        a.level[v] = (old + a.count[v]) as u32;
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

mod types_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let mut x: u64 = 1;
        x += v.out_degree();
        a.count[v] = x;
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

mod names_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let level = a.level[v];
        if level == UNREACHED {
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

mod random_formula_row {
    use super::*;

    pub(super) fn run() -> Result<()> {
        fn bits(seed: u64, step: u32, runs: u32, v: u64, draw: u64) -> u64 {
            let mut state = 0;
            for number in [seed, u64::from(runs) << 32 | u64::from(step), v, u64::MAX, draw] {
                let z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
                state = z ^ (z >> 31);
            }
            state
        }

        assert_eq!(bits(7, 0, 0, 3, 0), 0x739b_7ea0_4762_5bef);
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![]
    }
}
