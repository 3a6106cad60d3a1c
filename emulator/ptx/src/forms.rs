//! Instruction forms: translates opcodes with their modifiers and operands.

mod arithmetic;
mod carry;
mod convert;
mod memory;

use crate::lanes::{ALWAYS, NEVER, Slot};
use crate::program::Program;
use crate::program::body::{Body, Operand, Register, constant};
use crate::program::module::Module;
use crate::sync::{Barrier, BlockReduction, Exchange, Reduction, Shuffle, Vote};
use crate::types::Type;
use crate::warp::{Action, Instruction};

/// A statement: the opcode's name, its modifiers, and the operands.
pub(crate) struct Form<'f, 'a> {
    pub(crate) name: &'a str,
    pub(crate) words: Vec<&'a str>,
    pub(crate) operands: &'f [Operand<'a>],
}

impl Form<'_, '_> {
    pub(crate) fn has(&self, word: &str) -> bool {
        self.words.contains(&word)
    }

    /// Returns the last type among the opcode's modifiers.
    pub(crate) fn ty(&self) -> Result<Type, String> {
        self.words.iter().rev().find_map(|word| Type::named(word)).ok_or_else(|| self.unknown())
    }

    /// Returns all types among the opcode's modifiers, in order.
    pub(crate) fn types(&self) -> Vec<Type> {
        self.words.iter().filter_map(|word| Type::named(word)).collect()
    }

    pub(crate) fn unknown(&self) -> String {
        "the emulator does not know this form".to_owned()
    }
}

/// The function and the program to which new instructions are added.
pub(crate) struct Maker<'m, 'a> {
    pub(crate) body: &'m mut Body<'a>,
    pub(crate) program: &'m mut Program,
}

impl<'a> Maker<'_, 'a> {
    /// Returns the column from which an operand is read.
    pub(crate) fn source(&mut self, operand: &Operand<'a>) -> Result<Slot, String> {
        match operand {
            Operand::Word(word) => self.word(word),
            Operand::Inverted(word) => {
                let value = crate::text::number(word).ok_or_else(|| format!("`-{word}` is no number"))?;
                Ok(constant(self.program, value.wrapping_neg()))
            }
            other => Err(format!("unexpected operand {other:?}")),
        }
    }

    pub(crate) fn word(&mut self, word: &str) -> Result<Slot, String> {
        self.body.column(word, self.program).ok_or_else(|| format!("unknown operand `{word}`"))
    }

    /// Returns the column to which an operand is written. For `_`, returns a new column that is never read.
    pub(crate) fn target(&mut self, word: &str) -> Result<Slot, String> {
        match self.body.register(word) {
            Some(Register::Column(slot)) => Ok(slot),
            None if word == "_" => Ok(self.body.fresh()),
            _ => Err(format!("`{word}` is no register for values")),
        }
    }

    /// Returns the predicate of an operand, and whether it is inverted.
    pub(crate) fn predicate(&self, operand: &Operand<'a>) -> Result<(Slot, bool), String> {
        let (word, inverted) = match operand {
            Operand::Word(word) => (*word, false),
            Operand::Inverted(word) => (*word, true),
            other => return Err(format!("unexpected operand {other:?}")),
        };
        match self.body.register(word) {
            Some(Register::Predicate(slot)) => Ok((slot, inverted)),
            None if word == "0" || word == "%false" => Ok((NEVER, inverted)),
            None if crate::text::number(word).is_some() => Ok((if inverted { NEVER } else { ALWAYS }, false)),
            _ => Err(format!("`{word}` is no predicate")),
        }
    }

    pub(crate) fn predicate_target(&self, word: &str) -> Result<Slot, String> {
        match self.body.register(word) {
            Some(Register::Predicate(slot)) => Ok(slot),
            None if word == "_" => Ok(NEVER),
            _ => Err(format!("`{word}` is no predicate")),
        }
    }
}

/// Returns an instruction without operands.
pub(crate) fn bare(action: Action) -> Instruction {
    Instruction {
        action,
        guard: ALWAYS,
        inverted: false,
        d: 0,
        a: 0,
        b: 0,
        c: 0,
        m: 0,
        p: NEVER,
        q: NEVER,
        extra: 0,
        line: 0,
    }
}

