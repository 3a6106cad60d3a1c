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

/// A kernel without exactly one kind.
mod gts0401 {
    use super::*;

    #[gts_kernel]
    fn count(a: &mut A, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }
}

/// An unknown direction.
mod gts0402 {
    use super::*;

    #[gts_kernel(scan(back))]
    fn count(a: &mut A, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }
}

/// An unknown technique.
mod gts0403 {
    use super::*;

    #[gts_kernel(scan, technique = edge3)]
    fn count(a: &mut A, src: Vertex, dst: Vertex) {
        a.count[dst] += 1;
    }
}

/// A setting that this kind of kernel does not have.
mod gts0404 {
    use super::*;

    #[gts_kernel(vertex(in))]
    fn reset(a: &mut A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// A function with qualifiers.
mod gts0405 {
    use super::*;

    #[gts_kernel(vertex)]
    unsafe fn reset(a: &mut A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// Generics that a kernel cannot have.
mod gts0406 {
    use super::*;

    #[gts_kernel(vertex)]
    fn reset<const N: u32>(a: &mut A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// Parameters that do not fit the kind of kernel.
mod gts0407 {
    use super::*;

    #[gts_kernel(vertex)]
    fn reset(a: &mut A, v: Vertex, to: u32) {
        a.count[v] = 0;
    }
}

/// A first parameter that is not an attribute struct by `&mut`.
mod gts0408 {
    use gts_graph::prelude::*;

    #[gts_kernel(vertex)]
    fn reset(a: A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// A struct without `#[gts_attributes]`.
mod gts0409 {
    use gts_graph::prelude::*;

    #[gts_const]
    const LIMIT: u32 = 3;

    #[gts_kernel(vertex)]
    fn reset(a: &mut LIMIT, v: Vertex) {
        a.count[v] = 0;
    }
}

/// A type argument that does not fit the struct.
mod gts0410 {
    use gts_graph::prelude::*;

    #[gts_attributes(T = f32 | f64)]
    struct Rank<T> {
        #[wa(init = 0.0, merge = sum)]
        rank: T,
    }

    #[gts_kernel(vertex)]
    fn reset(r: &mut Rank<u32>, v: Vertex) {
        r.rank[v] = 0.0;
    }
}

/// A signature that a helper cannot have.
mod gts0411 {
    use gts_graph::prelude::*;

    #[gts_fn]
    fn twice(x: u32) {
        let y = x + x;
    }
}

/// A helper or constant of an unsupported type.
mod gts0412 {
    use gts_graph::prelude::*;

    #[gts_fn]
    fn length(text: &str) -> u32 {
        0
    }
}

/// The edge of an `intersect` kernel that does not visit out-edges.
mod gts0413 {
    use gts_graph::prelude::*;

    #[gts_attributes]
    struct Support {
        #[wa(per = edge, init = 0, merge = sum)]
        support: u32,
    }

    #[gts_kernel(intersect(both))]
    fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
        s.support[e] += 1;
    }
}

/// A gather kernel without exactly one reduction.
mod gts0414 {
    use super::*;

    #[gts_kernel(gather)]
    fn reset(a: &mut A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// A reduction of an unsupported form.
mod gts0415 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        let sum = v.neighbors().sum(|u| a.count[u]) + 1;
        a.count[v] = sum;
    }
}

/// An unknown reduction.
mod gts0416 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        let product = v.neighbors().product(|u| a.count[u]);
        a.count[v] = product;
    }
}

/// A closure that does not fit the reduction.
mod gts0417 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        let degree = v.neighbors().count();
        a.count[v] = degree as u32;
    }
}

/// A statement before a reduction.
mod gts0418 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        a.count[v] = 0;
        let sum = v.neighbors().sum(|u| a.count[u]);
        a.count[v] += sum;
    }
}

/// A reduction that changes something.
mod gts0419 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        let sum = v.neighbors().sum(|u| a.count[u].fetch_add(1));
        a.count[v] = sum;
    }
}

/// A reduction of values that it does not support.
mod gts0420 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        let least = v.neighbors().min(|u| a.count[u] > 3);
        if least {
            activate(v);
        }
    }
}

/// A priority that is not a number.
mod gts0421 {
    use super::*;

    #[gts_kernel(priority)]
    fn near(a: &mut A, v: Vertex) -> bool {
        a.level[v] < 3
    }
}

/// A priority that changes something.
mod gts0422 {
    use super::*;

    #[gts_kernel(priority)]
    fn near(a: &mut A, v: Vertex) -> u32 {
        a.count[v] += 1;
        a.level[v]
    }
}

/// A `return` in a priority.
mod gts0423 {
    use super::*;

    #[gts_kernel(priority)]
    fn near(a: &mut A, v: Vertex) -> u32 {
        if a.level[v] < 3 {
            return 0;
        }
        a.level[v]
    }
}

fn main() {}
