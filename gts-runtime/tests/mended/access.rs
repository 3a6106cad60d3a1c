//! The mended examples of codes. Generated from `gts_contract::language`.
#![allow(unused)]

use gts_runtime::prelude::*;

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
        let count = a.count[v];
        a.count[v] = count;
    }
}

/// An index into something that has none.
mod gts0302 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = [3u32; 2];
        a.count[v] = x[0];
    }
}

/// Too many or too few indices.
mod gts0303 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.limit;
    }
}

/// An attribute indexed by something other than a vertex.
mod gts0304 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[Vertex::new(0)] = 1;
    }
}

/// An edge value indexed by something other than the edge.
mod gts0305 {
    use super::*;

    #[gts_kernel(scan)]
    fn heavy(a: &mut A, src: Vertex, dst: Vertex, e: Edge) {
        a.count[dst] += a.weight[e];
    }
}

/// The position of an edge where edges have none.
mod gts0306 {
    use super::*;

    #[gts_kernel(scan)]
    fn places(a: &mut A, src: Vertex, dst: Vertex, e: Edge) {
        a.count[src] += e.position() as u32;
    }
}

/// A global read in a kernel.
mod gts0307 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.total += a.count[v] as u64;
    }
}

/// A store into a param or an edge value.
mod gts0308 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.total += a.count[v] as u64;
    }
}

/// An `#[ra]` read at another vertex.
mod gts0309 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Rank {
        #[ra(from = next)]
        rank: f32,
        #[wa(init = 0.0, merge = sum)]
        next: f32,
    }

    #[gts_kernel(scan)]
    fn push(r: &mut Rank, src: Vertex, dst: Vertex) {
        r.next[dst] += r.rank[src];
    }
}

/// A store into an `#[ra]`.
mod gts0310 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Rank {
        #[ra(from = next)]
        rank: f32,
        #[wa(init = 0.0, merge = sum)]
        next: f32,
    }

    #[gts_kernel(vertex)]
    fn reset(r: &mut Rank, v: Vertex) {
        r.next[v] = 1.0;
    }
}

/// An update other than the declared merge.
mod gts0311 {
    use super::*;

    #[gts_kernel(scan)]
    fn near(a: &mut A, src: Vertex, dst: Vertex) {
        a.level[dst].fetch_min(3);
    }
}

/// A result per edge used outside its merge.
mod gts0312 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Support {
        #[wa(per = edge, init = 0, merge = sum)]
        support: u32,
    }

    #[gts_kernel(intersect)]
    fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
        s.support[e] += 1;
    }
}

/// A read and a store in place of one update.
mod gts0313 {
    use super::*;

    #[gts_kernel(scan)]
    fn count(a: &mut A, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }
}

/// A store whose value depends on the edge.
mod gts0314 {
    use super::*;

    #[gts_kernel(scan)]
    fn spread(a: &mut A, src: Vertex, dst: Vertex) {
        a.level[dst].fetch_min(a.level[src]);
    }
}

/// An update and another access in one expression.
mod gts0315 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let before = a.count[v].fetch_add(1);
        a.count[v] = before + a.count[v];
    }
}

/// Arithmetic on a value that may be missing.
mod gts0316 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if a.level[v] != UNREACHED {
            a.level[v] = a.level[v] + 1;
        }
    }
}

/// A read of values that other threads write.
mod gts0317 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Two {
        #[wa(init = 0, merge = sum)]
        before: u32,
        #[wa(init = 0, merge = sum)]
        after: u32,
    }

    #[gts_kernel(scan)]
    fn grow(t: &mut Two, src: Vertex, dst: Vertex) {
        if t.before[src] > 2 {
            t.after[dst] += 1;
        }
    }
}

/// A result that depends on the time of arrival.
mod gts0318 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Seen {
        #[wa(init = 0, merge = or)]
        bits: u64,
    }

    #[gts_kernel(traverse)]
    fn spread(s: &mut Seen, src: Vertex, dst: Vertex) {
        let bits = s.bits[src];
        if bits & !s.bits[dst].fetch_or(bits) != 0 {
            activate(dst);
        }
    }
}

/// An update that may move against the merge.
mod gts0319 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Offers {
        #[wa(init = UNREACHED, merge = min)]
        level: u32,
        #[wa(init = 0, merge = max)]
        offered: u32,
    }

    #[gts_kernel(traverse)]
    fn spread(o: &mut Offers, src: Vertex, dst: Vertex) {
        let next = o.level[src] + 1;
        if o.level[dst].fetch_min(next) > next {
            activate(dst);
        }
    }

    #[gts_kernel(scan)]
    fn offer(o: &mut Offers, src: Vertex, dst: Vertex) {
        if o.level[src] != UNREACHED {
            o.offered[dst].fetch_max(o.level[src] + 1);
        }
    }
}

/// A condition that other threads close.
mod gts0320 {
    use gts_runtime::prelude::*;

    #[gts_attributes]
    struct Marks {
        #[wa(init = UNREACHED, merge = min)]
        level: u32,
        #[wa(init = 0, merge = or)]
        mark: u32,
    }

    #[gts_kernel(traverse)]
    fn mark(m: &mut Marks, src: Vertex, dst: Vertex) {
        if m.level[src] < 10 {
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
            activate(dst);
        }
    }

    #[gts_kernel(vertex)]
    fn count(a: &mut A, v: Vertex) {
        if a.level[v] != UNREACHED {
            a.count[v] += 1;
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
            activate(dst);
        }
    }

    #[gts_kernel(vertex)]
    fn count(a: &mut A, v: Vertex) {
        a.total += 1;
    }
}
