//! `wrapping_*` methods wrap, shifts by methods are taken modulo the width, casts saturate, floats round as IEEE.

use super::{engine, isolated, mixed};
use gts_graph::prelude::*;

const VERTICES: u64 = 4096;

#[gts_attributes]
pub struct Integers {
    #[wa(init = 0, merge = any)]
    pub seed: u64,
    #[wa(init = 0, merge = any)]
    pub unsigned: [u32; 8],
    #[wa(init = 0, merge = any)]
    pub signed: [i32; 8],
    #[wa(init = 0, merge = any)]
    pub long: [i64; 8],
    #[wa(init = 0, merge = any)]
    pub small: [u8; 4],
    #[wa(init = 0, merge = any)]
    pub short: [u16; 4],
}

#[gts_kernel(vertex)]
fn integers(a: &mut Integers, v: Vertex) {
    let x = a.seed[v] as u32;
    let y = (a.seed[v] >> 32) as u32;
    a.unsigned[v][0] = x.wrapping_add(y);
    a.unsigned[v][1] = x.wrapping_sub(y);
    a.unsigned[v][2] = x.wrapping_mul(y);
    a.unsigned[v][3] = x.wrapping_shl(y & 63);
    a.unsigned[v][4] = x.wrapping_shr(y & 63);
    a.unsigned[v][5] = (x & y) | (x ^ 0xff00_ff00);
    a.unsigned[v][6] = !x;
    a.unsigned[v][7] = (x / (y | 1)).wrapping_add(x % (y | 1));

    let p = x as i32;
    let q = y as i32;
    a.signed[v][0] = p.wrapping_add(q);
    a.signed[v][1] = p.wrapping_sub(q);
    a.signed[v][2] = p.wrapping_mul(q);
    a.signed[v][3] = p.wrapping_neg();
    a.signed[v][4] = p >> 3;
    a.signed[v][5] = p << 5;
    a.signed[v][6] = if q == 0 || q == -1 { 0 } else { p / q };
    a.signed[v][7] = if q == 0 || q == -1 { 0 } else { p % q };

    let long = a.seed[v] as i64;
    a.long[v][0] = long.wrapping_mul(31).wrapping_add(7);
    a.long[v][1] = long >> 17;
    a.long[v][2] = p as i64;
    a.long[v][3] = x as i64;
    a.long[v][4] = long.min(1000).max(-1000);
    a.long[v][5] = (long as u8) as i64;
    a.long[v][6] = (long as u16) as i64;
    a.long[v][7] = (long / 1000).wrapping_sub(long % 1000);

    let b = x as u8;
    a.small[v][0] = b.wrapping_add(200);
    a.small[v][1] = b.wrapping_mul(b);
    a.small[v][2] = b << 3;
    a.small[v][3] = b.wrapping_sub(100);

    let s = y as u16;
    a.short[v][0] = s.wrapping_add(65000);
    a.short[v][1] = s.wrapping_mul(s);
    a.short[v][2] = s >> 9;
    a.short[v][3] = (x.count_ones() + x.leading_zeros() + x.trailing_zeros()) as u16;
}