/// Adds the instructions of a statement to the program.
pub(crate) fn decode<'a>(
    opcode: &'a str,
    operands: &[Operand<'a>],
    guard: Option<(&'a str, bool)>,
    line: u32,
    body: &mut Body<'a>,
    program: &mut Program,
    module: &mut Module<'a>,
) -> Result<(), String> {
    let mut words = opcode.split('.');
    let name = words.next().unwrap_or_default();
    let form = Form { name, words: words.collect(), operands };
    let (guard, inverted) = match guard {
        None => (ALWAYS, false),
        Some((word, inverted)) => {
            let maker = Maker { body, program };
            (maker.predicate(&Operand::Word(word))?.0, inverted)
        }
    };
    let first = program.code.len();
    if name == "bra" || name == "brx" {
        jump(&form, line, body, program)?;
    } else if name == "call" {
        call(&form, line, body, program, module)?;
    } else {
        let mut maker = Maker { body, program };
        let made = one(&form, &mut maker)?;
        maker.program.code.extend(made);
    }
    for instruction in &mut program.code[first..] {
        (instruction.line, instruction.guard, instruction.inverted) = (line, guard, inverted);
        let needs_all =
            matches!(instruction.action, Action::Exchange(_) | Action::Barrier(_) | Action::Call(_) | Action::Return);
        if guard != ALWAYS && needs_all {
            return Err("the emulator does not know this form with a predicate".to_owned());
        }
    }
    Ok(())
}

fn jump<'a>(form: &Form<'_, 'a>, line: u32, body: &mut Body<'a>, program: &mut Program) -> Result<(), String> {
    let mut made = bare(Action::Branch(0));
    let label = match form.operands {
        [Operand::Word(label)] if form.name == "bra" => label,
        [index, Operand::Word(label)] if form.name == "brx" => {
            made.a = Maker { body, program }.source(index)?;
            label
        }
        _ => return Err(form.unknown()),
    };
    body.jump(program, label, line);
    program.code.push(made);
    Ok(())
}

/// Translates a call: copies the arguments to the function's parameters, calls the function, and copies its result.
fn call<'a>(
    form: &Form<'_, 'a>,
    line: u32,
    body: &mut Body<'a>,
    program: &mut Program,
    module: &mut Module<'a>,
) -> Result<(), String> {
    let (result, name, arguments) = match form.operands {
        [Operand::List(result), Operand::Word(name), Operand::List(arguments)] => {
            (result.first(), name, &arguments[..])
        }
        [Operand::List(result), Operand::Word(name)] => (result.first(), name, &[][..]),
        [Operand::Word(name), Operand::List(arguments)] => (None, name, &arguments[..]),
        [Operand::Word(name)] => (None, name, &[][..]),
        _ => return Err(form.unknown()),
    };
    let function = module.functions.get(name).ok_or_else(|| format!("unknown function `{name}`"))?.clone();
    let mut maker = Maker { body, program };
    let parameters = &function.places[usize::from(function.has_result)..];
    for (argument, &(offset, bytes)) in arguments.iter().zip(parameters) {
        let from = maker.body.symbols.get(argument).ok_or_else(|| format!("unknown parameter `{argument}`"))?.offset;
        memory::copy_local(&mut maker, from, offset, bytes);
    }
    module.calls.push((maker.program.code.len(), name, line));
    maker.program.code.push(bare(Action::Call(0)));
    if let (Some(result), true) = (result, function.has_result) {
        let (offset, bytes) = function.places[0];
        let to = maker.body.symbols.get(result).ok_or_else(|| format!("unknown parameter `{result}`"))?.offset;
        memory::copy_local(&mut maker, offset, to, bytes);
    }
    Ok(())
}

/// Translates a statement that is neither a jump nor a call.
fn one<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Vec<Instruction>, String> {
    let made = match form.name {
        "ret" => bare(if maker.body.is_function { Action::Return } else { Action::Exit }),
        "exit" => bare(Action::Exit),
        "trap" | "brkpt" => bare(Action::Trap),
        "nanosleep" => bare(Action::Yield),
        "membar" | "fence" => bare(Action::Fence),
        "activemask" => target_of(form, maker, Action::ActiveMask)?,
        "shfl" => shuffle(form, maker)?,
        "vote" => vote(form, maker)?,
        "match" => matching(form, maker)?,
        "redux" => reduce(form, maker)?,
        "bar" | "barrier" => return barrier(form, maker).map(|made| vec![made]),
        "ld" | "ldu" | "st" | "atom" | "red" => memory::decode(form, maker)?,
        "prefetch" | "prefetchu" | "discard" | "applypriority" => return Ok(Vec::new()),
        "mov" if is_clock(form) => target_of(form, maker, Action::Clock)?,
        "mov" => return convert::moves(form, maker),
        "cvt" | "cvta" => convert::decode(form, maker)?,
        _ => arithmetic::decode(form, maker)?,
    };
    Ok(vec![made])
}

fn is_clock(form: &Form<'_, '_>) -> bool {
    matches!(
        form.operands,
        [_, Operand::Word("%clock" | "%clock64" | "%clock_hi" | "%globaltimer" | "%globaltimer_lo")]
    )
}

fn target_of<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>, action: Action) -> Result<Instruction, String> {
    let Some(Operand::Word(target)) = form.operands.first() else { return Err(form.unknown()) };
    Ok(Instruction { d: maker.target(target)?, ..bare(action) })
}

