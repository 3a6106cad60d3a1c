//! Examples: setting of a field. Written by `gts-bench reference`.

use super::Shared;
use crate::rows::*;

pub(super) fn all() -> Vec<Example> {
    vec![
        Example { row: ("setting of a field", "init"), run: init_row::run, kernels: init_row::kernels },
        Example { row: ("setting of a field", "per"), run: per_row::run, kernels: per_row::kernels },
        Example { row: ("setting of a field", "default"), run: default_row::run, kernels: default_row::kernels },
    ]
}

mod init_row {
    use super::*;

    #[gts_attributes]
    pub struct Begun {
        #[wa(init = -1, merge = max)]
        pub lowest: i64,
        #[wa(init = f32::INFINITY, merge = min)]
        pub far: [f32; 2],
    }

    #[gts_kernel(vertex)]
    fn keep(begun: &mut Begun, v: Vertex) {
        begun.far[v][0] = 1.0;
        begun.lowest[v] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = started::<Begun>()?;
        run.apply(keep)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![vertex_kernel(keep)]
    }
}

mod per_row {
    use super::*;

    #[gts_attributes]
    pub struct Support {
        #[wa(per = edge, init = 0, merge = sum)]
        pub triangles: u32,
    }

    #[gts_kernel(intersect)]
    fn count(support: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
        support.triangles[e] += 1;
    }

    pub(super) fn run() -> Result<()> {
        let mut run = started::<Support>()?;
        run.intersect(count)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![intersect_kernel(count)]
    }
}

mod default_row {
    use super::*;

    #[gts_attributes]
    pub struct Lengths {
        #[wa(init = 0, merge = sum)]
        pub length: u32,
        #[edge(default = 1)]
        pub weight: u32,
        #[param(default = 2)]
        pub factor: u32,
    }

    #[gts_kernel(scan)]
    fn add(lengths: &mut Lengths, src: Vertex, dst: Vertex, e: Edge) {
        lengths.length[dst] += lengths.factor * lengths.weight[e];
    }

    pub(super) fn run() -> Result<()> {
        let mut run = started::<Lengths>()?;
        run.scan(add)?;
        Ok(())
    }

    pub(super) fn kernels() -> Kernels {
        vec![edge_kernel(add)]
    }
}
