//! Examples: reduction. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("reduction", "neighbors"), run: neighbors_row::run, kernels: neighbors_row::kernels },
        Example { row: ("reduction", "filter"), run: filter_row::run, kernels: filter_row::kernels },
        Example { row: ("reduction", "sum"), run: sum_row::run, kernels: sum_row::kernels },
        Example { row: ("reduction", "min"), run: min_row::run, kernels: min_row::kernels },
        Example { row: ("reduction", "max"), run: max_row::run, kernels: max_row::kernels },
        Example { row: ("reduction", "or"), run: or_row::run, kernels: or_row::kernels },
        Example { row: ("reduction", "and"), run: and_row::run, kernels: and_row::kernels },
        Example { row: ("reduction", "any"), run: any_row::run, kernels: any_row::kernels },
        Example { row: ("reduction", "all"), run: all_row::run, kernels: all_row::kernels },
        Example { row: ("reduction", "count"), run: count_row::run, kernels: count_row::kernels },
        Example { row: ("reduction", "argmin"), run: argmin_row::run, kernels: argmin_row::kernels },
        Example { row: ("reduction", "argmax"), run: argmax_row::run, kernels: argmax_row::kernels },
        Example { row: ("reduction", "mode"), run: mode_row::run, kernels: mode_row::kernels },
    ]
}

mod neighbors_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let total = v.neighbors().sum(|dst, e| a.count[dst] * a.weight[e] as u64);
        a.count[v] = total;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod filter_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let some = v.neighbors().filter(|dst| dst != v).any(|dst| a.level[dst] == 0);
        if some {
            activate(v);
        }
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod sum_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let total = v.neighbors().sum(|dst| a.count[dst]);
        a.count[v] = total;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod min_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let least = v.neighbors().min(|dst| a.level[dst]);
        a.level[v] = least;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod max_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let most = v.neighbors().max(|dst| a.count[dst]);
        a.count[v] = most;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod or_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let set = v.neighbors().or(|dst| a.bits[dst]);
        a.bits[v] = set;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod and_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let shared = v.neighbors().and(|dst| a.bits[dst]);
        a.bits[v] = shared;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod any_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let near = v.neighbors().any(|dst| a.level[dst] == 0);
        a.holds[v] = near;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod all_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let alone = v.neighbors().all(|dst| a.level[dst] != 0);
        a.holds[v] = alone;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod count_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let taken = v.neighbors().count(|dst| a.holds[dst]);
        a.count[v] = taken;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod argmin_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let nearest = v.neighbors().argmin(|dst| a.level[dst]);
        a.parent[v] = nearest;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod argmax_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let largest = v.neighbors().argmax(|dst| a.count[dst]);
        a.parent[v] = largest;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}

mod mode_row {
    use super::*;

    #[gts_kernel(gather)]
    fn example(a: &mut Shared, v: Vertex) {
        let common = v.neighbors().mode(|dst| a.level[dst]);
        a.level[v] = common;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = shared()?;
        run.gather(example)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![gather_edges(example), gather_block(example)]
    }
}
