//! Names that mean something to C++, to CUDA or to the macros' own code, and nothing to a user.
#![deny(warnings)]
#![allow(non_snake_case)]
// Users write programs without the lints of this workspace.
#![allow(missing_docs, unreachable_pub)]

use gts_graph::prelude::*;

#[gts_const]
const NULL: u32 = 7;
#[gts_const]
const INFINITY: f32 = 2.0;
#[gts_const]
const EOF: u32 = 3;

#[gts_fn]
fn erf(int: u32, class: u32) -> u32 {
    let register = int ^ class;
    register + NULL
}

#[gts_attributes]
pub struct P {
    #[wa(init = 0, merge = sum)]
    pub gts: u32,
    #[wa(init = 0, merge = sum)]
    pub r#type: u32,
    #[wa(init = 0.0, merge = sum)]
    pub float: f32,
    #[param(default = 0)]
    pub r#struct: u32,
    #[param(default = 0)]
    pub assert: u32,
    #[edge(default = 1)]
    pub namespace: u32,
    #[global(merge = sum)]
    pub double: u64,
}

#[gts_kernel(scan)]
fn main_loop(template: &mut P, src: Vertex, dst: Vertex, edge: Edge) {
    let warpSize = template.namespace[edge] + template.r#struct + template.assert + EOF;
    let r#fn = warpSize % 5;
    let gts = erf(r#fn, warpSize);
    template.gts[dst] += gts + step();
    template.r#type[dst] += src.out_degree() as u32;
    template.float[dst] += INFINITY;
    template.double += 1;
}

#[gts_kernel(gather)]
fn gts(p: &mut P, v: Vertex) {
    let gathered = v.neighbors().sum(|w| p.r#type[w]);
    p.gts[v] = gathered;
}

#[gts_kernel(priority)]
fn near(p: &mut P, v: Vertex) -> u32 {
    p.r#type[v]
}

#[gts_kernel(vertex)]
fn r#match(this: &mut P, r#loop: Vertex) {
    this.gts[r#loop] = this.r#type[r#loop] + NULL;
}

mod generic {
    use gts_graph::prelude::*;

    #[gts_attributes(P = f32 | f64)]
    pub struct Body<P> {
        #[ra(from = next)]
        pub view: P,
        #[wa(init = 0.0, merge = sum)]
        pub next: P,
    }

    #[gts_kernel(scan)]
    pub fn push<P>(body: &mut Body<P>, src: Vertex, dst: Vertex) {
        body.next[dst] += body.view[src] / src.out_degree() as P;
    }

    #[gts_kernel(gather)]
    pub fn gather<P>(body: &mut Body<P>, v: Vertex) {
        let sum = v.neighbors().sum(|dst| body.next[dst]);
        body.next[v] = sum;
    }

    #[gts_attributes]
    pub struct View {
        #[wa(init = 0, merge = sum)]
        pub r#in: u32,
    }

    #[gts_kernel(intersect)]
    pub fn meet(view: &mut View, u: Vertex, v: Vertex) {
        view.r#in[u] += 1;
        view.r#in[v] += 1;
    }
}

fn main() -> Result<()> {
    let graph = Graph::from_edges([(0, 1), (1, 2), (2, 0)])?;
    let engine = Engine::cpu()?;
    let mut run = engine.start::<P>(&graph)?;
    run.set_param(P::STRUCT, 2)?;
    run.scan(main_loop)?;
    assert_eq!(run.take(P::TYPE)?, [1, 1, 1]);
    assert_eq!(run.global(P::DOUBLE)?, 3);
    run.gather(gts)?;
    run.apply(r#match)?;
    assert_eq!(run.take(P::GTS)?.len(), 3);
    let _ = near;
    let mut run = engine.start::<generic::Body<f32>>(&graph)?;
    run.scan(generic::push)?;
    run.gather(generic::gather)?;
    engine.start::<generic::View>(&graph)?.intersect(generic::meet)?;
    Ok(())
}
