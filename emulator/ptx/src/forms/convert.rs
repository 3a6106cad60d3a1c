//! Moves and conversions.
#![expect(clippy::unnecessary_cast, reason = "one text stands for all types, u64 among them")]

use super::arithmetic::{F32, F64, integer, one};
use super::{Form, Maker, bare};
use crate::lanes::{ALL, Lanes, NEVER};
use crate::program::body::{Operand, Register};
use crate::spaces::Space;
use crate::types::Type;
use crate::warp::{Action, Instruction};

/// Translates `mov`, which copies a value, packs values into a wider one, or unpacks a value.
pub(super) fn moves<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Vec<Instruction>, String> {
    let ty = form.ty()?;
    let [target, source] = form.operands else { return Err(form.unknown()) };
    match (target, source) {
        (Operand::Word(target), _) if matches!(maker.body.register(target), Some(Register::Predicate(_))) => {
            fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                let bits = l.predicate(i.a) ^ if i.extra == 1 { ALL } else { 0 };
                l.set_predicate(i.p, mask, bits);
            }
            // Any number other than 0, such as -1, is true.
            let (a, inverted) = match source {
                Operand::Inverted(word) if crate::text::number(word).is_some_and(|value| value != 0) => {
                    (crate::lanes::ALWAYS, false)
                }
                other => maker.predicate(other)?,
            };
            let p = maker.predicate_target(target)?;
            Ok(vec![Instruction { p, a, extra: inverted.into(), ..bare(Action::Compute(execute)) }])
        }
        (Operand::Word(target), Operand::Vector(parts)) => {
            let bits = 8 * ty.bytes() / parts.len() as u64;
            let (d, collected) = (maker.target(target)?, maker.body.fresh());
            let mut made = Vec::new();
            for (number, part) in parts.iter().enumerate() {
                fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                    let (shift, bits) = (i.extra >> 8, i.extra & 0xFF);
                    let ones = (1_u64 << bits) - 1;
                    l.two(i, mask, |before, part| {
                        let kept = if shift == 0 { 0 } else { before };
                        kept | (part & ones) << shift
                    });
                }
                let b = maker.word(part)?;
                let extra = (number as u64 * bits) << 8 | bits;
                made.push(Instruction { d: collected, a: collected, b, extra, ..bare(Action::Compute(execute)) });
            }
            made.push(Instruction { d, a: collected, ..bare(Action::Compute(one!(|a| a))) });
            Ok(made)
        }
        (Operand::Vector(parts), source) => {
            fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                let (shift, bits) = (i.extra >> 8, i.extra & 0xFF);
                let ones = (1_u64 << bits) - 1;
                l.one(i, mask, |a| a >> shift & ones);
            }
            let bits = 8 * ty.bytes() / parts.len() as u64;
            let a = maker.source(source)?;
            let copy = maker.body.fresh();
            let mut made = vec![Instruction { d: copy, a, ..bare(Action::Compute(one!(|a| a))) }];
            for (number, part) in parts.iter().enumerate() {
                let extra = (number as u64 * bits) << 8 | bits;
                made.push(Instruction { d: maker.target(part)?, a: copy, extra, ..bare(Action::Compute(execute)) });
            }
            Ok(made)
        }
        (Operand::Word(target), source) => {
            let (d, a) = (maker.target(target)?, maker.source(source)?);
            Ok(vec![Instruction { d, a, ..bare(Action::Compute(one!(|a| a))) }])
        }
        _ => Err(form.unknown()),
    }
}

/// Translates `cvt` and `cvta`.
pub(super) fn decode<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let [Operand::Word(target), source] = form.operands else { return Err(form.unknown()) };
    let (d, a) = (maker.target(target)?, maker.source(source)?);
    let mut made = Instruction { d, a, q: NEVER, ..bare(Action::Fence) };
    if form.name == "cvta" {
        let space = form.words.iter().find_map(|word| Space::named(word)).ok_or_else(|| form.unknown())?;
        made.extra = space.base();
        made.action = Action::Compute(match form.has("to") {
            true => {
                fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                    let base = i.extra;
                    l.one(i, mask, |a| a & !base);
                }
                execute
            }
            false => {
                fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
                    let base = i.extra;
                    l.one(i, mask, |a| a | base);
                }
                execute
            }
        });
        return Ok(made);
    }
    let [to, from] = form.types()[..] else { return Err(form.unknown()) };
    let modifiers: Vec<&str> = form.words.iter().copied().filter(|word| Type::named(word).is_none()).collect();
    made.action = Action::Compute(match (to.is_float(), from.is_float()) {
        (false, false) => between_integers(form, to, from, &modifiers)?,
        (true, false) => to_float(form, to, from, &modifiers)?,
        (false, true) => to_integer(form, to, from, &modifiers)?,
        (true, true) => between_floats(form, to, from, &modifiers)?,
    });
    Ok(made)
}

