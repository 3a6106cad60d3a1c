//! Parses a module's text: variables, functions and entry points.

use super::body::{Body, Place, Symbol};
use super::{Kernel, Parameter, Program, Special};
use crate::text::{Token, number, tokens};
use crate::types::Type;
use crate::warp::Action;
use std::collections::HashMap;
use std::sync::Arc;

/// Line number and description of an error in the text.
pub(crate) type Mistake = (u32, String);

/// Reads tokens in sequence.
pub(crate) struct Reader<'a> {
    tokens: Vec<Token<'a>>,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn peek(&self) -> &'a str {
        self.tokens.get(self.at).map_or("", |token| token.text)
    }

    /// Returns the token after the next one without consuming a token.
    pub(crate) fn peek_second(&self) -> &'a str {
        self.tokens.get(self.at + 1).map_or("", |token| token.text)
    }

    pub(crate) fn line(&self) -> u32 {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(1, |token| token.line)
    }

    pub(crate) fn next(&mut self) -> &'a str {
        let text = self.peek();
        self.at += 1;
        text
    }

    /// Consumes the next token if it equals `text`. Returns whether it did.
    pub(crate) fn takes(&mut self, text: &str) -> bool {
        let is_it = self.peek() == text;
        self.at += usize::from(is_it);
        is_it
    }

    pub(crate) fn expect(&mut self, text: &str) -> Result<(), Mistake> {
        if self.takes(text) { Ok(()) } else { Err(self.mistake(format!("expected `{text}`, not `{}`", self.peek()))) }
    }

    pub(crate) fn mistake(&self, why: impl Into<String>) -> Mistake {
        (self.line(), why.into())
    }

    pub(crate) fn number(&mut self) -> Result<u64, Mistake> {
        let minus = self.takes("-");
        let value = number(self.peek()).ok_or_else(|| self.mistake("expected a number"))?;
        self.at += 1;
        Ok(if minus { value.wrapping_neg() } else { value })
    }

    /// Skips the remaining tokens of the current line.
    fn skip_line(&mut self) {
        let line = self.line();
        while self.at < self.tokens.len() && self.line() == line {
            self.at += 1;
        }
    }
}

/// A declared variable.
pub(crate) struct Variable<'a> {
    pub(crate) name: &'a str,
    pub(crate) bytes: u64,
    pub(crate) alignment: u64,
    /// Whether the size of the variable is set by the launch.
    pub(crate) is_open: bool,
    image: Vec<u8>,
}

/// Reads the declaration of a variable. The state space has already been read.
pub(crate) fn variable<'a>(reader: &mut Reader<'a>) -> Result<Variable<'a>, Mistake> {
    let mut alignment = 0;
    let ty = loop {
        let word = reader.next();
        match word {
            ".align" => alignment = reader.number()?,
            ".ptr" | ".global" | ".const" | ".shared" | ".local" | ".noalias" | ".restrict" => {}
            _ => match word.strip_prefix('.').and_then(Type::named) {
                Some(ty) => break ty,
                None => return Err(reader.mistake(format!("unknown type `{word}` of a variable"))),
            },
        }
    };
    while matches!(reader.peek(), ".ptr" | ".align" | ".global" | ".const" | ".shared") {
        if reader.next() == ".align" {
            reader.number()?;
        }
    }
    let name = reader.next();
    let (mut count, mut is_open) = (1, false);
    while reader.takes("[") {
        match reader.takes("]") {
            true => is_open = true,
            false => {
                count *= reader.number()?;
                reader.expect("]")?;
            }
        }
    }
    let mut image = Vec::new();
    if reader.takes("=") {
        initial(reader, ty.bytes() as usize, &mut image)?;
    }
    let bytes = if is_open { 0 } else { ty.bytes() * count };
    Ok(Variable { name, bytes, alignment: alignment.max(ty.bytes()), is_open, image })
}

fn initial(reader: &mut Reader<'_>, bytes: usize, image: &mut Vec<u8>) -> Result<(), Mistake> {
    if reader.takes("{") {
        while !reader.takes("}") {
            initial(reader, bytes, image)?;
            reader.takes(",");
        }
    } else {
        image.extend_from_slice(&reader.number()?.to_le_bytes()[..bytes]);
    }
    Ok(())
}

/// Translates a module.
pub(crate) fn load(text: &str) -> Result<Program, Mistake> {
    let mut reader = Reader { tokens: tokens(text), at: 0 };
    let mut program = Program { text: text.into(), ..Program::default() };
    let mut module = Module::default();
    let mut entries = Vec::new();
    while reader.at < reader.tokens.len() {
        match reader.next() {
            ".version" | ".address_size" | ".target" => {
                reader.at -= 1;
                reader.skip_line();
            }
            ".visible" | ".extern" | ".weak" | ".common" => {}
            ".global" | ".const" => {
                let variable = variable(&mut reader)?;
                reader.expect(";")?;
                let offset = program.globals.next_multiple_of(variable.alignment);
                program.globals = offset + variable.bytes;
                if !variable.image.is_empty() {
                    program.image.push((offset, variable.image));
                }
                module.symbols.insert(variable.name, Symbol { place: Place::Variable, offset });
            }
            ".shared" => {
                let variable = variable(&mut reader)?;
                reader.expect(";")?;
                module.shared(&variable);
            }
            // Functions are read before entry points, because callers need the columns of the functions they call.
            ".entry" => {
                entries.push(reader.at);
                skip(&mut reader);
            }
            ".func" => function(&mut reader, &mut program, &mut module)?,
            other => {
                reader.at -= 1;
                return Err(reader.mistake(format!("unknown directive `{other}`")));
            }
        }
    }
    for at in entries {
        reader.at = at;
        entry(&mut reader, &mut program, &mut module)?;
    }
    for (instruction, name, line) in &module.calls {
        let found = module.functions.get(name).filter(|function| function.entry != UNDEFINED);
        let function = found.ok_or_else(|| (*line, format!("unknown function `{name}`")))?;
        program.code[*instruction].action = Action::Call(function.entry);
    }
    Ok(program)
}