#[test]
fn integers_wrap_by_the_methods_that_say_so() -> Result<()> {
    let mut run = engine().start::<Integers>(&isolated(VERTICES))?;
    let special = [0, u64::MAX, 1 << 63, (1 << 63) - 1, 0xffff_ffff, 0x8000_0000, 1, 0x7fff_ffff_8000_0000];
    let seeds: Vec<u64> = (0..VERTICES).map(|v| special.get(v as usize).copied().unwrap_or_else(|| mixed(v))).collect();
    run.set_dense(Integers::SEED, &seeds)?;
    run.apply(integers)?;
    let (unsigned, signed) = (run.take(Integers::UNSIGNED)?, run.take(Integers::SIGNED)?);
    let (long, small, short) = (run.take(Integers::LONG)?, run.take(Integers::SMALL)?, run.take(Integers::SHORT)?);
    for (v, &seed) in seeds.iter().enumerate() {
        let (x, y) = (seed as u32, (seed >> 32) as u32);
        let expected = [
            x.wrapping_add(y),
            x.wrapping_sub(y),
            x.wrapping_mul(y),
            x.wrapping_shl(y & 63),
            x.wrapping_shr(y & 63),
            (x & y) | (x ^ 0xff00_ff00),
            !x,
            x.wrapping_div(y | 1).wrapping_add(x % (y | 1)),
        ];
        assert_eq!(unsigned[v], expected, "seed {seed:#x}");
        let (p, q) = (x as i32, y as i32);
        let safe = q != 0 && q != -1;
        let expected = [
            p.wrapping_add(q),
            p.wrapping_sub(q),
            p.wrapping_mul(q),
            p.wrapping_neg(),
            p >> 3,
            p << 5,
            if safe { p / q } else { 0 },
            if safe { p % q } else { 0 },
        ];
        assert_eq!(signed[v], expected, "seed {seed:#x}");
        let l = seed as i64;
        let expected = [
            l.wrapping_mul(31).wrapping_add(7),
            l >> 17,
            p.into(),
            x.into(),
            l.clamp(-1000, 1000),
            (l as u8).into(),
            (l as u16).into(),
            (l / 1000).wrapping_sub(l % 1000),
        ];
        assert_eq!(long[v], expected, "seed {seed:#x}");
        let b = x as u8;
        assert_eq!(small[v], [b.wrapping_add(200), b.wrapping_mul(b), b << 3, b.wrapping_sub(100)]);
        let s = y as u16;
        let bits = (x.count_ones() + x.leading_zeros() + x.trailing_zeros()) as u16;
        assert_eq!(short[v], [s.wrapping_add(65000), s.wrapping_mul(s), s >> 9, bits]);
    }
    Ok(())
}

#[gts_attributes]
pub struct Saturated {
    #[wa(init = 0, merge = any)]
    pub left: u64,
    #[wa(init = 0, merge = any)]
    pub right: u64,
    #[wa(init = 0, merge = any)]
    pub bytes: [u8; 3],
    #[wa(init = 0, merge = any)]
    pub shorts: [u16; 3],
    #[wa(init = 0, merge = any)]
    pub words: [u32; 3],
    #[wa(init = 0, merge = any)]
    pub longs: [u64; 3],
    #[wa(init = 0, merge = any)]
    pub signed_words: [i32; 3],
    #[wa(init = 0, merge = any)]
    pub signed_longs: [i64; 3],
}

#[gts_kernel(vertex)]
fn saturate(s: &mut Saturated, v: Vertex) {
    let x = s.left[v];
    let y = s.right[v];
    s.bytes[v][0] = (x as u8).saturating_add(y as u8);
    s.bytes[v][1] = (x as u8).saturating_sub(y as u8);
    s.bytes[v][2] = (x as u8).saturating_mul(y as u8);
    s.shorts[v][0] = (x as u16).saturating_add(y as u16);
    s.shorts[v][1] = (x as u16).saturating_sub(y as u16);
    s.shorts[v][2] = (x as u16).saturating_mul(y as u16);
    s.words[v][0] = (x as u32).saturating_add(y as u32);
    s.words[v][1] = (x as u32).saturating_sub(y as u32);
    s.words[v][2] = (x as u32).saturating_mul(y as u32);
    s.longs[v][0] = x.saturating_add(y);
    s.longs[v][1] = x.saturating_sub(y);
    s.longs[v][2] = x.saturating_mul(y);
    s.signed_words[v][0] = (x as i32).saturating_add(y as i32);
    s.signed_words[v][1] = (x as i32).saturating_sub(y as i32);
    s.signed_words[v][2] = (x as i32).saturating_mul(y as i32);
    s.signed_longs[v][0] = (x as i64).saturating_add(y as i64);
    s.signed_longs[v][1] = (x as i64).saturating_sub(y as i64);
    s.signed_longs[v][2] = (x as i64).saturating_mul(y as i64);
}