fn between_integers(
    form: &Form<'_, '_>,
    to: Type,
    from: Type,
    modifiers: &[&str],
) -> Result<crate::lanes::Execute, String> {
    macro_rules! saturated {
        ($T:ident) => {
            integer!(from, form, S => one!(|a| (i128::from(a as S)).clamp($T::MIN.into(), $T::MAX.into()) as u64))
        };
    }
    Ok(match modifiers {
        [] => integer!(from, form, S => integer!(to, form, T => one!(|a| a as S as T as u64))),
        ["sat"] => match to {
            Type::U8 => saturated!(u8),
            Type::S8 => saturated!(i8),
            Type::U16 => saturated!(u16),
            Type::S16 => saturated!(i16),
            Type::U32 => saturated!(u32),
            Type::S32 => saturated!(i32),
            Type::U64 => saturated!(u64),
            Type::S64 => saturated!(i64),
            _ => return Err(form.unknown()),
        },
        _ => return Err(form.unknown()),
    })
}

fn to_float(form: &Form<'_, '_>, to: Type, from: Type, modifiers: &[&str]) -> Result<crate::lanes::Execute, String> {
    Ok(match (modifiers, to) {
        (["rn"], Type::F32) => integer!(from, form, S => one!(|a| F32::bits(a as S as f32))),
        (["rn"], Type::F64) => integer!(from, form, S => one!(|a| F64::bits(a as S as f64))),
        (["rz"], Type::F32) => integer!(from, form, S => one!(|a| F32::bits(towards_zero(i128::from(a as S))))),
        _ => return Err(form.unknown()),
    })
}

/// Converts an integer to the nearest float towards zero.
fn towards_zero(value: i128) -> f32 {
    let nearest = value as f32;
    let too_far = (nearest as i128).unsigned_abs() > value.unsigned_abs();
    if too_far { f32::from_bits(nearest.to_bits() - 1) } else { nearest }
}

fn to_integer(form: &Form<'_, '_>, to: Type, from: Type, modifiers: &[&str]) -> Result<crate::lanes::Execute, String> {
    macro_rules! rounded {
        ($F:ident, $round:expr) => {
            integer!(to, form, T => one!(|a| {
                let round: fn(f64) -> f64 = $round;
                round(f64::from($F::of(a))) as T as u64
            }))
        };
    }
    let modifiers: Vec<&str> = modifiers.iter().copied().filter(|word| !matches!(*word, "sat" | "ftz")).collect();
    Ok(match (&modifiers[..], from) {
        (["rzi"], Type::F32) => rounded!(F32, f64::trunc),
        (["rzi"], Type::F64) => rounded!(F64, f64::trunc),
        (["rni"], Type::F32) => rounded!(F32, f64::round_ties_even),
        (["rni"], Type::F64) => rounded!(F64, f64::round_ties_even),
        (["rmi"], Type::F32) => rounded!(F32, f64::floor),
        (["rmi"], Type::F64) => rounded!(F64, f64::floor),
        (["rpi"], Type::F32) => rounded!(F32, f64::ceil),
        (["rpi"], Type::F64) => rounded!(F64, f64::ceil),
        _ => return Err(form.unknown()),
    })
}

fn between_floats(
    form: &Form<'_, '_>,
    to: Type,
    from: Type,
    modifiers: &[&str],
) -> Result<crate::lanes::Execute, String> {
    let modifiers: Vec<&str> = modifiers.iter().copied().filter(|word| *word != "ftz").collect();
    Ok(match (&modifiers[..], to, from) {
        ([], Type::F64, Type::F32) => one!(|a| F64::bits(F32::of(a).into())),
        (["rn"], Type::F32, Type::F64) => one!(|a| F32::bits(F64::of(a) as f32)),
        (["rzi"], Type::F32, Type::F32) => one!(|a| F32::bits(F32::of(a).trunc())),
        (["rzi"], Type::F64, Type::F64) => one!(|a| F64::bits(F64::of(a).trunc())),
        (["rni"], Type::F32, Type::F32) => one!(|a| F32::bits(F32::of(a).round_ties_even())),
        (["rni"], Type::F64, Type::F64) => one!(|a| F64::bits(F64::of(a).round_ties_even())),
        (["rmi"], Type::F32, Type::F32) => one!(|a| F32::bits(F32::of(a).floor())),
        (["rmi"], Type::F64, Type::F64) => one!(|a| F64::bits(F64::of(a).floor())),
        (["rpi"], Type::F32, Type::F32) => one!(|a| F32::bits(F32::of(a).ceil())),
        (["rpi"], Type::F64, Type::F64) => one!(|a| F64::bits(F64::of(a).ceil())),
        (["sat"], Type::F32, Type::F32) => one!(|a| {
            let value = F32::of(a);
            if value.is_nan() { 0 } else { F32::bits(value.clamp(0.0, 1.0)) }
        }),
        _ => return Err(form.unknown()),
    })
}
