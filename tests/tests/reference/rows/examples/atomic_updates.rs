//! Examples: atomic update. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("atomic update", "fetch_add"), run: fetch_add_row::run, kernels: fetch_add_row::kernels },
        Example { row: ("atomic update", "fetch_sub"), run: fetch_sub_row::run, kernels: fetch_sub_row::kernels },
        Example { row: ("atomic update", "fetch_min"), run: fetch_min_row::run, kernels: fetch_min_row::kernels },
        Example { row: ("atomic update", "fetch_max"), run: fetch_max_row::run, kernels: fetch_max_row::kernels },
        Example { row: ("atomic update", "fetch_and"), run: fetch_and_row::run, kernels: fetch_and_row::kernels },
        Example { row: ("atomic update", "fetch_or"), run: fetch_or_row::run, kernels: fetch_or_row::kernels },
        Example { row: ("atomic update", "fetch_xor"), run: fetch_xor_row::run, kernels: fetch_xor_row::kernels },
        Example { row: ("atomic update", "swap"), run: swap_row::run, kernels: swap_row::kernels },
        Example { row: ("atomic update", "compare_exchange"), run: compare_exchange_row::run, kernels: compare_exchange_row::kernels },
    ]
}

mod fetch_add_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.count[dst].fetch_add(2);
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

mod fetch_sub_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.count[dst].fetch_sub(1);
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

mod fetch_min_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[dst].fetch_min(step() + 1) > step() + 1 {
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

mod fetch_max_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.small[dst].fetch_max(201);
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

mod fetch_and_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.holds[dst].fetch_and(src != dst);
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

mod fetch_or_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.bits[dst].fetch_or(1 << (src as u64 % 32));
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

mod fetch_xor_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.bits[v].fetch_xor(1);
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

mod swap_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.parent[dst].swap(src);
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

mod compare_exchange_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if a.parent[v].compare_exchange(UNREACHED, v.id()) == UNREACHED {
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
