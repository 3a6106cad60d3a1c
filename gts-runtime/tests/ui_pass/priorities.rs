//! Priorities of structs with and without a type, private and public, with helpers, and under names of their own.
// Users write programs without the lints of this workspace.
#![allow(missing_docs, unreachable_pub)]

use gts_graph::prelude::*;

mod graphs {
    use gts_graph::prelude::*;

    #[gts_attributes(T = i32 | f64)]
    pub struct Ranked<T> {
        #[ra]
        pub rank: T,
        #[param]
        pub priority: T,
        #[wa(init = false, merge = or)]
        pub seen: bool,
    }

    #[gts_kernel(traverse)]
    pub fn see<T>(ranked: &mut Ranked<T>, src: Vertex, dst: Vertex) {
        if !ranked.seen[dst] {
            ranked.seen[dst] = true;
            activate(dst);
        }
    }

    #[gts_fn]
    pub fn shorter(degree: u64) -> u64 {
        if degree > 9 {
            return 9;
        }
        degree
    }

    #[gts_kernel(priority)]
    pub fn r#rank<T>(ranked: &mut Ranked<T>, far: Vertex) -> T {
        let mut rank = ranked.rank[far];
        if rank > ranked.priority {
            rank = ranked.priority;
        }
        rank
    }

    #[gts_kernel(priority)]
    pub fn degree(threshold: &mut Ranked<f64>, _: Vertex) -> u8 {
        3
    }
}

use graphs::{Ranked, degree, rank, see, shorter};

#[gts_kernel(priority)]
fn by_degree<T>(ranked: &mut Ranked<T>, priority: Vertex) -> u64 {
    shorter(priority.out_degree() as u64)
}

fn each(run: &mut Run<Ranked<f64>>) -> Result<u32> {
    Ok(run.traverse_near(see, rank, 0.5)?
        + run.traverse_near(see, degree, 1)?
        + run.traverse_near(see, by_degree, 2)?)
}

fn main() {
    let graph = Graph::from_edges([(0, 1), (1, 2)]).expect("sound edges");
    let mut run = Engine::cpu().and_then(|engine| engine.start(&graph)).expect("a run");
    run.set_param(Ranked::PRIORITY, 0.0).expect("a param");
    run.activate(Vertex::from_dense(0)).expect("a vertex");
    // The ends of both edges, one after the other; the other traversals begin with no vertex.
    assert_eq!(each(&mut run).ok(), Some(3));
}
