//! Compares random integer expressions in kernels with the same expressions compiled by rustc with overflow checks. Both
//! must have the same values, and fault for the same vertices.
//!
//! The build script generates the expressions. The device is the CPU, or the one in `GTS_TEST_DEVICE`. This is a package
//! of its own because optimising the expressions would take minutes.
#![cfg(test)]

use gts_graph::Error;
use gts_graph::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The generated kernels and references.
#[allow(warnings, clippy::all, arithmetic_overflow, unconditional_panic)]
mod generated {
    use gts_graph::prelude::*;

    /// A kernel of many expressions, and the plain Rust code of each.
    pub struct Generated {
        /// The number of expressions.
        pub count: u32,
        /// The line of the first expression in the generated file.
        pub line: u32,
        /// Runs the kernel.
        pub pass: fn(&mut Run<Inputs>) -> Result<()>,
        /// Evaluates one expression.
        pub reference: fn(u32, &Values) -> u64,
    }

    include!(concat!(env!("OUT_DIR"), "/expressions.rs"));
}

use generated::{Generated, Inputs, KERNELS, Values};

/// The number of vertices, each with its own values.
const VERTICES: u64 = 64;

/// Returns the bits of value number `number` of a vertex: limits of types, small numbers and random ones.
fn bits(v: u64, number: u64) -> u64 {
    let x = (v * 16 + number).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    match x % 5 {
        0 => x >> 8,
        1 => (x >> 8) % 12,
        2 => u64::MAX - (x >> 8) % 3,
        3 => (x >> 8) % 200,
        // The smallest and the largest signed integers.
        _ => (1 << [7, 15, 31, 63][(x >> 8) as usize % 4]) - (x >> 16) % 2,
    }
}

fn values(v: u64) -> Values {
    let of = |number| bits(v, number);
    Values {
        a_u8: of(0) as u8,
        b_u8: of(1) as u8,
        a_u16: of(2) as u16,
        b_u16: of(3) as u16,
        a_u32: of(4) as u32,
        b_u32: of(5) as u32,
        a_u64: of(6),
        b_u64: of(7),
        a_i32: of(8) as i32,
        b_i32: of(9) as i32,
        a_i64: of(10) as i64,
        b_i64: of(11) as i64,
    }
}

/// Evaluates an expression for all vertices; `None` where Rust panics.
fn expected(kernel: &Generated, which: u32, inputs: &[Values]) -> Vec<Option<u64>> {
    inputs.iter().map(|values| catch_unwind(AssertUnwindSafe(|| (kernel.reference)(which, values))).ok()).collect()
}

#[test]
fn expressions_have_the_value_or_fault_of_rust() -> Result<()> {
    let device = std::env::var("GTS_TEST_DEVICE").map_or(DeviceChoice::Cpu, |name| name.parse().expect("a device"));
    let engine = Engine::builder().device(device).build()?;
    let graph = Graph::from_edges((0..VERTICES).map(|v| (v, v))).expect("sound edges");
    let inputs: Vec<Values> = (0..VERTICES).map(values).collect();
    let mut run = engine.start::<Inputs>(&graph)?;
    macro_rules! set {
        ($($attribute:ident: $field:ident),*) => {
            $(run.set_dense(Inputs::$attribute, &inputs.iter().map(|values| values.$field).collect::<Vec<_>>())?;)*
        };
    }
    set!(A_U8: a_u8, B_U8: b_u8, A_U16: a_u16, B_U16: b_u16, A_U32: a_u32, B_U32: b_u32, A_U64: a_u64, B_U64: b_u64);
    set!(A_I32: a_i32, B_I32: b_i32, A_I64: a_i64, B_I64: b_i64);
    // The references panic by design.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let all: Vec<Vec<Vec<Option<u64>>>> = KERNELS
        .iter()
        .map(|kernel| (0..kernel.count).map(|which| expected(kernel, which, &inputs)).collect())
        .collect();
    std::panic::set_hook(hook);
    let (mut faulting, mut total) = (0, 0);
    for (kernel, expected) in KERNELS.iter().zip(&all) {
        for (which, expected) in (0..kernel.count).zip(expected) {
            let skip: Vec<bool> = expected.iter().map(Option::is_none).collect();
            let what = format!("expression {which} at line {}", kernel.line + which);
            run.set_param(Inputs::WHICH, which)?;
            run.fill(Inputs::SKIP, false)?;
            let result = (kernel.pass)(&mut run);
            if skip.contains(&true) {
                faulting += 1;
                match result {
                    Err(Error::Fault { site, place, .. }) => {
                        assert!(skip[place.src as usize], "{what}: vertex {} does not fault", place.src);
                        assert_eq!(site.location.line, kernel.line + which, "{what}");
                    }
                    other => panic!("{what}: expected a fault, found {other:?}"),
                }
                run.set_dense(Inputs::SKIP, &skip)?;
                (kernel.pass)(&mut run)?;
            } else {
                result.unwrap_or_else(|error| panic!("{what}: {error}"));
            }
            let out = run.take(Inputs::OUT)?;
            for (v, expected) in expected.iter().enumerate() {
                if let Some(expected) = expected {
                    assert_eq!(out[v], *expected, "{what}, vertex {v}: {:?}", inputs[v]);
                }
            }
            total += 1;
        }
    }
    assert!(faulting * 10 > total && faulting * 10 < total * 9, "{faulting} of {total} expressions fault");
    Ok(())
}
