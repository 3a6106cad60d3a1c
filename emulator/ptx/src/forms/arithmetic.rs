//! Arithmetic, bit operations, comparisons and selection.
#![expect(clippy::neg_cmp_op_on_partial_ord, reason = "comparisons that hold for NaN are the opposites of others")]
#![expect(clippy::unnecessary_cast, reason = "one text stands for all types, u64 among them")]

use super::{Form, Maker, bare};
use crate::lanes::{ALL, Lanes, f32_bits};
use crate::program::body::Operand;
use crate::types::Type;
use crate::warp::{Action, Instruction};

macro_rules! one {
    ($f:expr) => {{
        fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
            l.one(i, mask, $f);
        }
        execute
    }};
}
macro_rules! two {
    ($f:expr) => {{
        fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
            l.two(i, mask, $f);
        }
        execute
    }};
}
macro_rules! three {
    ($f:expr) => {{
        fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
            l.three(i, mask, $f);
        }
        execute
    }};
}
macro_rules! compare {
    ($f:expr) => {{
        fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
            let bits = l.compare(i, $f);
            set(l, i, mask, bits);
        }
        execute
    }};
}
/// Expands code for the Rust integer type that corresponds to a PTX type.
macro_rules! integer {
    ($ty:expr, $form:expr, $T:ident => $made:expr) => {
        match $ty {
            Type::U8 => {
                type $T = u8;
                $made
            }
            Type::U16 => {
                type $T = u16;
                $made
            }
            Type::U32 => {
                type $T = u32;
                $made
            }
            Type::U64 => {
                type $T = u64;
                $made
            }
            Type::S8 => {
                type $T = i8;
                $made
            }
            Type::S16 => {
                type $T = i16;
                $made
            }
            Type::S32 => {
                type $T = i32;
                $made
            }
            Type::S64 => {
                type $T = i64;
                $made
            }
            _ => return Err($form.unknown()),
        }
    };
}
/// Expands code for the Rust floating-point type that corresponds to a PTX type.
macro_rules! float {
    ($ty:expr, $form:expr, $T:ident => $made:expr) => {
        match $ty {
            Type::F32 => {
                type $T = F32;
                $made
            }
            Type::F64 => {
                type $T = F64;
                $made
            }
            _ => return Err($form.unknown()),
        }
    };
}
pub(super) use {integer, one};

/// 32-bit floating-point numbers, converted from and to register bits.
pub(super) struct F32;
/// 64-bit floating-point numbers, converted from and to register bits.
pub(super) struct F64;

impl F32 {
    pub(super) const SIGN: u64 = 1 << 31;
    pub(super) fn of(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    pub(super) fn bits(value: f32) -> u64 {
        f32_bits(value).into()
    }
}

impl F64 {
    pub(super) const SIGN: u64 = 1 << 63;
    pub(super) fn of(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    pub(super) fn bits(value: f64) -> u64 {
        value.to_bits()
    }
}

/// Writes the result of a comparison to one predicate, and the inverse to a second one. The result may be combined with
/// a third predicate.
fn set(l: &mut Lanes<'_>, i: &Instruction, mask: u32, bits: u32) {
    const AND: u64 = 1;
    const OR: u64 = 2;
    const XOR: u64 = 3;
    let other = l.predicate(i.c) ^ if i.extra >> 8 != 0 { ALL } else { 0 };
    let combine = |bits: u32| match i.extra & 0xFF {
        AND => bits & other,
        OR => bits | other,
        XOR => bits ^ other,
        _ => bits,
    };
    l.set_predicate(i.p, mask, combine(bits));
    if i.q != crate::lanes::NEVER {
        l.set_predicate(i.q, mask, combine(!bits));
    }
}

pub(super) fn decode<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let ty = form.ty()?;
    match form.name {
        "setp" => return comparison(form, maker, ty),
        "selp" => return choice(form, maker),
        _ if ty == Type::Pred => return logic(form, maker),
        "addc" | "subc" | "madc" => return super::carry::decode(form, maker, ty),
        "add" | "sub" | "mad" if form.has("cc") => return super::carry::decode(form, maker, ty),
        _ => {}
    }
    let modifiers: Vec<&str> = form.words.iter().copied().filter(|word| Type::named(word).is_none()).collect();
    let execute = match form.operands.len() {
        2 => unary(form, ty, &modifiers)?,
        3 => binary(form, ty, &modifiers)?,
        _ => ternary(form, ty, &modifiers)?,
    };
    let Some(Operand::Word(target)) = form.operands.first() else { return Err(form.unknown()) };
    let mut made = Instruction { d: maker.target(target)?, ..bare(Action::Compute(execute)) };
    if let Some(a) = form.operands.get(1) {
        made.a = maker.source(a)?;
    }
    if let Some(b) = form.operands.get(2) {
        made.b = maker.source(b)?;
    }
    if let Some(c) = form.operands.get(3) {
        made.c = maker.source(c)?;
    }
    if let (4, "lop3", Some(Operand::Word(table))) = (form.operands.len() - 1, form.name, form.operands.get(4)) {
        made.extra = crate::text::number(table).ok_or_else(|| form.unknown())?;
    } else if form.operands.len() > 4 {
        return fifth(form, maker, made);
    }
    Ok(made)
}

/// Adds the fourth source operand, which only `bfi` has.
fn fifth<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>, mut made: Instruction) -> Result<Instruction, String> {
    let (Some(length), "bfi") = (form.operands.get(4), form.name) else { return Err(form.unknown()) };
    made.m = maker.source(length)?;
    made.extra = 8 * form.ty()?.bytes();
    Ok(made)
}

