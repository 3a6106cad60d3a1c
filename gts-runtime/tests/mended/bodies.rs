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

/// A macro on the wrong kind of item.
mod gts0002 {
    use gts_runtime::prelude::*;

    #[gts_const]
    const NEXT: u32 = 1;
}

/// An argument that the macro does not take.
mod gts0003 {
    use gts_runtime::prelude::*;

    #[gts_fn]
    fn next(x: u32) -> u32 {
        x + 1
    }
}

/// `#[cfg]` where a macro cannot evaluate it.
mod gts0004 {
    use super::*;

    #[cfg(debug_assertions)]
    #[gts_kernel(vertex)]
    fn reset(a: &mut A, v: Vertex) {
        a.count[v] = 100;
    }

    #[cfg(not(debug_assertions))]
    #[gts_kernel(vertex)]
    fn reset(a: &mut A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// An attribute or a doc comment in a body.
mod gts0005 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        // Begins again.
        a.count[v] = 0;
    }
}

/// An item in a body.
mod gts0006 {
    use super::*;

    #[gts_const]
    const MARK: u32 = 7;

    #[gts_kernel(vertex)]
    fn mark(a: &mut A, v: Vertex) {
        a.count[v] = MARK;
    }
}

/// A macro call in a body.
mod gts0007 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.total += a.count[v] as u64;
    }
}

/// A pattern in a body.
mod gts0008 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if a.count[v] == 0 {
            activate(v);
        }
    }
}

/// A local without a value.
mod gts0009 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let next = a.count[v];
        a.count[v] = next;
    }
}

/// A reference or pointer in a body.
mod gts0010 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] = 0;
    }
}

/// A closure in a body.
mod gts0011 {
    use super::*;

    #[gts_fn]
    fn next(x: u32) -> u32 {
        x + 1
    }

    #[gts_kernel(vertex)]
    fn step_on(a: &mut A, v: Vertex) {
        a.count[v] = next(a.count[v]);
    }
}

/// A tuple or struct in a body.
mod gts0012 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let count = a.count[v];
        let more = 1u32;
        a.count[v] = count + more;
    }
}

/// A literal that is no number.
mod gts0013 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let name = 1u32;
        a.count[v] = name;
    }
}

/// A loop over something other than a range of integers.
mod gts0014 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let list = [1u32, 2, 3];
        for i in 0..3 {
            a.count[v] += list[i];
        }
    }
}

/// Neighbours outside a reduction.
mod gts0015 {
    use super::*;

    #[gts_kernel(gather)]
    fn around(a: &mut A, v: Vertex) {
        let sum = v.neighbors().sum(|u| a.count[u]);
        a.count[v] = sum;
    }
}

/// A labelled loop.
mod gts0016 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let mut more = true;
        while more {
            more = false;
        }
    }
}

/// Type arguments or a trait's path in a body.
mod gts0017 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v].fetch_add(1);
    }
}

/// An expression outside the kernel language.
mod gts0018 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = a.count[v];
        a.count[v] = x;
    }
}

/// A value expected where there is none.
mod gts0019 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x: u32 = if a.count[v] > 3 { 1 } else { 0 };
        a.count[v] = x;
    }
}

/// A statement within an expression.
mod gts0020 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let x = 2;
        a.count[v] = 1 + x;
    }
}

/// An expression whose value is unused.
mod gts0021 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v] += 1;
    }
}

/// `break` or `continue` outside a loop.
mod gts0022 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        if a.count[v] == 0 {
            return;
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
            return;
        }
        activate(v);
    }
}

/// A store into something that cannot change.
mod gts0024 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        a.count[v].fetch_add(1);
    }
}

/// An assignment to an immutable local.
mod gts0025 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let mut x = a.count[v];
        x += 1;
        a.count[v] = x;
    }
}

/// An array whose length or elements the macro cannot see.
mod gts0026 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let list = [0u32; 8];
        a.count[v] = list[3];
    }
}

/// A helper that uses itself.
mod gts0027 {
    use gts_runtime::prelude::*;

    #[gts_fn]
    fn half(x: u32) -> u32 {
        let mut x = x;
        while x >= 10 {
            x /= 2;
        }
        x
    }
}

/// A constant that is not constant.
mod gts0028 {
    use gts_runtime::prelude::*;

    #[gts_const]
    const BITS: u32 = 32;
}

/// An assertion of another form.
mod gts0029 {
    use super::*;

    #[gts_kernel(vertex)]
    fn kernel(a: &mut A, v: Vertex) {
        let old = a.count[v].fetch_add(1);
        assert!(old < 3, old);
    }
}
