//! Parses function bodies: registers, variables, labels and instructions.

use super::module::{Mistake, Module, Reader, Variable, variable};
use super::{Program, Special};
use crate::forms;
use crate::lanes::{CONSTANT, LANES, Slot};
use crate::spaces::Space;
use crate::text::number;
use crate::types::Type;
use crate::warp::Action;
use std::collections::HashMap;

/// Kind of memory that a symbol refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Variable,
    Shared,
    DynamicShared,
    Local,
    Parameter,
}

/// The address of a symbol: an offset in a kind of memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Symbol {
    pub(crate) place: Place,
    pub(crate) offset: u64,
}

/// A register, by type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Register {
    Column(Slot),
    Predicate(Slot),
}

/// An operand of an instruction.
#[derive(Clone, Debug)]
pub(crate) enum Operand<'a> {
    Word(&'a str),
    /// A negative number, or an inverted predicate.
    Inverted(&'a str),
    Address(&'a str, u64),
    Vector(Vec<&'a str>),
    Pair(&'a str, &'a str),
    List(Vec<&'a str>),
}

/// A jump to a label. The target is set when the function has been read.
struct Jump<'a> {
    instruction: usize,
    label: &'a str,
    line: u32,
}

/// A function that is being read.
#[derive(Default)]
pub(crate) struct Body<'a> {
    pub(crate) symbols: HashMap<&'a str, Symbol>,
    /// Registers of each scope by name. Numbered registers are stored once, by prefix and count.
    scopes: Vec<HashMap<&'a str, (Register, u32)>>,
    pub(crate) columns: u32,
    pub(crate) predicates: u32,
    pub(crate) shared: u64,
    pub(crate) local: u64,
    pub(crate) specials: Vec<(Special, u32)>,
    labels: HashMap<&'a str, u32>,
    tables: HashMap<&'a str, Vec<&'a str>>,
    jumps: Vec<Jump<'a>>,
    /// Predicate that represents the carry flag, if an instruction uses the flag.
    carry: Option<Slot>,
    /// Whether this is a function called by others, not an entry point.
    pub(crate) is_function: bool,
}

impl<'a> Body<'a> {
    pub(crate) fn new(module: &Module<'a>) -> Self {
        Self {
            symbols: module.symbols.clone(),
            scopes: vec![HashMap::new()],
            columns: module.columns,
            predicates: module.predicates,
            shared: module.shared,
            local: module.local,
            specials: module.specials.clone(),
            ..Self::default()
        }
    }

    /// Adds a variable to each thread's local memory. Returns the variable's offset and size.
    pub(crate) fn add_local(&mut self, variable: &Variable<'a>) -> (u64, u64) {
        let offset = self.local.next_multiple_of(variable.alignment.max(8));
        self.local = offset + variable.bytes;
        self.symbols.insert(variable.name, Symbol { place: Place::Local, offset });
        (offset, variable.bytes)
    }

    /// Reads the body after its opening brace.
    pub(crate) fn read(
        &mut self,
        reader: &mut Reader<'a>,
        program: &mut Program,
        module: &mut Module<'a>,
    ) -> Result<(), Mistake> {
        reader.expect("{")?;
        let mut depth = 1;
        while depth > 0 {
            match reader.peek() {
                "" => return Err(reader.mistake("the function has no end")),
                "{" => {
                    reader.next();
                    depth += 1;
                    self.scopes.push(HashMap::new());
                }
                "}" => {
                    reader.next();
                    depth -= 1;
                    self.scopes.pop();
                }
                ";" => drop(reader.next()),
                ".reg" => {
                    reader.next();
                    self.registers(reader)?;
                }
                ".local" | ".param" => {
                    reader.next();
                    let variable = variable(reader)?;
                    self.add_local(&variable);
                    reader.expect(";")?;
                }
                ".shared" => {
                    reader.next();
                    let variable = variable(reader)?;
                    let offset = self.shared.next_multiple_of(variable.alignment);
                    self.shared = offset + variable.bytes;
                    self.symbols.insert(variable.name, Symbol { place: Place::Shared, offset });
                    reader.expect(";")?;
                }
                ".pragma" => while reader.next() != ";" {},
                word if reader.peek_second() == ":" => {
                    reader.next();
                    reader.next();
                    if reader.takes(".branchtargets") {
                        let mut targets = Vec::new();
                        while !reader.takes(";") {
                            targets.push(reader.next());
                            reader.takes(",");
                        }
                        self.tables.insert(word, targets);
                    } else {
                        self.labels.insert(word, program.code.len() as u32);
                    }
                }
                _ => self.instruction(reader, program, module)?,
            }
        }
        self.finish(program)
    }

    fn registers(&mut self, reader: &mut Reader<'a>) -> Result<(), Mistake> {
        let ty = reader.next().strip_prefix('.').and_then(Type::named);
        let ty = ty.ok_or_else(|| reader.mistake("unknown type of registers"))?;
        while !reader.takes(";") {
            let name = reader.next();
            let mut count = 1;
            if reader.takes("<") {
                count = reader.number()? as u32;
                reader.expect(">")?;
            }
            reader.takes(",");
            let register = match ty {
                Type::Pred => {
                    self.predicates += count;
                    Register::Predicate(self.predicates - count)
                }
                _ => {
                    self.columns += count;
                    Register::Column(self.columns - count)
                }
            };
            if let Some(scope) = self.scopes.last_mut() {
                scope.insert(name, (register, count));
            }
        }
        Ok(())
    }

    /// Returns the register with this name, from the innermost scope that declares it.
    pub(crate) fn register(&self, name: &str) -> Option<Register> {
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let (prefix, number) = name.split_at(name.len() - digits);
        let number: Option<u32> = number.parse().ok();
        self.scopes.iter().rev().find_map(|scope| {
            if let Some(&(register, _)) = scope.get(name) {
                return Some(register);
            }
            let (&(register, count), number) = (scope.get(prefix)?, number?);
            (number < count).then(|| match register {
                Register::Column(first) => Register::Column(first + number),
                Register::Predicate(first) => Register::Predicate(first + number),
            })
        })
    }

    /// Allocates a column.
    pub(crate) fn fresh(&mut self) -> Slot {
        self.columns += 1;
        self.columns - 1
    }

    /// Returns the predicate that represents the carry flag.
    pub(crate) fn carry(&mut self) -> Slot {
        *self.carry.get_or_insert_with(|| {
            self.predicates += 1;
            self.predicates - 1
        })
    }

    /// Returns the column of a special value.
    pub(crate) fn special(&mut self, special: Special) -> Slot {
        if let Some(&(_, column)) = self.specials.iter().find(|(other, _)| *other == special) {
            return column;
        }
        let column = self.fresh();
        self.specials.push((special, column));
        column
    }

    /// Returns the column for a word: a register, a number, or the address of a symbol.
    pub(crate) fn column(&mut self, word: &str, program: &mut Program) -> Option<Slot> {
        match self.register(word) {
            Some(Register::Column(slot)) => return Some(slot),
            Some(Register::Predicate(_)) => return None,
            None => {}
        }
        if let Some(value) = number(word) {
            return Some(constant(program, value));
        }
        if let Some(special) = special(word) {
            return Some(self.special(special));
        }
        if word == "WARP_SZ" {
            return Some(constant(program, LANES as u64));
        }
        let symbol = *self.symbols.get(word)?;
        Some(match symbol.place {
            Place::Variable => self.special(Special::Variable(symbol.offset)),
            Place::DynamicShared => self.special(Special::DynamicShared),
            Place::Shared | Place::Local | Place::Parameter => constant(program, symbol.offset),
        })
    }

    /// Returns the space that `ld.param` accesses for this parameter name or address register.
    pub(crate) fn parameter_space(&self, base: &str) -> Space {
        match self.symbols.get(base) {
            Some(symbol) if symbol.place == Place::Parameter => Space::Parameter,
            Some(_) => Space::Local,
            None if self.is_function => Space::Local,
            None => Space::Parameter,
        }
    }

    /// Records that the next instruction is a jump to `label`.
    pub(crate) fn jump(&mut self, program: &Program, label: &'a str, line: u32) {
        self.jumps.push(Jump { instruction: program.code.len(), label, line });
    }

    fn instruction(
        &mut self,
        reader: &mut Reader<'a>,
        program: &mut Program,
        module: &mut Module<'a>,
    ) -> Result<(), Mistake> {
        let line = reader.line();
        let mut guard = None;
        if reader.takes("@") {
            let inverted = reader.takes("!");
            guard = Some((reader.next(), inverted));
        }
        let opcode = reader.next();
        let mut operands = Vec::new();
        while !reader.takes(";") {
            operands.push(operand(reader)?);
            if reader.peek() != ";" {
                reader.expect(",")?;
            }
        }
        forms::decode(opcode, &operands, guard, line, self, program, module).map_err(|why| (line, why))
    }

    /// Sets the targets of all jumps.
    fn finish(&mut self, program: &mut Program) -> Result<(), Mistake> {
        for jump in &self.jumps {
            let find = |label: &str| {
                self.labels.get(label).copied().ok_or_else(|| (jump.line, format!("unknown label `{label}`")))
            };
            program.code[jump.instruction].action = match self.tables.get(jump.label) {
                Some(labels) => {
                    let targets: Result<Vec<u32>, Mistake> = labels.iter().map(|label| find(label)).collect();
                    Action::BranchIndexed(targets?.into())
                }
                None => Action::Branch(find(jump.label)?),
            };
        }
        Ok(())
    }
}

/// Returns the column of a constant, creating it if necessary.
pub(crate) fn constant(program: &mut Program, value: u64) -> Slot {
    let found = program.constants.iter().position(|column| column[0] == value);
    let number = found.unwrap_or_else(|| {
        program.constants.push([value; LANES]);
        program.constants.len() - 1
    });
    number as Slot | CONSTANT
}

fn operand<'a>(reader: &mut Reader<'a>) -> Result<Operand<'a>, Mistake> {
    if reader.takes("[") {
        let base = reader.next();
        let mut offset = 0_u64;
        while !reader.takes("]") {
            match reader.next() {
                "+" => offset = offset.wrapping_add(reader.number()?),
                "-" => offset = offset.wrapping_sub(reader.number()?),
                other => return Err(reader.mistake(format!("unknown address with `{other}`"))),
            }
        }
        return Ok(Operand::Address(base, offset));
    }
    let list = |reader: &mut Reader<'a>, end: &str| {
        let mut words = Vec::new();
        while !reader.takes(end) {
            words.push(reader.next());
            reader.takes(",");
        }
        words
    };
    if reader.takes("{") {
        return Ok(Operand::Vector(list(reader, "}")));
    }
    if reader.takes("(") {
        return Ok(Operand::List(list(reader, ")")));
    }
    if reader.takes("-") || reader.takes("!") {
        return Ok(Operand::Inverted(reader.next()));
    }
    let word = reader.next();
    if reader.takes("|") {
        return Ok(Operand::Pair(word, reader.next()));
    }
    Ok(Operand::Word(word))
}

fn special(word: &str) -> Option<Special> {
    let (name, axis) = match word.split_once('.') {
        Some((name, axis)) => (name, ["x", "y", "z"].iter().position(|&other| other == axis)? as u8),
        None => (word, 0),
    };
    Some(match name {
        "%tid" => Special::Thread(axis),
        "%ntid" => Special::Threads(axis),
        "%ctaid" => Special::Block(axis),
        "%nctaid" => Special::Blocks(axis),
        "%laneid" => Special::Lane,
        "%warpid" => Special::Warp,
        "%smid" => Special::Multiprocessor,
        "%lanemask_lt" => Special::LanesBelow,
        "%lanemask_le" => Special::LanesUpTo,
        "%lanemask_gt" => Special::LanesAbove,
        "%lanemask_ge" => Special::LanesFrom,
        "%lanemask_eq" => Special::LaneAlone,
        "%dynamic_smem_size" | "%total_smem_size" => Special::SharedBytes,
        _ => return None,
    })
}
