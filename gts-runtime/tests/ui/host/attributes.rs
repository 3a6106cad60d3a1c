use gts_graph::prelude::*;

#[gts_attributes]
pub struct Bfs {
    #[wa(init = UNREACHED, merge = min)]
    pub level: u32,
    #[param]
    pub limit: u32,
    #[global(merge = sum)]
    pub total: u64,
}

fn host(run: &mut Run<Bfs>, graph: &Graph) -> Result<()> {
    let totals = run.take(Bfs::TOTAL)?;
    run.set(Bfs::LIMIT, graph.vertex(0)?, 3)?;
    run.rotate(Bfs::LEVEL)?;
    Ok(())
}

struct Plain {
    level: u32,
}

fn start(engine: &Engine, graph: &Graph) -> Result<()> {
    engine.start::<Plain>(graph)?;
    Ok(())
}

fn main() {}