fn unary(form: &Form<'_, '_>, ty: Type, modifiers: &[&str]) -> Result<crate::lanes::Execute, String> {
    Ok(match (form.name, modifiers) {
        ("neg", [] | ["ftz"]) if ty.is_float() => float!(ty, form, T => one!(|a| a ^ T::SIGN)),
        ("abs", [] | ["ftz"]) if ty.is_float() => float!(ty, form, T => one!(|a| a & !T::SIGN)),
        ("neg", []) => integer!(ty, form, T => one!(|a| (a as T).wrapping_neg() as u64)),
        ("abs", []) => match ty {
            Type::S16 => one!(|a| (a as i16).wrapping_abs() as u64),
            Type::S32 => one!(|a| (a as i32).wrapping_abs() as u64),
            Type::S64 => one!(|a| (a as i64).wrapping_abs() as u64),
            _ => return Err(form.unknown()),
        },
        ("not", []) => one!(|a| !a),
        ("cnot", []) => integer!(ty, form, T => one!(|a| u64::from(a as T == 0))),
        ("popc", []) => integer!(ty, form, T => one!(|a| (a as T).count_ones().into())),
        ("clz", []) => integer!(ty, form, T => one!(|a| (a as T).leading_zeros().into())),
        ("brev", []) => integer!(ty, form, T => one!(|a| (a as T).reverse_bits() as u64)),
        ("bfind", ["shiftamt"]) => match ty {
            Type::U32 => one!(|a| if a as u32 == 0 { u32::MAX.into() } else { (a as u32).leading_zeros().into() }),
            Type::U64 => one!(|a| if a == 0 { u32::MAX.into() } else { a.leading_zeros().into() }),
            _ => return Err(form.unknown()),
        },
        ("bfind", []) => match ty {
            Type::U32 => one!(|a| (31_u32.wrapping_sub((a as u32).leading_zeros())).into()),
            Type::U64 => one!(|a| (63_u32.wrapping_sub(a.leading_zeros())).into()),
            _ => return Err(form.unknown()),
        },
        ("sqrt", ["rn"] | ["rn", "ftz"]) => float!(ty, form, T => one!(|a| T::bits(T::of(a).sqrt()))),
        ("rcp", ["rn"] | ["rn", "ftz"]) => float!(ty, form, T => one!(|a| T::bits(1.0 / T::of(a)))),
        // The emulator returns the correctly rounded value, not the GPU's approximation.
        ("sqrt" | "rsqrt" | "rcp" | "ex2" | "lg2" | "sin" | "cos" | "tanh", ["approx"] | ["approx", "ftz"]) => {
            match (form.name, ty) {
                ("sqrt", Type::F32) => one!(|a| F32::bits(F32::of(a).sqrt())),
                ("rsqrt", Type::F32) => one!(|a| F32::bits((1.0 / f64::from(F32::of(a)).sqrt()) as f32)),
                ("rcp", Type::F32) => one!(|a| F32::bits(1.0 / F32::of(a))),
                ("ex2", Type::F32) => one!(|a| F32::bits(f64::from(F32::of(a)).exp2() as f32)),
                ("lg2", Type::F32) => one!(|a| F32::bits(f64::from(F32::of(a)).log2() as f32)),
                ("sin", Type::F32) => one!(|a| F32::bits(f64::from(F32::of(a)).sin() as f32)),
                ("cos", Type::F32) => one!(|a| F32::bits(f64::from(F32::of(a)).cos() as f32)),
                ("tanh", Type::F32) => one!(|a| F32::bits(f64::from(F32::of(a)).tanh() as f32)),
                // The results of these instructions have 20 fraction bits.
                ("rcp", Type::F64) => one!(|a| (1.0 / F64::of(a)).to_bits() & !0xFFFF_FFFF),
                ("rsqrt", Type::F64) => one!(|a| (1.0 / F64::of(a).sqrt()).to_bits() & !0xFFFF_FFFF),
                _ => return Err(form.unknown()),
            }
        }
        _ => return Err(form.unknown()),
    })
}