#[test]
fn saturating_methods_stop_at_the_ends_of_every_type() -> Result<()> {
    // The ends of every type, their neighbours, and numbers whose products just fit or just overflow.
    let mut special = vec![0, 1, 2, 3, 15, 16, 17, 255, 256, 257, 0xb504, 0xb505, 0xffff_ffff, 0xb504_f333];
    for bits in [8, 16, 31, 32, 63, 64] {
        let end = if bits == 64 { 0 } else { 1u64 << bits };
        special.extend([end.wrapping_sub(2), end.wrapping_sub(1), end, end.wrapping_add(1)]);
    }
    special.extend(special.clone().iter().map(|x: &u64| x.wrapping_neg()));
    let mut pairs: Vec<(u64, u64)> = special.iter().flat_map(|&x| special.iter().map(move |&y| (x, y))).collect();
    pairs.extend((0..VERTICES).map(|v| (mixed(v) >> (v % 64), mixed(v + VERTICES) >> (v / 64 % 64))));
    let mut run = engine().start::<Saturated>(&isolated(pairs.len() as u64))?;
    let (left, right): (Vec<u64>, Vec<u64>) = pairs.iter().copied().unzip();
    run.set_dense(Saturated::LEFT, &left)?;
    run.set_dense(Saturated::RIGHT, &right)?;
    run.apply(saturate)?;
    macro_rules! check {
        ($attribute:ident, $ty:ty) => {
            for (found, &(x, y)) in run.take(Saturated::$attribute)?.iter().zip(&pairs) {
                let (x, y) = (x as $ty, y as $ty);
                assert_eq!(*found, [x.saturating_add(y), x.saturating_sub(y), x.saturating_mul(y)], "{x}, {y}");
            }
        };
    }
    check!(BYTES, u8);
    check!(SHORTS, u16);
    check!(WORDS, u32);
    check!(LONGS, u64);
    check!(SIGNED_WORDS, i32);
    check!(SIGNED_LONGS, i64);
    Ok(())
}

#[gts_attributes(T = f32 | f64)]
pub struct Floats<T> {
    #[wa(init = 0.0, merge = any)]
    pub x: T,
    #[wa(init = 0.0, merge = any)]
    pub y: T,
    #[wa(init = 0.0, merge = any)]
    pub out: [T; 12],
    #[wa(init = 0, merge = any)]
    pub whole: [i64; 6],
    #[wa(init = false, merge = any)]
    pub truth: [bool; 6],
}

#[gts_kernel(vertex)]
fn floats<T>(a: &mut Floats<T>, v: Vertex) {
    let x = a.x[v];
    let y = a.y[v];
    a.out[v][0] = x + y;
    a.out[v][1] = x - y;
    a.out[v][2] = x * y;
    a.out[v][3] = x / y;
    a.out[v][4] = x * y + x;
    a.out[v][5] = x.abs().sqrt();
    a.out[v][6] = x.min(y);
    a.out[v][7] = x.max(y);
    a.out[v][8] = x.floor();
    a.out[v][9] = x.ceil();
    a.out[v][10] = -x;
    a.out[v][11] = (x as i32) as T + (y as u8) as T;

    a.whole[v][0] = x as i64;
    a.whole[v][1] = (x as i32) as i64;
    a.whole[v][2] = (x as u32) as i64;
    a.whole[v][3] = (x as u8) as i64;
    a.whole[v][4] = (x as u16) as i64;
    a.whole[v][5] = (x as u64) as i64;

    a.truth[v][0] = x < y;
    a.truth[v][1] = x <= y;
    a.truth[v][2] = x == y;
    a.truth[v][3] = x != y && !(x > y);
    a.truth[v][4] = x >= y || y.is_nan();
    a.truth[v][5] = x.is_nan() ^ y.is_nan();
}

