//! Examples: access rule. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("access rule", "read of a wa"), run: read_of_a_wa_row::run, kernels: read_of_a_wa_row::kernels },
        Example { row: ("access rule", "update by the merge"), run: update_by_the_merge_row::run, kernels: update_by_the_merge_row::kernels },
        Example { row: ("access rule", "uniform store"), run: uniform_store_row::run, kernels: uniform_store_row::kernels },
        Example { row: ("access rule", "store of any value"), run: store_of_any_value_row::run, kernels: store_of_any_value_row::kernels },
        Example { row: ("access rule", "store at v"), run: store_at_v_row::run, kernels: store_at_v_row::kernels },
        Example { row: ("access rule", "read, then store"), run: read_then_store_row::run, kernels: read_then_store_row::kernels },
        Example { row: ("access rule", "old value"), run: old_value_row::run, kernels: old_value_row::kernels },
        Example { row: ("access rule", "computed vertex"), run: computed_vertex_row::run, kernels: computed_vertex_row::kernels },
        Example { row: ("access rule", "read of an ra"), run: read_of_an_ra_row::run, kernels: read_of_an_ra_row::kernels },
        Example { row: ("access rule", "read of an edge value"), run: read_of_an_edge_value_row::run, kernels: read_of_an_edge_value_row::kernels },
        Example { row: ("access rule", "read of a param"), run: read_of_a_param_row::run, kernels: read_of_a_param_row::kernels },
        Example { row: ("access rule", "update of a global"), run: update_of_a_global_row::run, kernels: update_of_a_global_row::kernels },
    ]
}

mod read_of_a_wa_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        if a.level[src] == 0 {
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

mod update_by_the_merge_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.bits[dst] |= a.bits[src];
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

mod uniform_store_row {
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

mod store_of_any_value_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.parent[dst] = src;
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

mod store_at_v_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.small[v] = a.small[v] / 2;
        a.count[v] = a.count[v] * 3;
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

mod read_then_store_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let old = a.level[dst].fetch_min(7);
        if old > 7 {
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

mod old_value_row {
    use super::*;

    #[gts_kernel(traverse)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let through = a.level[src].saturating_add(1);
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

mod computed_vertex_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if a.parent[v] != UNREACHED {
            a.bits[a.parent[v]] |= 1;
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

mod read_of_an_ra_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.next[dst] += a.rank[src];
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

mod read_of_an_edge_value_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        a.count[dst] += a.weight[e] as u64;
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

mod read_of_a_param_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.next[v] = a.damping;
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

mod update_of_a_global_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.total.fetch_add(v.out_degree());
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