fn binary(form: &Form<'_, '_>, ty: Type, modifiers: &[&str]) -> Result<crate::lanes::Execute, String> {
    if ty.is_float() {
        return float_binary(form, ty, modifiers);
    }
    Ok(match (form.name, modifiers) {
        ("add", []) => integer!(ty, form, T => two!(|a, b| (a as T).wrapping_add(b as T) as u64)),
        ("sub", []) => integer!(ty, form, T => two!(|a, b| (a as T).wrapping_sub(b as T) as u64)),
        ("add", ["sat"]) if ty == Type::S32 => two!(|a, b| (a as i32).saturating_add(b as i32) as u64),
        ("sub", ["sat"]) if ty == Type::S32 => two!(|a, b| (a as i32).saturating_sub(b as i32) as u64),
        ("mul", ["lo"]) => integer!(ty, form, T => two!(|a, b| (a as T).wrapping_mul(b as T) as u64)),
        ("mul", ["wide"]) => match ty {
            Type::U16 => two!(|a, b| u64::from(a as u16) * u64::from(b as u16)),
            Type::S16 => two!(|a, b| (i64::from(a as i16) * i64::from(b as i16)) as u64),
            Type::U32 => two!(|a, b| u64::from(a as u32) * u64::from(b as u32)),
            Type::S32 => two!(|a, b| (i64::from(a as i32) * i64::from(b as i32)) as u64),
            _ => return Err(form.unknown()),
        },
        ("mul", ["hi"]) => match ty {
            Type::U16 => two!(|a, b| ((u32::from(a as u16) * u32::from(b as u16)) >> 16).into()),
            Type::U32 => two!(|a, b| (u64::from(a as u32) * u64::from(b as u32)) >> 32),
            Type::S32 => two!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u64),
            Type::U64 => two!(|a, b| ((u128::from(a) * u128::from(b)) >> 64) as u64),
            Type::S64 => two!(|a, b| ((i128::from(a as i64) * i128::from(b as i64)) >> 64) as u64),
            _ => return Err(form.unknown()),
        },
        // The result of a division by zero is undefined. Like a GPU, return all ones.
        ("div", []) => integer!(ty, form, T => two!(|a, b| {
            if b as T == 0 { u64::MAX } else { (a as T).wrapping_div(b as T) as u64 }
        })),
        ("rem", []) => {
            integer!(ty, form, T => two!(|a, b| if b as T == 0 { a } else { (a as T).wrapping_rem(b as T) as u64 }))
        }
        ("min", []) => integer!(ty, form, T => two!(|a, b| (a as T).min(b as T) as u64)),
        ("max", []) => integer!(ty, form, T => two!(|a, b| (a as T).max(b as T) as u64)),
        ("and", []) => two!(|a, b| a & b),
        ("or", []) => two!(|a, b| a | b),
        ("xor", []) => two!(|a, b| a ^ b),
        ("shl", []) => integer!(ty, form, T => two!(|a, b| (a as T).checked_shl(b as u32).unwrap_or(0) as u64)),
        ("shr", []) => {
            integer!(ty, form, T => two!(|a, b| (a as T >> (b as u32).min(T::BITS - 1) >> u32::from(b as u32 >= T::BITS)) as u64))
        }
        _ => return Err(form.unknown()),
    })
}

