//! Kernels before and after the struct that they name.
#![deny(warnings)]
// Users write programs without the lints of this workspace.
#![allow(missing_docs, unreachable_pub)]

use gts_graph::prelude::*;

#[gts_kernel(traverse)]
fn before(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = step() + 1;
        activate(dst);
    }
}

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn after(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    bfs.level[dst].fetch_min(step() + 1);
    activate(dst);
}

fn run(run: &mut Run<Bfs>) -> Result<()> {
    run.traverse(before)?;
    run.traverse(after)?;
    Ok(())
}

fn main() {
    let _ = run;
}