macro_rules! floats_round {
    ($test:ident, $type:ty) => {
        #[test]
        fn $test() -> Result<()> {
            let special = [
                0.0,
                -0.0,
                1.0,
                -1.5,
                <$type>::NAN,
                <$type>::INFINITY,
                <$type>::NEG_INFINITY,
                <$type>::MAX,
                <$type>::MIN_POSITIVE,
                -2.5e9,
                3.0e10,
                1e-45,
                255.5,
                256.0,
                -0.75,
                1.0 / 3.0,
            ];
            let pairs: Vec<($type, $type)> =
                special.iter().flat_map(|&x| special.iter().map(move |&y| (x, y))).collect();
            let mut run = engine().start::<Floats<$type>>(&isolated(pairs.len() as u64))?;
            run.set_dense(Floats::X, &pairs.iter().map(|pair| pair.0).collect::<Vec<_>>())?;
            run.set_dense(Floats::Y, &pairs.iter().map(|pair| pair.1).collect::<Vec<_>>())?;
            run.apply(floats)?;
            let (out, whole, truth) = (run.take(Floats::OUT)?, run.take(Floats::WHOLE)?, run.take(Floats::TRUTH)?);
            for (v, &(x, y)) in pairs.iter().enumerate() {
                let expected: [$type; 12] = [
                    x + y,
                    x - y,
                    x * y,
                    x / y,
                    x * y + x,
                    x.abs().sqrt(),
                    x.min(y),
                    x.max(y),
                    x.floor(),
                    x.ceil(),
                    -x,
                    (x as i32) as $type + (y as u8) as $type,
                ];
                for (i, (found, expected)) in out[v].into_iter().zip(expected).enumerate() {
                    let zeros = matches!(i, 6 | 7) && found == 0.0 && expected == 0.0;
                    let equal = found.to_bits() == expected.to_bits() || zeros || (found.is_nan() && expected.is_nan());
                    assert!(equal, "out[{i}] of {x:e}, {y:e}: {found:e}, expected {expected:e}");
                }
                let expected = [
                    x as i64,
                    (x as i32).into(),
                    (x as u32).into(),
                    (x as u8).into(),
                    (x as u16).into(),
                    (x as u64) as i64,
                ];
                assert_eq!(whole[v], expected, "{x:e}");
                let (less, more) = (x < y, x > y);
                let expected = [less, x <= y, x == y, x != y && !more, x >= y || y.is_nan(), x.is_nan() ^ y.is_nan()];
                assert_eq!(truth[v], expected, "{x:e}, {y:e}");
            }
            Ok(())
        }
    };
}

floats_round!(f32_rounds_as_ieee, f32);
floats_round!(f64_rounds_as_ieee, f64);

#[gts_attributes]
pub struct Transcendental {
    #[wa(init = 0.0, merge = any)]
    pub x: f64,
    #[wa(init = 0.0, merge = any)]
    pub out: [f64; 5],
}

#[gts_kernel(vertex)]
fn transcendental(a: &mut Transcendental, v: Vertex) {
    let x = a.x[v];
    a.out[v][0] = x.exp();
    a.out[v][1] = x.ln();
    a.out[v][2] = x.powf(1.5);
    a.out[v][3] = x.sin();
    a.out[v][4] = x.cos();
}

#[test]
fn transcendental_functions_are_close() -> Result<()> {
    let xs: Vec<f64> = (1..=1000).map(|i| f64::from(i) / 37.0).collect();
    let mut run = engine().start::<Transcendental>(&isolated(xs.len() as u64))?;
    run.set_dense(Transcendental::X, &xs)?;
    run.apply(transcendental)?;
    for (out, x) in run.take(Transcendental::OUT)?.into_iter().zip(xs) {
        for (found, expected) in out.into_iter().zip([x.exp(), x.ln(), x.powf(1.5), x.sin(), x.cos()]) {
            assert!((found - expected).abs() <= 1e-14 * expected.abs().max(1e-3), "{x}: {found} and {expected}");
        }
    }
    Ok(())
}