fn float_binary(form: &Form<'_, '_>, ty: Type, modifiers: &[&str]) -> Result<crate::lanes::Execute, String> {
    Ok(match (form.name, modifiers) {
        ("add", [] | ["rn"]) => float!(ty, form, T => two!(|a, b| T::bits(T::of(a) + T::of(b)))),
        ("sub", [] | ["rn"]) => float!(ty, form, T => two!(|a, b| T::bits(T::of(a) - T::of(b)))),
        ("mul", [] | ["rn"]) => float!(ty, form, T => two!(|a, b| T::bits(T::of(a) * T::of(b)))),
        ("div", ["rn"] | ["approx"] | ["full"]) => float!(ty, form, T => two!(|a, b| T::bits(T::of(a) / T::of(b)))),
        ("min", []) => float!(ty, form, T => two!(|a, b| {
            let (x, y) = (T::of(a), T::of(b));
            if x == y { a | b } else if x.is_nan() && y.is_nan() { T::bits(x + y) } else if x < y || y.is_nan() { a } else { b }
        })),
        ("max", []) => float!(ty, form, T => two!(|a, b| {
            let (x, y) = (T::of(a), T::of(b));
            if x == y { a & b } else if x.is_nan() && y.is_nan() { T::bits(x + y) } else if x > y || y.is_nan() { a } else { b }
        })),
        ("copysign", []) => float!(ty, form, T => two!(|a, b| b & !T::SIGN | a & T::SIGN)),
        _ => return Err(form.unknown()),
    })
}

fn ternary(form: &Form<'_, '_>, ty: Type, modifiers: &[&str]) -> Result<crate::lanes::Execute, String> {
    Ok(match (form.name, modifiers) {
        ("fma" | "mad", ["rn"]) => match ty {
            Type::F32 => three!(|a, b, c| F32::bits(F32::of(a).mul_add(F32::of(b), F32::of(c)))),
            Type::F64 => three!(|a, b, c| F64::bits(F64::of(a).mul_add(F64::of(b), F64::of(c)))),
            _ => return Err(form.unknown()),
        },
        ("mad", ["lo"]) => {
            integer!(ty, form, T => three!(|a, b, c| (a as T).wrapping_mul(b as T).wrapping_add(c as T) as u64))
        }
        ("mad", ["wide"]) => match ty {
            Type::U16 => three!(|a, b, c| (u32::from(a as u16) * u32::from(b as u16)).wrapping_add(c as u32).into()),
            Type::U32 => three!(|a, b, c| (u64::from(a as u32) * u64::from(b as u32)).wrapping_add(c)),
            Type::S32 => three!(|a, b, c| (i64::from(a as i32) * i64::from(b as i32)).wrapping_add(c as i64) as u64),
            _ => return Err(form.unknown()),
        },
        ("mad", ["hi"]) => match ty {
            Type::U32 => three!(|a, b, c| ((u64::from(a as u32) * u64::from(b as u32)) >> 32).wrapping_add(c)),
            Type::U64 => three!(|a, b, c| (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c)),
            _ => return Err(form.unknown()),
        },
        ("sad", []) => {
            integer!(ty, form, T => three!(|a, b, c| (c as T).wrapping_add((a as T).abs_diff(b as T) as T) as u64))
        }
        ("prmt", []) => three!(|a, b, selector| {
            let bytes = (b & 0xFFFF_FFFF) << 32 | a & 0xFFFF_FFFF;
            (0..4).fold(0, |all, index| {
                let choice = selector >> (4 * index) & 15;
                let byte = bytes >> (8 * (choice & 7)) & 0xFF;
                let byte = if choice & 8 == 0 {
                    byte
                } else if byte & 0x80 == 0 {
                    0
                } else {
                    0xFF
                };
                all | byte << (8 * index)
            })
        }),
        ("bfe", []) => match ty {
            Type::U32 => three!(|a, from, count| field(u64::from(a as u32), from, count, 32)),
            Type::U64 => three!(|a, from, count| field(a, from, count, 64)),
            Type::S32 => three!(|a, from, count| signed_field(a as i32 as i64, from, count, 32)),
            Type::S64 => three!(|a, from, count| signed_field(a as i64, from, count, 64)),
            _ => return Err(form.unknown()),
        },
        ("bfi", []) => {
            fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                let counts = *l.column(i.m);
                let width = i.extra;
                let (a, b, from) = (*l.column(i.a), *l.column(i.b), *l.column(i.c));
                l.each(i.d, mask, |lane| {
                    let (from, count) = ((from[lane] & 0xFF).min(width), counts[lane] & 0xFF);
                    let ones = if count >= width { u64::MAX } else { (1 << count) - 1 };
                    let field = ones.checked_shl(from as u32).unwrap_or(0);
                    b[lane] & !field | a[lane].checked_shl(from as u32).unwrap_or(0) & field
                });
            }
            execute
        }
        ("lop3", []) => {
            fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                let table = i.extra;
                l.three(i, mask, |a, b, c| {
                    (0..8).filter(|bit| table >> bit & 1 != 0).fold(0, |all, bit| {
                        let pick = |value: u64, bit: u64| if bit != 0 { value } else { !value };
                        all | pick(a, bit >> 2 & 1) & pick(b, bit >> 1 & 1) & pick(c, bit & 1)
                    })
                });
            }
            execute
        }
        ("shf", ["l", "wrap"]) => three!(|a, b, c| (((b << 32 | a & 0xFFFF_FFFF) << (c & 31)) >> 32) & 0xFFFF_FFFF),
        ("shf", ["r", "wrap"]) => three!(|a, b, c| ((b << 32 | a & 0xFFFF_FFFF) >> (c & 31)) & 0xFFFF_FFFF),
        ("shf", ["l", "clamp"]) => three!(|a, b, c| {
            let both = u128::from(b << 32 | a & 0xFFFF_FFFF);
            (both << (c as u32).min(32) >> 32) as u64 & 0xFFFF_FFFF
        }),
        ("shf", ["r", "clamp"]) => three!(|a, b, c| (b << 32 | a & 0xFFFF_FFFF) >> (c as u32).min(32) & 0xFFFF_FFFF),
        _ => return Err(form.unknown()),
    })
}

