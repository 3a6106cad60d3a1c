//! Arithmetic that reads or writes the carry flag.

use super::{Form, Maker, bare};
use crate::lanes::Lanes;
use crate::program::body::Operand;
use crate::types::Type;
use crate::warp::{Action, Instruction};

const SUBTRACTS: u64 = 1;
const MULTIPLIES: u64 = 2;
const HIGH: u64 = 4;
const READS: u64 = 8;
const WRITES: u64 = 16;
const WIDE: u64 = 32;

pub(super) fn decode<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>, ty: Type) -> Result<Instruction, String> {
    let mut extra = match form.name {
        "add" | "addc" => 0,
        "sub" | "subc" => SUBTRACTS,
        _ => MULTIPLIES,
    };
    let others = form.words.iter().any(|word| !matches!(*word, "cc" | "lo" | "hi") && Type::named(word).is_none());
    if others || !matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64) || form.has("hi") && ty != Type::U32 {
        return Err(form.unknown());
    }
    for (holds, bit) in
        [(form.has("hi"), HIGH), (form.name.ends_with('c'), READS), (form.has("cc"), WRITES), (ty.bytes() == 8, WIDE)]
    {
        extra |= if holds { bit } else { 0 };
    }
    let [Operand::Word(target), a, b, rest @ ..] = form.operands else { return Err(form.unknown()) };
    let mut made = Instruction { d: maker.target(target)?, extra, ..bare(Action::Compute(execute)) };
    (made.a, made.b) = (maker.source(a)?, maker.source(b)?);
    made.c = match rest {
        [c] => maker.source(c)?,
        _ => made.a,
    };
    made.p = maker.body.carry();
    Ok(made)
}

fn execute(l: &mut Lanes<'_>, i: &Instruction, mask: u32) {
    let has = |bit: u64| i.extra & bit != 0;
    let carry = if has(READS) { l.predicate(i.p) } else { 0 };
    let ones = if has(WIDE) { u128::from(u64::MAX) } else { u128::from(u32::MAX) };
    let width = if has(WIDE) { 64 } else { 32 };
    let (a, b, c) = (*l.column(i.a), *l.column(i.b), *l.column(i.c));
    let mut carries = 0;
    let whole = |lane: usize| {
        let (a, b, c) = (u128::from(a[lane]) & ones, u128::from(b[lane]) & ones, u128::from(c[lane]) & ones);
        let carry = u128::from(carry >> lane & 1);
        if has(SUBTRACTS) {
            // A borrow sets the flag.
            return a.wrapping_sub(b).wrapping_sub(carry);
        }
        let (one, other) = match (has(MULTIPLIES), has(HIGH)) {
            (false, _) => (a, b),
            (true, false) => (a.wrapping_mul(b) & ones, c),
            (true, true) => (a.wrapping_mul(b) >> width & ones, c),
        };
        one + other + carry
    };
    for lane in 0..crate::lanes::LANES {
        carries |= u32::from(whole(lane) >> width & 1 != 0) << lane;
    }
    l.each(i.d, mask, |lane| (whole(lane) & ones) as u64);
    if has(WRITES) {
        l.set_predicate(i.p, mask, carries);
    }
}
