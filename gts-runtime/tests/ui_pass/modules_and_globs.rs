//! Structs, constants and helpers of other modules, by globs and by paths.
#![deny(warnings)]
// Users write programs without the lints of this workspace.
#![allow(missing_docs, unreachable_pub)]

use gts_graph::prelude::*;

mod attributes {
    use gts_graph::prelude::*;

    #[gts_attributes]
    pub struct Bfs {
        #[wa(init = UNREACHED, merge = min)]
        pub level: u32,
    }

    #[gts_const]
    pub const FIRST: u32 = 1;

    #[gts_fn]
    pub fn next(now: u32) -> u32 {
        now + FIRST
    }

    pub mod inner {
        use super::*;

        #[gts_kernel(traverse)]
        pub fn in_a_child(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
            if bfs.level[dst] == UNREACHED {
                bfs.level[dst] = next(step());
                activate(dst);
            }
        }
    }
}

mod other {
    use gts_graph::prelude::*;

    /// The same name in another module.
    #[gts_attributes]
    pub struct Bfs {
        #[wa(init = 0, merge = max)]
        pub height: i64,
    }

    #[gts_kernel(scan)]
    pub fn rise(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
        bfs.height[dst].fetch_max(src.out_degree() as i64);
    }
}

/// Defines items whose source location is the same in every module.
macro_rules! counted {
    () => {
        #[gts_attributes]
        pub struct Counts {
            #[wa(init = 0, merge = sum)]
            pub x: u32,
        }

        #[gts_const]
        pub const ONE: u32 = 1;

        #[gts_fn]
        pub fn next(x: u32) -> u32 {
            x + ONE
        }

        #[gts_kernel(scan)]
        pub fn count(c: &mut Counts, src: Vertex, dst: Vertex) {
            c.x[dst] += next(0);
        }
    };
}

mod first {
    use gts_graph::prelude::*;
    counted!();
}

mod second {
    use gts_graph::prelude::*;
    counted!();
}

use attributes::*;

#[gts_kernel(traverse)]
fn through_a_glob(bfs: &mut Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = next(step()) + FIRST - 1;
        activate(dst);
    }
}

#[gts_kernel(traverse)]
fn by_path(bfs: &mut attributes::Bfs, src: Vertex, dst: Vertex) {
    if bfs.level[dst] == UNREACHED {
        bfs.level[dst] = attributes::next(step());
        activate(dst);
    }
}

fn run(first: &mut Run<Bfs>, second: &mut Run<other::Bfs>) -> Result<()> {
    first.traverse(through_a_glob)?;
    first.traverse(by_path)?;
    first.traverse(inner::in_a_child)?;
    second.scan(other::rise)?;
    Ok(())
}

fn counts(first: &mut Run<first::Counts>, second: &mut Run<second::Counts>) -> Result<()> {
    first.scan(first::count)?;
    second.scan(second::count)
}

fn main() {
    let _ = (run, counts);
}
