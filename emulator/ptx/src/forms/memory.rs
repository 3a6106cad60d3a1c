//! Loads, stores and atomic operations.

use super::{Form, Maker, bare};
use crate::access::{Access, Operation};
use crate::lanes::{NEVER, Slot};
use crate::program::body::{Operand, constant};
use crate::spaces::Space;
use crate::types::Type;
use crate::warp::{Action, Instruction};
use std::sync::atomic::AtomicU32;

fn access(space: Space, ty: Type, offset: u64, columns: Vec<Slot>) -> Access {
    Access {
        space,
        ty,
        offset,
        columns: columns.into(),
        watched: false,
        acquires: false,
        releases: false,
        operation: Operation::None,
        returns: false,
        hint: AtomicU32::new(u32::MAX),
    }
}

pub(super) fn decode<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let words = [
        "global",
        "shared",
        "shared::cta",
        "local",
        "param",
        "const",
        "nc",
        "volatile",
        "relaxed",
        "acquire",
        "release",
        "acq_rel",
        "weak",
        "gpu",
        "cta",
        "sys",
        "v2",
        "v4",
        "add",
        "and",
        "or",
        "xor",
        "min",
        "max",
        "exch",
        "cas",
        "inc",
        "dec",
        "cg",
        "ca",
        "cs",
        "cv",
        "wb",
        "wt",
        "lu",
        "L1::no_allocate",
        "L1::evict_first",
        "L1::evict_last",
        "noftz",
    ];
    if form.words.iter().any(|word| !words.contains(word) && Type::named(word).is_none()) {
        return Err(form.unknown());
    }
    let address = form.operands.iter().find_map(|operand| match operand {
        Operand::Address(base, offset) => Some((*base, *offset)),
        _ => None,
    });
    let (base, offset) = address.ok_or_else(|| form.unknown())?;
    let mut space = form.words.iter().find_map(|word| Space::named(word)).unwrap_or(Space::Generic);
    if space == Space::Parameter {
        space = maker.body.parameter_space(base);
    }
    let a = maker.word(base)?;
    let mut made = access(space, form.ty()?, offset, Vec::new());
    made.watched = form.has("volatile") || form.has("relaxed") || form.has("acquire");
    made.acquires = form.has("acquire") || form.has("acq_rel");
    made.releases = form.has("release") || form.has("acq_rel");
    let mut instruction = Instruction { a, c: NEVER, ..bare(Action::Fence) };
    instruction.action = match (form.name, form.operands) {
        ("ld" | "ldu", [target, Operand::Address(..)]) => {
            let words = vector(target).ok_or_else(|| form.unknown())?;
            made.columns = words.iter().map(|word| maker.target(word)).collect::<Result<_, _>>()?;
            Action::Load(Box::new(made))
        }
        ("st", [Operand::Address(..), Operand::Vector(words)]) => {
            made.columns = words.iter().map(|word| maker.word(word)).collect::<Result<_, _>>()?;
            Action::Store(Box::new(made))
        }
        ("st", [Operand::Address(..), value]) => {
            made.columns = [maker.source(value)?].into();
            Action::Store(Box::new(made))
        }
        ("atom", [Operand::Word(target), Operand::Address(..), values @ ..]) => {
            instruction.d = maker.target(target)?;
            made.returns = true;
            atomic(form, maker, &mut instruction, made, values)?
        }
        ("red", [Operand::Address(..), values @ ..]) => atomic(form, maker, &mut instruction, made, values)?,
        _ => return Err(form.unknown()),
    };
    Ok(instruction)
}

fn vector<'a>(operand: &Operand<'a>) -> Option<Vec<&'a str>> {
    match operand {
        Operand::Word(word) => Some(vec![word]),
        Operand::Vector(words) => Some(words.clone()),
        _ => None,
    }
}

fn atomic<'a>(
    form: &Form<'_, 'a>,
    maker: &mut Maker<'_, 'a>,
    instruction: &mut Instruction,
    mut made: Access,
    values: &[Operand<'a>],
) -> Result<Action, String> {
    let operation = form.words.iter().find_map(|word| {
        Some(match *word {
            "add" => Operation::Add,
            "and" => Operation::And,
            "or" => Operation::Or,
            "xor" => Operation::Xor,
            "min" => Operation::Min,
            "max" => Operation::Max,
            "exch" => Operation::Exchange,
            "cas" => Operation::CompareExchange,
            "inc" => Operation::Increment,
            "dec" => Operation::Decrement,
            _ => return None,
        })
    });
    made.operation = operation.ok_or_else(|| form.unknown())?;
    let narrow = made.ty.bytes() < 4 && !(made.ty.bytes() == 2 && made.operation == Operation::CompareExchange);
    if narrow || made.ty.is_float() && made.operation != Operation::Add {
        return Err(form.unknown());
    }
    match (made.operation, values) {
        (Operation::CompareExchange, [b, c]) => (instruction.b, instruction.c) = (maker.source(b)?, maker.source(c)?),
        (Operation::CompareExchange, _) => return Err(form.unknown()),
        (_, [b]) => instruction.b = maker.source(b)?,
        _ => return Err(form.unknown()),
    }
    Ok(Action::Atomic(Box::new(made)))
}

/// Adds instructions that copy bytes from one offset of a thread's local memory to another.
pub(super) fn copy_local(maker: &mut Maker<'_, '_>, from: u64, to: u64, bytes: u64) {
    let (column, zero) = (maker.body.fresh(), constant(maker.program, 0));
    let mut done = 0;
    while done < bytes {
        let ty = if bytes - done >= 8 && (from + done).is_multiple_of(8) && (to + done).is_multiple_of(8) {
            Type::U64
        } else if bytes - done >= 4 && (from + done).is_multiple_of(4) && (to + done).is_multiple_of(4) {
            Type::U32
        } else {
            Type::U8
        };
        let load = access(Space::Local, ty, from + done, vec![column]);
        let store = access(Space::Local, ty, to + done, vec![column]);
        maker.program.code.push(Instruction { a: zero, ..bare(Action::Load(Box::new(load))) });
        maker.program.code.push(Instruction { a: zero, ..bare(Action::Store(Box::new(store))) });
        done += ty.bytes();
    }
}
