//! Examples: statement. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("statement", "let"), run: let_row::run, kernels: let_row::kernels },
        Example { row: ("statement", "assignment"), run: assignment_row::run, kernels: assignment_row::kernels },
        Example { row: ("statement", "compound assignment"), run: compound_assignment_row::run, kernels: compound_assignment_row::kernels },
        Example { row: ("statement", "assert!"), run: assert_row::run, kernels: assert_row::kernels },
        Example { row: ("statement", "store"), run: store_row::run, kernels: store_row::kernels },
        Example { row: ("statement", "update"), run: update_row::run, kernels: update_row::kernels },
        Example { row: ("statement", "if"), run: if_row::run, kernels: if_row::kernels },
        Example { row: ("statement", "while"), run: while_row::run, kernels: while_row::kernels },
        Example { row: ("statement", "loop"), run: loop_row::run, kernels: loop_row::kernels },
        Example { row: ("statement", "for"), run: for_row::run, kernels: for_row::kernels },
        Example { row: ("statement", "break"), run: break_row::run, kernels: break_row::kernels },
        Example { row: ("statement", "continue"), run: continue_row::run, kernels: continue_row::kernels },
        Example { row: ("statement", "return"), run: return_row::run, kernels: return_row::kernels },
        Example { row: ("statement", "block"), run: block_row::run, kernels: block_row::kernels },
        Example { row: ("statement", "comment"), run: comment_row::run, kernels: comment_row::kernels },
    ]
}

mod let_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let double = 2 * a.count[v];
        a.count[v] = double;
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

mod assignment_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let mut most = [0u32; 2];
        most[1] = 3;
        a.level[v] = most[1];
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

mod compound_assignment_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let mut x = 3u32;
        x += 4;
        x <<= 1;
        a.level[v] = x;
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

mod assert_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        assert!(a.small[v] == 200, a.small[v]);
        a.small[v] = 255 - a.small[v];
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

mod store_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[dst] == UNREACHED {
            a.level[dst] = step() + 1;
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

mod update_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.count[dst] += a.weight[e] as u64;
        a.total += 1;
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

mod if_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let far = if a.weight[e] > 3 { 2 } else { 1 };
        a.count[dst] += far;
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

mod while_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let mut x = a.count[v];
        while x > 3 {
            x /= 2;
        }
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

mod loop_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let mut x = v as u64;
        loop {
            if x < 3 {
                break;
            }
            x /= 2;
        }
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

mod for_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        for i in 0..4 {
            a.classes[v][i] = i;
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

mod break_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        for i in 0..4u32 {
            if a.classes[v][i] == 0 {
                a.level[v] = i;
                break;
            }
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

mod continue_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        for i in 0..4u32 {
            if i == 2 {
                continue;
            }
            a.classes[v][i] = 1;
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

mod return_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if src == dst {
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

mod block_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let x = {
            let half = v as u64 / 2;
            half + 1
        };
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

mod comment_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        // Parallel edges count each.
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
