use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
}

#[gts_kernel(traverse)]
fn expand(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    bfs.level[dst].fetch_min(3);
}

#[gts_kernel(vertex)]
fn each(bfs: &mut Bfs, v: Vertex) {
    bfs.level[v] = 0;
}

#[gts_kernel(gather)]
fn gathered(bfs: &mut Bfs, v: Vertex) {
    let least = v.neighbors().min(|dst| bfs.level[dst]);
    bfs.level[v] = least;
}

fn host(run: &mut Run<Bfs>) -> Result<()> {
    run.scan(expand)?;
    run.traverse(each)?;
    run.apply(gathered)?;
    run.gather(each)?;
    run.intersect(expand)?;
    run.traverse_near(expand, each, 3)?;
    run.traverse(expand())?;
    run.apply(each())?;
    Ok(())
}

fn main() {}
