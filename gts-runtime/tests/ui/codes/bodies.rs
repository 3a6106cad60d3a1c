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

/// A macro on the wrong kind of item.
mod gts0002 {
    use gts_graph::prelude::*;

    #[gts_fn]
    const NEXT: u32 = 1;
}

/// An argument that the macro does not accept.
mod gts0003 {
    use gts_graph::prelude::*;

    #[gts_fn(inline)]
    fn next(x: u32) -> u32 {
        x + 1
    }
}

/// `#[cfg]` where a macro cannot evaluate it.
mod gts0004 {
    use super::*;

    #[gts_kernel(vertex)]
    fn reset(a: &mut A, v: Vertex) {
        #[cfg(debug_assertions)]
        a.count[v] = 100;
    }
}

/// An attribute or a doc comment in a body.
mod gts0005 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        /// Begins again.
        a.count[v] = 0;
    }
}

/// An item in a body.
mod gts0006 {
    use super::*;

    #[gts_kernel(vertex)]
    fn mark(a: &mut A, v: Vertex) {
        const MARK: u32 = 7;
        a.count[v] = MARK;
    }
}

/// A macro call in a body.
mod gts0007 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        println!("{}", a.count[v]);
    }
}

/// A pattern in a body.
mod gts0008 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        match a.count[v] {
            0 => activate(v),
            _ => {}
        }
    }
}

/// A local without an initial value.
mod gts0009 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let next;
        next = a.count[v];
        a.count[v] = next;
    }
}

/// A reference or pointer in a body.
mod gts0010 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let count = &mut a.count[v];
        *count = 0;
    }
}

/// A closure in a body.
mod gts0011 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let next = |x: u32| x + 1;
    }
}

/// A tuple or struct in a body.
mod gts0012 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let pair = (a.count[v], 1u32);
    }
}

/// A string or character literal.
mod gts0013 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let name = "root";
    }
}

/// A loop over something other than a range of integers.
mod gts0014 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let list = [1u32, 2, 3];
        for x in list.iter() {
            a.count[v] += x;
        }
    }
}

/// Neighbours outside a reduction.
mod gts0015 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        for u in v.neighbors() {
            a.count[v] += a.count[u];
        }
    }
}

/// A labelled loop.
mod gts0016 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        'outer: loop {
            break 'outer;
        }
    }
}

/// Type arguments or a trait's path in a body.
mod gts0017 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v].fetch_add::<u32>(1);
    }
}

/// An expression outside the kernel language.
mod gts0018 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = a.count[v]?;
        a.count[v] = x;
    }
}

/// An expression or block without a value.
mod gts0019 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x: u32 = if a.count[v] > 3 { 1 };
    }
}

/// A statement within an expression.
mod gts0020 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = 1 + { let x = 2; x };
    }
}

/// An expression whose value is unused.
mod gts0021 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v];
    }
}

/// `break` or `continue` outside a loop.
mod gts0022 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if a.count[v] == 0 {
            break;
        }
        activate(v);
    }
}

/// A `return` that does not fit the signature.
mod gts0023 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if a.count[v] == 0 {
            return 0;
        }
        activate(v);
    }
}

/// A store into something that cannot change.
mod gts0024 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let mut x = a.count[v];
        x.fetch_add(1);
    }
}

/// An assignment to an immutable local.
mod gts0025 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = a.count[v];
        x += 1;
        a.count[v] = x;
    }
}

/// An array with an invalid length or invalid elements.
mod gts0026 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let list = [0u32; 4 + 4];
    }
}

/// A helper that calls itself.
mod gts0027 {
    use gts_graph::prelude::*;

    #[gts_fn]
    fn half(x: u32) -> u32 {
        if x < 10 { x } else { half(x / 2) }
    }
}

/// A `#[gts_const]` whose value is not constant.
mod gts0028 {
    use gts_graph::prelude::*;

    #[gts_const]
    const BITS: u32 = u32::MAX.count_ones();
}

/// An assertion of an unsupported form.
mod gts0029 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        assert!(a.count[v] < 3, a.count[v].fetch_add(1));
    }
}

fn main() {}