/// Extracts a bit field, as `bfe` does.
fn field(a: u64, from: u64, count: u64, width: u64) -> u64 {
    let (from, count) = (from & 0xFF, count & 0xFF);
    let shifted = if from >= width { 0 } else { a >> from };
    if count >= 64 { shifted } else { shifted & ((1 << count) - 1) }
}

/// Extracts a bit field and extends its sign.
fn signed_field(a: i64, from: u64, count: u64, width: u64) -> u64 {
    let (from, count) = (from & 0xFF, count & 0xFF);
    if count == 0 {
        return 0;
    }
    let shifted = a >> from.min(width - 1);
    let left = (width.saturating_sub(from)).min(count).clamp(1, 64);
    ((shifted << (64 - left)) >> (64 - left)) as u64
}

fn comparison<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>, ty: Type) -> Result<Instruction, String> {
    let mut made = bare(Action::Fence);
    made.c = crate::lanes::NEVER;
    let (how, with) = match form.words[..] {
        [how, _] | [how, "ftz", _] => (how, ""),
        [how, with @ ("and" | "or" | "xor"), _] => (how, with),
        _ => return Err(form.unknown()),
    };
    made.extra = match with {
        "and" => 1,
        "or" => 2,
        "xor" => 3,
        _ => 0,
    };
    if let Some(other) = form.operands.get(3) {
        let (slot, inverted) = maker.predicate(other)?;
        made.c = slot;
        made.extra |= u64::from(inverted) << 8;
    }
    match &form.operands[0] {
        Operand::Word(p) => made.p = maker.predicate_target(p)?,
        Operand::Pair(p, q) => (made.p, made.q) = (maker.predicate_target(p)?, maker.predicate_target(q)?),
        _ => return Err(form.unknown()),
    }
    let [_, a, b, ..] = form.operands else { return Err(form.unknown()) };
    (made.a, made.b) = (maker.source(a)?, maker.source(b)?);
    made.action = Action::Compute(if ty.is_float() {
        float_comparison(form, ty, how)?
    } else {
        integer_comparison(form, ty, how)?
    });
    Ok(made)
}

