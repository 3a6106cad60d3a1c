//! Examples: type. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("type", "u8"), run: u8_row::run, kernels: u8_row::kernels },
        Example { row: ("type", "u16"), run: u16_row::run, kernels: u16_row::kernels },
        Example { row: ("type", "u32"), run: u32_row::run, kernels: u32_row::kernels },
        Example { row: ("type", "u64"), run: u64_row::run, kernels: u64_row::kernels },
        Example { row: ("type", "i32"), run: i32_row::run, kernels: i32_row::kernels },
        Example { row: ("type", "i64"), run: i64_row::run, kernels: i64_row::kernels },
        Example { row: ("type", "f32"), run: f32_row::run, kernels: f32_row::kernels },
        Example { row: ("type", "f64"), run: f64_row::run, kernels: f64_row::kernels },
        Example { row: ("type", "bool"), run: bool_row::run, kernels: bool_row::kernels },
        Example { row: ("type", "VertexId"), run: vertexid_row::run, kernels: vertexid_row::kernels },
        Example { row: ("type", "array"), run: array_row::run, kernels: array_row::kernels },
        Example { row: ("type", "Vertex"), run: vertex_row::run, kernels: vertex_row::kernels },
        Example { row: ("type", "Edge"), run: edge_row::run, kernels: edge_row::kernels },
        Example { row: ("type", "T"), run: t_row::run, kernels: t_row::kernels },
    ]
}

mod u8_row {
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

mod u16_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (u16::MAX) == (65535);
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

mod u32_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (u32::MAX) == (4294967295);
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

mod u64_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (u64::MAX >> 63) == (1);
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

mod i32_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (i32::MIN) == (-2147483648);
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

mod i64_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (i64::MIN >> 63) == (-1);
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

mod f32_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (16777216.0f32 + 1.0) == (16777216.0);
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

mod f64_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (0.1f64 + 0.2 != 0.3) == (true);
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

mod bool_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        a.holds[v] = (true as u32) == (1);
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

mod vertexid_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        if a.parent[v] != UNREACHED {
            a.level[a.parent[v]] = 0;
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

mod array_row {
    use super::*;

    #[gts_kernel(vertex)]
    fn example(a: &mut Shared, v: Vertex) {
        let mut counts = [0u32; 4];
        counts[(v as u64 % 4) as u32] += 1;
        for i in 0..4 {
            a.classes[v][i] = counts[i];
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

mod vertex_row {
    use super::*;

    #[gts_kernel(scan)]
    fn example(a: &mut Shared, src: Vertex, dst: Vertex, e: Edge) {
        let next = dst;
        if next != src {
            a.parent[next] = src;
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

mod edge_row {
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

mod t_row {
    use super::*;

    #[gts_attributes(T = f32 | u64)]
    pub struct Scaled<T> {
        #[wa(init = UNREACHED, merge = min)]
        pub value: T,
    }

    #[gts_kernel(vertex)]
    fn double<T>(scaled: &mut Scaled<T>, v: Vertex) {
        scaled.value[v] = 2 as T * (v as u64 as T);
    }

    pub(super) fn run() -> Result<()> {
        let mut run = started::<Scaled<u64>>()?;
        run.apply(double::<u64>)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(double::<u64>)]
    }
}
