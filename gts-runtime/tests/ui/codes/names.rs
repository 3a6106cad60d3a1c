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

/// A type outside the language.
mod gts0201 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x: usize = 3;
    }
}

/// A type that cannot be inferred.
mod gts0202 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 1;
    }
}

/// Two types that differ.
mod gts0203 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = v.out_degree();
    }
}

/// An operand of the wrong type.
mod gts0204 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let root = a.count[v].sqrt();
    }
}

/// A vertex used as a number.
mod gts0205 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if v == 0 {
            activate(v);
        }
    }
}

/// A vertex made from something other than its number.
mod gts0206 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let half = Vertex::new(0.5);
        activate(half);
    }
}

/// A literal out of range.
mod gts0207 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x: u8 = 256;
    }
}

/// An unknown suffix or limit.
mod gts0208 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 3usize;
    }
}

/// `UNREACHED` of a type that has none.
mod gts0209 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let there: bool = UNREACHED;
    }
}

/// A cast between types that do not convert.
mod gts0210 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let some = a.count[v] as bool;
    }
}

/// An operation that always fails.
mod gts0211 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.count[v] / 0;
    }
}

/// An invalid key or draw of a random number.
mod gts0212 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = random_f32(0.5, 0);
    }
}

/// An unknown name.
mod gts0213 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = bound;
    }
}

/// A function used as a value, or a value used as a function.
mod gts0214 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 3u32;
        a.count[v] = x(1);
    }
}

/// An unknown attribute.
mod gts0215 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.counts[v] += 1;
    }
}

/// An unknown method.
mod gts0216 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let degree = v.degree();
    }
}

/// The wrong number of arguments.
mod gts0217 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v].fetch_add(1, 2);
    }
}

/// A helper that uses a built-in of kernels.
mod gts0218 {
    use gts_graph::prelude::*;

    #[gts_fn]
    fn later() -> u32 {
        step() + 1
    }
}

fn main() {}
