//! Random numbers.

use super::{LanguageKind, LanguageRow, RowExample};

const fn call(name: &'static str, syntax: &'static str, meaning: &'static str, example: RowExample) -> LanguageRow {
    LanguageRow::new(LanguageKind::Random, name, syntax, meaning)
        .allowed("kernels")
        .refused("the host can call a `#[gts_fn]` outside a step; take the number as a parameter")
        .example(example)
}

pub(super) const ROWS: &[LanguageRow] = &[
    call(
        "random",
        "random(key, draw)",
        "64 random bits, as `u64`. They are a function of the seed, `step()`, the number of earlier runs of the \
         kernel in this step, the key and the draw. The key is a vertex, an edge or an integer. The draw is an \
         integer that distinguishes the numbers of one key in one pass. Device, technique and page size have no \
         influence.",
        RowExample::Vertex("if random(v, 0) >> 63 == 1 {\n    a.count[v] += 1;\n}"),
    ),
    call(
        "random_f32",
        "random_f32(key, draw)",
        "An `f32` from 0 to below 1: the upper 24 bits of `random(key, draw)`, divided by 2^24.",
        RowExample::Scan("if random_f32(e, 0) < 0.5 {\n    a.count[dst] += 1;\n}"),
    ),
    call(
        "random_f64",
        "random_f64(key, draw)",
        "An `f64` from 0 to below 1: the upper 53 bits of `random(key, draw)`, divided by 2^53.",
        RowExample::Vertex("if random_f64(v, 1) < 0.01 {\n    activate(v);\n}"),
    ),
    call(
        "random_below",
        "random_below(key, draw, bound)",
        "A `u64` from 0 to below the bound, or 0 if the bound is 0. It is the upper 64 bits of the 128-bit product of \
         `random(key, draw)` and the bound. The probabilities of two results differ by at most bound / 2^64, relative \
         to their mean.",
        RowExample::Vertex("a.level[v] = random_below(v, 2, 6) as u32;"),
    ),
    LanguageRow::new(
        LanguageKind::Rule,
        "random key",
        "random(v, 0), random(e, 0), random(7, 0)",
        "A key is a pair of numbers. For a vertex, they are its dense number and `u64::MAX`. For an edge, they are \
         the dense numbers of `src` and `dst`, so parallel edges draw the same random number. For an integer, they \
         are the integer and `u64::MAX - 1`.",
    ),
    LanguageRow::new(
        LanguageKind::Rule,
        "random formula",
        "bits(seed, step, runs, v, draw)",
        "This function computes the bits of `random(v, draw)` in a kernel that has already run `runs` times in the \
         step. `runs` is 0 when a kernel first runs in a step, so each round of a loop of scans draws different \
         numbers. `run.set_step(..)` resets it to 0 for all kernels. A `priority` draws the numbers of the next step.",
    )
    .example(RowExample::Host(
        "fn bits(seed: u64, step: u32, runs: u32, v: u64, draw: u64) -> u64 {
    let mut state = 0;
    for number in [seed, u64::from(runs) << 32 | u64::from(step), v, u64::MAX, draw] {
        let z = (state ^ number).wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        state = z ^ (z >> 31);
    }
    state
}

assert_eq!(bits(7, 0, 0, 3, 0), 0x739b_7ea0_4762_5bef);",
    )),
];
