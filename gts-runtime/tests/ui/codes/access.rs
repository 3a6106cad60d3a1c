//! The wrong examples of codes. Generated from `gts_contract::language`.

use gts_graph::prelude::*;

#[gts_attributes]
struct A {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[edge(default = 1)]
    weight: u32,
    #[param(default = 3)]
    limit: u32,
    #[global(merge = sum)]
    total: u64,
}

/// A field of something other than the attributes.
mod gts0301 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let all = a;
    }
}

/// An index into something that has no elements.
mod gts0302 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 3u32;
        a.count[v] = x[0];
    }
}

/// Too many or too few indices.
mod gts0303 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.limit[v];
    }
}

/// An attribute indexed by something other than a vertex.
mod gts0304 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[0] = 1;
    }
}

/// An edge value indexed by something other than the edge.
mod gts0305 {
    use super::*;

    #[gts_kernel(scan)]
    fn heavy(a: &mut A, src: Vertex, dst: Vertex) {
        a.count[dst] += a.weight[dst];
    }
}

/// The position of an edge in a kernel without positions.
mod gts0306 {
    use super::*;

    #[gts_kernel(gather)]
    fn places(a: &mut A, v: Vertex) {
        let sum = v.neighbors().sum(|u, e| e.position() as u32);
        a.count[v] = sum;
    }
}

/// A global read in a kernel.
mod gts0307 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.total as u32;
    }
}

/// A store into a param or an edge value.
mod gts0308 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.limit = a.count[v];
    }
}

/// An `#[ra]` read at another vertex.
mod gts0309 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Rank {
        #[ra(from = next)]
        rank: f32,
        #[wa(init = 0.0, merge = sum)]
        next: f32,
    }

    #[gts_kernel(scan)]
    fn push(r: &mut Rank, src: Vertex, dst: Vertex) {
        r.next[src] += r.rank[dst];
    }
}

/// A store into an `#[ra]`.
mod gts0310 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Rank {
        #[ra(from = next)]
        rank: f32,
        #[wa(init = 0.0, merge = sum)]
        next: f32,
    }

    #[gts_kernel(vertex)]
    fn reset(r: &mut Rank, v: Vertex) {
        r.rank[v] = 1.0;
    }
}

/// An update other than the declared merge.
mod gts0311 {
    use super::*;

    #[gts_kernel(scan)]
    fn far(a: &mut A, src: Vertex, dst: Vertex) {
        a.level[dst].fetch_max(3);
    }
}

/// A use of a `#[wa(per = edge)]` other than an update by its merge.
mod gts0312 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Support {
        #[wa(per = edge, init = 0, merge = sum)]
        support: u32,
    }

    #[gts_kernel(intersect)]
    fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
        let before = s.support[e].fetch_add(1);
        if before > 3 {
            activate(u);
        }
    }
}

/// A read and a store instead of one update.
mod gts0313 {
    use super::*;

    #[gts_kernel(scan)]
    fn count(a: &mut A, src: Vertex, dst: Vertex) {
        a.count[dst] = a.count[dst] + 1;
    }
}

/// A store whose value depends on the edge.
mod gts0314 {
    use super::*;

    #[gts_kernel(scan)]
    fn spread(a: &mut A, src: Vertex, dst: Vertex) {
        a.level[dst] = a.level[src];
    }
}

/// An update and another access in one expression.
mod gts0315 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.count[v].fetch_add(1) + a.count[v];
    }
}

/// Arithmetic on a value that may be missing.
mod gts0316 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.level[v] = a.level[v] + 1;
    }
}

/// A read of values that other threads write.
mod gts0317 {
    use super::*;

    #[gts_kernel(scan)]
    fn grow(a: &mut A, src: Vertex, dst: Vertex) {
        if a.count[src] > 2 {
            a.count[dst] += 1;
        }
    }
}

/// A result that depends on the step in which a value arrives.
mod gts0318 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Seen {
        #[wa(init = 0, merge = or)]
        bits: u64,
        #[wa(init = 0, merge = max)]
        seen: u32,
    }

    #[gts_kernel(traverse)]
    fn spread(s: &mut Seen, src: Vertex, dst: Vertex) {
        let bits = s.bits[src];
        if bits & !s.bits[dst].fetch_or(bits) != 0 {
            s.seen[dst].fetch_max(step());
            activate(dst);
        }
    }
}

/// An update that may move against the merge.
mod gts0319 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Offers {
        #[wa(init = UNREACHED, merge = min)]
        level: u32,
        #[wa(init = 0, merge = max)]
        offered: u32,
    }

    #[gts_kernel(traverse)]
    fn offer(o: &mut Offers, src: Vertex, dst: Vertex) {
        let next = o.level[src] + 1;
        o.offered[dst].fetch_max(next);
        if o.level[dst].fetch_min(next) > next {
            activate(dst);
        }
    }
}

/// A condition that other threads may make false.
mod gts0320 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Marks {
        #[wa(init = UNREACHED, merge = min)]
        level: u32,
        #[wa(init = 0, merge = or)]
        mark: u32,
    }

    #[gts_kernel(traverse)]
    fn mark(m: &mut Marks, src: Vertex, dst: Vertex) {
        if m.level[src] > 10 {
            m.mark[dst] |= 1;
        }
        let next = m.level[src] + 1;
        if m.level[dst].fetch_min(next) > next {
            activate(dst);
        }
    }
}

/// A result that depends on the order of improvements.
mod gts0321 {
    use super::*;

    #[gts_kernel(traverse)]
    fn improve(a: &mut A, src: Vertex, dst: Vertex) {
        let next = a.level[src] + 1;
        if a.level[dst].fetch_min(next) > next {
            a.count[dst] += 1;
            activate(dst);
        }
    }
}

/// A guard that several edges may pass.
mod gts0322 {
    use super::*;

    #[gts_kernel(traverse)]
    fn find(a: &mut A, src: Vertex, dst: Vertex) {
        if a.level[dst] == UNREACHED {
            a.level[dst] = step() + 1;
            a.total += 1;
            activate(dst);
        }
    }
}

fn main() {}
