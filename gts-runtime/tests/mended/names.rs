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

/// A type outside the language.
mod gts0201 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x: u64 = 3;
        a.count[v] = x as u32;
    }
}

/// A type that cannot be inferred.
mod gts0202 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 1u32;
        a.count[v] = x;
    }
}

/// Two types that differ.
mod gts0203 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = v.out_degree() as u32;
    }
}

/// An operand of the wrong type.
mod gts0204 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let root = (a.count[v] as f32).sqrt();
        a.count[v] = root as u32;
    }
}

/// A vertex used as a number.
mod gts0205 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if v as u64 == 0 {
            activate(v);
        }
    }
}

/// A vertex made from something other than its number.
mod gts0206 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let half = Vertex::new(v as u64 / 2);
        activate(half);
    }
}

/// A literal out of range.
mod gts0207 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x: u16 = 256;
        a.count[v] = x as u32;
    }
}

/// A suffix or limit of the wrong type.
mod gts0208 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 3u64;
        a.count[v] = x as u32;
    }
}

/// `UNREACHED` of a type that has none.
mod gts0209 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let there = a.level[v] != UNREACHED;
        if there {
            activate(v);
        }
    }
}

/// A cast between types that do not convert.
mod gts0210 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let some = a.count[v] != 0;
        if some {
            activate(v);
        }
    }
}

/// An operation that always fails.
mod gts0211 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.count[v] / 2;
    }
}

/// A random number for something that is no key.
mod gts0212 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = random_f32(v, 0);
        a.count[v] = (x * 8.0) as u32;
    }
}

/// An unknown name.
mod gts0213 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = a.limit;
    }
}

/// A function used as a value, or a value called.
mod gts0214 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 3u32;
        a.count[v] = x + 1;
    }
}

/// An unknown attribute.
mod gts0215 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] += 1;
    }
}

/// An unknown method.
mod gts0216 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let degree = v.out_degree();
        a.count[v] = degree as u32;
    }
}

/// The wrong number of arguments.
mod gts0217 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v].fetch_add(1);
    }
}

/// A kernel's built-in in a helper.
mod gts0218 {
    use gts_runtime::prelude::*;

    #[gts_fn]
    fn later(step_number: u32) -> u32 {
        step_number + 1
    }
}