/// Entry of a function that is declared but not defined.
const UNDEFINED: u32 = u32::MAX;

/// Skips the parameters and the body of an entry point.
fn skip(reader: &mut Reader<'_>) {
    directives(reader);
    let mut depth = 0;
    loop {
        match reader.next() {
            "{" => depth += 1,
            "}" if depth == 1 => return,
            "}" => depth -= 1,
            "" => return,
            _ => {}
        }
    }
}

/// State shared by the functions of a module.
#[derive(Default)]
pub(crate) struct Module<'a> {
    pub(crate) symbols: HashMap<&'a str, Symbol>,
    /// Bytes of shared memory that the module declares.
    pub(crate) shared: u64,
    /// Functions by name.
    pub(crate) functions: HashMap<&'a str, Function>,
    /// Calls to be resolved: index of the instruction, name of the function, and line.
    pub(crate) calls: Vec<(usize, &'a str, u32)>,
    /// Number of columns used by functions.
    pub(crate) columns: u32,
    pub(crate) predicates: u32,
    /// Bytes of each thread's local memory used by functions.
    pub(crate) local: u64,
    /// Columns with special values that functions use, set when a block begins.
    pub(crate) specials: Vec<(Special, u32)>,
}

/// A function called by other functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) entry: u32,
    pub(crate) has_result: bool,
    /// Offset and size in local memory of the result, if any, and of each parameter.
    pub(crate) places: Vec<(u64, u64)>,
}

impl<'a> Module<'a> {
    fn shared(&mut self, variable: &Variable<'a>) {
        let symbol = match variable.is_open {
            true => Symbol { place: Place::DynamicShared, offset: 0 },
            false => {
                let offset = self.shared.next_multiple_of(variable.alignment);
                self.shared = offset + variable.bytes;
                Symbol { place: Place::Shared, offset }
            }
        };
        self.symbols.insert(variable.name, symbol);
    }
}

/// Skips the directives after a function's parameters.
fn directives(reader: &mut Reader<'_>) {
    while !matches!(reader.peek(), "{" | ";" | "") {
        reader.next();
    }
}

fn entry<'a>(reader: &mut Reader<'a>, program: &mut Program, module: &mut Module<'a>) -> Result<(), Mistake> {
    let name = reader.next();
    let mut body = Body::new(module);
    let mut parameters = Vec::new();
    let mut offset = 0;
    if reader.takes("(") {
        while !reader.takes(")") {
            reader.expect(".param")?;
            let variable = variable(reader)?;
            offset = u64::next_multiple_of(offset, variable.alignment);
            body.symbols.insert(variable.name, Symbol { place: Place::Parameter, offset });
            parameters.push(Parameter { offset: offset as usize, bytes: variable.bytes as usize });
            offset += variable.bytes;
            reader.takes(",");
        }
    }
    directives(reader);
    let entry = program.code.len() as u32;
    body.read(reader, program, module)?;
    let kernel = Kernel {
        name: name.to_owned(),
        parameters,
        entry,
        columns: body.columns as usize,
        predicates: body.predicates as usize,
        shared: body.shared.max(module.shared),
        local: body.local,
        specials: body.specials,
    };
    program.kernels.insert(name.to_owned(), Arc::new(kernel));
    Ok(())
}

fn function<'a>(reader: &mut Reader<'a>, program: &mut Program, module: &mut Module<'a>) -> Result<(), Mistake> {
    let mut body = Body::new(module);
    body.is_function = true;
    let mut variables = Vec::new();
    let has_result = reader.takes("(");
    if has_result {
        reader.expect(".param")?;
        variables.push(variable(reader)?);
        reader.expect(")")?;
    }
    let name = reader.next();
    if reader.takes("(") {
        while !reader.takes(")") {
            reader.expect(".param")?;
            variables.push(variable(reader)?);
            reader.takes(",");
        }
    }
    directives(reader);
    // If a declaration preceded the definition, the parameters keep their offsets.
    let mut places = match module.functions.get(name) {
        Some(declared) => declared.places.clone(),
        None => variables.iter().map(|variable| body.add_local(variable)).collect(),
    };
    for (variable, &(offset, _)) in variables.iter().zip(&places) {
        body.symbols.insert(variable.name, Symbol { place: Place::Local, offset });
    }
    module.local = body.local;
    let is_defined = !reader.takes(";");
    let entry = if is_defined { program.code.len() as u32 } else { UNDEFINED };
    module.functions.insert(name, Function { entry, has_result, places: std::mem::take(&mut places) });
    if is_defined {
        body.read(reader, program, module)?;
        (module.columns, module.predicates, module.local) = (body.columns, body.predicates, body.local);
        module.specials = body.specials;
    }
    Ok(())
}