/// Returns the column of a target, and the predicate target if one follows.
fn pair<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<(Slot, Slot), String> {
    match form.operands.first() {
        Some(Operand::Word(target)) => Ok((maker.target(target)?, NEVER)),
        Some(Operand::Pair(target, predicate)) => Ok((maker.target(target)?, maker.predicate_target(predicate)?)),
        _ => Err(form.unknown()),
    }
}

fn shuffle<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let mode = match form.words[..] {
        ["sync", "up", "b32"] => Shuffle::Up,
        ["sync", "down", "b32"] => Shuffle::Down,
        ["sync", "bfly", "b32"] => Shuffle::Butterfly,
        ["sync", "idx", "b32"] => Shuffle::Index,
        _ => return Err(form.unknown()),
    };
    let [_, a, b, c, mask] = form.operands else { return Err(form.unknown()) };
    let (d, q) = pair(form, maker)?;
    let (a, b, c, m) = (maker.source(a)?, maker.source(b)?, maker.source(c)?, maker.source(mask)?);
    Ok(Instruction { d, q, a, b, c, m, ..bare(Action::Exchange(Exchange::Shuffle(mode))) })
}

fn vote<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let vote = match form.words[..] {
        ["sync", "ballot", "b32"] => Vote::Ballot,
        ["sync", "all", "pred"] => Vote::All,
        ["sync", "any", "pred"] => Vote::Any,
        ["sync", "uni", "pred"] => Vote::Uniform,
        _ => return Err(form.unknown()),
    };
    let [Operand::Word(target), predicate, mask] = form.operands else { return Err(form.unknown()) };
    let (p, inverted) = maker.predicate(predicate)?;
    let mut made = Instruction {
        p,
        extra: inverted.into(),
        m: maker.source(mask)?,
        ..bare(Action::Exchange(Exchange::Vote(vote)))
    };
    match vote {
        Vote::Ballot => made.d = maker.target(target)?,
        _ => made.q = maker.predicate_target(target)?,
    }
    Ok(made)
}

fn matching<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let exchange = match form.words[..] {
        ["any", "sync", ty @ ("b32" | "b64")] => Exchange::MatchAny(ty == "b64"),
        ["all", "sync", ty @ ("b32" | "b64")] => Exchange::MatchAll(ty == "b64"),
        _ => return Err(form.unknown()),
    };
    let [_, a, mask] = form.operands else { return Err(form.unknown()) };
    let (d, q) = pair(form, maker)?;
    Ok(Instruction { d, q, a: maker.source(a)?, m: maker.source(mask)?, ..bare(Action::Exchange(exchange)) })
}

fn reduce<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let reduction = match form.words[..] {
        ["sync", "add", "u32" | "s32"] => Reduction::Add,
        ["sync", "min", "u32"] => Reduction::Min,
        ["sync", "max", "u32"] => Reduction::Max,
        ["sync", "min", "s32"] => Reduction::MinSigned,
        ["sync", "max", "s32"] => Reduction::MaxSigned,
        ["sync", "and", "b32"] => Reduction::And,
        ["sync", "or", "b32"] => Reduction::Or,
        ["sync", "xor", "b32"] => Reduction::Xor,
        _ => return Err(form.unknown()),
    };
    let [Operand::Word(target), a, mask] = form.operands else { return Err(form.unknown()) };
    let (d, a, m) = (maker.target(target)?, maker.source(a)?, maker.source(mask)?);
    Ok(Instruction { d, a, m, ..bare(Action::Exchange(Exchange::Reduce(reduction))) })
}

/// Translates barriers of the whole block (barrier 0 only) and of a warp's lanes.
fn barrier<'a>(form: &Form<'_, 'a>, maker: &mut Maker<'_, 'a>) -> Result<Instruction, String> {
    let words: Vec<&str> = form.words.iter().copied().filter(|word| !matches!(*word, "cta" | "aligned")).collect();
    match (&words[..], form.operands) {
        (["warp", "sync"], [mask]) => {
            Ok(Instruction { m: maker.source(mask)?, ..bare(Action::Exchange(Exchange::Nothing)) })
        }
        (["sync"], [Operand::Word("0")]) => Ok(bare(Action::Barrier(Barrier { reduces: None }))),
        (["red", operation, ty], [Operand::Word(target), Operand::Word("0"), predicate]) => {
            let (reduction, is_count) = match (*operation, *ty) {
                ("and", "pred") => (BlockReduction::And, false),
                ("or", "pred") => (BlockReduction::Or, false),
                ("popc", "u32") => (BlockReduction::Count, true),
                _ => return Err(form.unknown()),
            };
            let (p, inverted) = maker.predicate(predicate)?;
            let action = Action::Barrier(Barrier { reduces: Some(reduction) });
            let mut made = Instruction { p, extra: inverted.into(), ..bare(action) };
            match is_count {
                true => made.d = maker.target(target)?,
                false => made.q = maker.predicate_target(target)?,
            }
            Ok(made)
        }
        _ => Err(form.unknown()),
    }
}
