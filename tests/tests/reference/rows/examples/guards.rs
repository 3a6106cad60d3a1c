//! Examples: guard. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("guard", "comparison with UNREACHED"), run: comparison_with_unreached_row::run, kernels: comparison_with_unreached_row::kernels },
        Example { row: ("guard", "comparison that the largest value fails"), run: comparison_that_the_largest_value_fails_row::run, kernels: comparison_that_the_largest_value_fails_row::kernels },
        Example { row: ("guard", "early return"), run: early_return_row::run, kernels: early_return_row::kernels },
        Example { row: ("guard", "guarded local"), run: guarded_local_row::run, kernels: guarded_local_row::kernels },
        Example { row: ("guard", "saturating arithmetic"), run: saturating_arithmetic_row::run, kernels: saturating_arithmetic_row::kernels },
        Example { row: ("guard", "source of a traversal"), run: source_of_a_traversal_row::run, kernels: source_of_a_traversal_row::kernels },
        Example { row: ("guard", "source guard"), run: source_guard_row::run, kernels: source_guard_row::kernels },
        Example { row: ("guard", "target guard"), run: target_guard_row::run, kernels: target_guard_row::kernels },
    ]
}

mod comparison_with_unreached_row {
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

mod comparison_that_the_largest_value_fails_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[src] < a.level[dst] {
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

mod early_return_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[src] == UNREACHED {
            return;
        }
        a.level[dst].fetch_min(a.level[src] + 1);
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

mod guarded_local_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let d = a.level[src];
        if d != UNREACHED && d < 9 {
            a.level[dst].fetch_min(d + 1);
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

mod saturating_arithmetic_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.level[dst].fetch_min(a.level[src].saturating_add(1));
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

mod source_of_a_traversal_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let through = a.level[src] + 1;
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

mod source_guard_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.bits[src] == 0 {
            return;
        }
        a.count[dst] += 1;
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

mod target_guard_row {
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