fn integer_comparison(form: &Form<'_, '_>, ty: Type, how: &str) -> Result<crate::lanes::Execute, String> {
    Ok(match how {
        "eq" => integer!(ty, form, T => compare!(|a, b| a as T == b as T)),
        "ne" => integer!(ty, form, T => compare!(|a, b| a as T != b as T)),
        "lt" | "lo" => integer!(ty, form, T => compare!(|a, b| (a as T) < b as T)),
        "le" | "ls" => integer!(ty, form, T => compare!(|a, b| a as T <= b as T)),
        "gt" | "hi" => integer!(ty, form, T => compare!(|a, b| a as T > b as T)),
        "ge" | "hs" => integer!(ty, form, T => compare!(|a, b| a as T >= b as T)),
        _ => return Err(form.unknown()),
    })
}

fn float_comparison(form: &Form<'_, '_>, ty: Type, how: &str) -> Result<crate::lanes::Execute, String> {
    Ok(match how {
        "eq" => float!(ty, form, T => compare!(|a, b| T::of(a) == T::of(b))),
        "ne" => float!(ty, form, T => compare!(|a, b| T::of(a) < T::of(b) || T::of(a) > T::of(b))),
        "lt" => float!(ty, form, T => compare!(|a, b| T::of(a) < T::of(b))),
        "le" => float!(ty, form, T => compare!(|a, b| T::of(a) <= T::of(b))),
        "gt" => float!(ty, form, T => compare!(|a, b| T::of(a) > T::of(b))),
        "ge" => float!(ty, form, T => compare!(|a, b| T::of(a) >= T::of(b))),
        "equ" => float!(ty, form, T => compare!(|a, b| !(T::of(a) < T::of(b) || T::of(a) > T::of(b)))),
        "neu" => float!(ty, form, T => compare!(|a, b| T::of(a) != T::of(b))),
        "ltu" => float!(ty, form, T => compare!(|a, b| !(T::of(a) >= T::of(b)))),
        "leu" => float!(ty, form, T => compare!(|a, b| !(T::of(a) > T::of(b)))),
        "gtu" => float!(ty, form, T => compare!(|a, b| !(T::of(a) <= T::of(b)))),
        "geu" => float!(ty, form, T => compare!(|a, b| !(T::of(a) < T::of(b)))),
        "num" => float!(ty, form, T => compare!(|a, b| !T::of(a).is_nan() && !T::of(b).is_nan())),
        "nan" => float!(ty, form, T => compare!(|a, b| T::of(a).is_nan() || T::of(b).is_nan())),
        _ => return Err(form.unknown()),
    })
}

fn choice<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
        let holds = l.predicate(i.p) ^ if i.extra == 1 { ALL } else { 0 };
        let (a, b) = (*l.column(i.a), *l.column(i.b));
        l.each(i.d, mask, |lane| if holds >> lane & 1 != 0 { a[lane] } else { b[lane] });
    }
    let [Operand::Word(target), a, b, predicate] = form.operands else { return Err(form.unknown()) };
    let (p, inverted) = maker.predicate(predicate)?;
    let (d, a, b) = (maker.target(target)?, maker.source(a)?, maker.source(b)?);
    Ok(Instruction { d, a, b, p, extra: inverted.into(), ..bare(Action::Compute(execute)) })
}

/// Translates logic operations on predicates.
fn logic<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    macro_rules! logic {
        ($f:expr) => {{
            fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                let f: fn(u32, u32) -> u32 = $f;
                let bits = f(l.predicate(i.a), l.predicate(i.b));
                l.set_predicate(i.p, mask, bits);
            }
            execute
        }};
    }
    let execute: crate::lanes::Execute = match form.name {
        "and" => logic!(|a, b| a & b),
        "or" => logic!(|a, b| a | b),
        "xor" => logic!(|a, b| a ^ b),
        "not" => logic!(|a, _| !a),
        _ => return Err(form.unknown()),
    };
    let Some(Operand::Word(target)) = form.operands.first() else { return Err(form.unknown()) };
    let mut made = Instruction { p: maker.predicate_target(target)?, ..bare(Action::Compute(execute)) };
    (made.a, made.b) = (crate::lanes::NEVER, crate::lanes::NEVER);
    for (operand, to) in form.operands[1..].iter().zip([&mut made.a, &mut made.b]) {
        match maker.predicate(operand)? {
            (slot, false) => *to = slot,
            (_, true) => return Err(form.unknown()),
        }
    }
    Ok(made)
}
