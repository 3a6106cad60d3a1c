//! Splits a gather kernel into kernels of other kinds, over its struct with one more attribute.
//!
//! The reduction is a scan that merges into an accumulator at the page's own vertex. The block is a vertex kernel that
//! reads the accumulator. So a gather runs wherever these two run. `argmin` and `argmax` take two scans: the first
//! finds the best key, the second the smallest neighbour that has this key.

use super::instance::{self, HandedItems};
use super::statements;
use crate::check::{language, names};
use crate::emit::native::{EmittedReduction, Gathering};
use crate::errors::Errors;
use crate::infer;
use crate::ir::{
    Attribute, AttributeKind, Attributes, Direction, ErrorWhat, Expr, ExprKind, Init, Kernel, KernelKind, Merge, Role,
    ScalarType, Span as Place, SpannedLimit, StmtKind, Type, UpdateOp,
};
use crate::parse::gather::{GatherBody, Reducer};
use crate::parse::init;
use crate::parse::kernel::KernelItem;
use crate::words;
use gts_contract::language::{Code, LanguageKind};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::{Path, Stmt};

/// Returns whether the arguments of `#[gts_kernel]` declare a gather kernel.
pub(super) fn is_meant(arguments: &TokenStream) -> bool {
    arguments.clone().into_iter().any(|token| token.to_string() == "gather")
}

/// Checks the syntax before anything is handed over. Returns the helpers and constants that the kernel requires.
pub(super) fn first_look(item: &KernelItem, errors: &Errors) -> Vec<Path> {
    let before = errors.count();
    let Some(body) = GatherBody::parse(item, errors).filter(|_| errors.count() == before) else { return Vec::new() };
    let pieces = Pieces::of(item, &body);
    let mut wanted: Vec<Path> = Vec::new();
    for piece in [pieces.edges(KernelKind::Scan, pieces.probe(false)), pieces.block(pieces.bound())] {
        language::check(&piece.body, errors);
        let parameters = piece.parameters.iter().map(|(name, _)| name.clone());
        let bound: Vec<Ident> = std::iter::once(item.receiver.clone()).chain(parameters).collect();
        for path in names::wanted(&piece.body, &bound, item.generic(), errors) {
            if !wanted.iter().any(|known| names::text(known) == names::text(&path)) {
                wanted.push(path);
            }
        }
    }
    wanted
}

/// Returns the parts of a gather kernel, for one choice of its struct's type.
pub(super) fn gathering(item: &KernelItem, handed: &HandedItems, errors: &Errors) -> Option<Gathering> {
    let body = GatherBody::parse(item, errors)?;
    let pieces = Pieces::of(item, &body);
    let mut attributes = handed.attributes.clone();
    let (value, is_small) = pieces.value_type(handed, errors)?;
    let reducer = body.reducer;
    if let Some(help) = unsuited(reducer, value) {
        errors.at(
            Code::ReductionType,
            body.span,
            format!("`{}` does not reduce values of type {value}", reducer.name()),
            help,
        );
        return None;
    }
    let named = |base: &str, attributes: &Attributes| {
        let mut name = base.to_owned();
        while attributes.attributes.iter().any(|attribute| attribute.name == name.as_str()) {
            name.push('_');
        }
        Ident::new(&name, body.span.start)
    };
    let own = attributes.attributes.len();
    let best = matches!(reducer, Reducer::ArgMin | Reducer::ArgMax).then(|| {
        let name = named("best", &attributes);
        attributes.attributes.push(accumulator(
            &name,
            value,
            if reducer == Reducer::ArgMin { Merge::Min } else { Merge::Max },
        ));
        name
    });
    let exact = ExactSum::of(value).filter(|_| reducer == Reducer::Sum && !is_small);
    let (scalar, merge) = reduced(reducer, value, exact);
    let gathered = named("gathered", &attributes);
    let length = exact.and_then(ExactSum::length);
    attributes.attributes.push(Attribute { length, ..accumulator(&gathered, scalar, merge) });
    let handed = HandedItems { attributes, ..handed.clone() };
    let mut reductions = Vec::new();
    let steps = match &best {
        Some(best) => vec![
            (own, pieces.named("key"), pieces.better(best)),
            (own + 1, item.name.clone(), pieces.best(best, &gathered)),
        ],
        None => vec![(own, item.name.clone(), pieces.reduce(&gathered, exact))],
    };
    for (accumulator, name, statements) in steps {
        let lower = |kind| {
            let piece = KernelItem { name: name.clone(), ..pieces.edges(kind, statements.clone()) };
            instance::instance(&piece, &handed, &mut |kernel| tallies(reducer, accumulator, kernel), errors)
        };
        let (every, active) = (lower(KernelKind::Scan)?, lower(KernelKind::Traverse)?);
        if every.kernel.facts.reads_position {
            let help = "write a `scan` kernel that merges at its `src`";
            errors.at(Code::EdgePosition, body.span, "a reduction does not know the places of edges", help);
        }
        reductions.push(EmittedReduction { accumulator, reducer, every, active });
    }
    let block = pieces.block(pieces.taken(&gathered, exact));
    let block = instance::instance(
        &block,
        &handed,
        &mut |kernel| {
            if exact.is_some() {
                overflows(kernel)
            }
        },
        errors,
    )?;
    Some(Gathering { attributes: handed.attributes, reductions, block })
}

/// The accumulator of an integer sum. It holds any sum over a neighbour list, which has fewer than 2^32 entries.
#[derive(Clone, Copy)]
enum ExactSum {
    /// One 64-bit sum, for integers of at most 32 bits.
    Wide(ScalarType),
    /// Two sums, for 64-bit integers: one of the low halves and one of the high halves.
    Halves(ScalarType),
}

impl ExactSum {
    /// Returns the accumulator for values of a type; `None` if the values are not integers.
    fn of(value: ScalarType) -> Option<Self> {
        match value {
            ScalarType::U64 | ScalarType::I64 => Some(Self::Halves(value)),
            _ if value.is_integer() => Some(Self::Wide(value)),
            _ => None,
        }
    }

    /// Returns the type of the accumulator's elements.
    fn scalar(self) -> ScalarType {
        let (Self::Wide(value) | Self::Halves(value)) = self;
        if value.is_signed() { ScalarType::I64 } else { ScalarType::U64 }
    }

    /// Returns the length of the accumulator; `None` if the accumulator is not an array.
    fn length(self) -> Option<u32> {
        matches!(self, Self::Halves(_)).then_some(2)
    }
}

/// Returns the type and the merge of a reducer's accumulator. `value` is the type of the reduced values.
fn reduced(reducer: Reducer, value: ScalarType, exact: Option<ExactSum>) -> (ScalarType, Merge) {
    match reducer {
        Reducer::Sum => (exact.map_or(value, ExactSum::scalar), Merge::Sum),
        Reducer::Min => (value, Merge::Min),
        Reducer::Max => (value, Merge::Max),
        Reducer::Or => (value, Merge::Or),
        Reducer::And => (value, Merge::And),
        Reducer::Any => (ScalarType::Bool, Merge::Or),
        Reducer::All => (ScalarType::Bool, Merge::And),
        Reducer::Count => (ScalarType::U64, Merge::Sum),
        Reducer::ArgMin | Reducer::ArgMax => (ScalarType::VertexId, Merge::Min),
        Reducer::Mode => (value, Merge::Any),
    }
}

/// Changes the kernel's first assertion to report an overflow. This assertion checks that the sum fits its type.
fn overflows(kernel: &mut Kernel) {
    let mut first = None;
    kernel.body.walk(&mut |statement| {
        if let StmtKind::Assert { site, .. } = statement.kind {
            first = first.or(Some(site));
        }
    });
    if let Some(site) = first {
        kernel.error_sites[site].what = ErrorWhat::AdditionOverflow;
    }
}

/// Returns an attribute for internal use. It begins each pass with the identity of its merge.
fn accumulator(name: &Ident, scalar: ScalarType, merge: Merge) -> Attribute {
    let kind = AttributeKind::Wa { init: Init { bits: init::identity(scalar, merge) }, merge };
    // A minimum over no neighbours is `UNREACHED`.
    let unreached = merge == Merge::Min || merge == Merge::Any;
    Attribute { name: name.clone(), scalar, length: None, kind, unreached, wraps: true, doc: String::new() }
}

/// Returns the fix to suggest if a reducer does not support values of a type.
fn unsuited(reducer: Reducer, value: ScalarType) -> Option<&'static str> {
    if words::row(LanguageKind::Reduction, reducer.name()).operands.met(value) {
        return None;
    }
    Some(match reducer {
        Reducer::Any | Reducer::All | Reducer::Count => "write a condition",
        Reducer::Or | Reducer::And => "combine the bits of integers; `any` and `all` take conditions",
        Reducer::Sum => "sum numbers; `count` counts the neighbours for which a condition holds",
        Reducer::Min | Reducer::ArgMin => "compare numbers",
        Reducer::Max | Reducer::ArgMax => "compare numbers: cast a `VertexId` by `as u64`",
        Reducer::Mode => "tell values apart as u32, u64, i32, i64 or VertexId",
    })
}

/// Makes a kernel for `mode` tally values instead of storing them.
fn tallies(reducer: Reducer, accumulator: usize, kernel: &mut Kernel) {
    if reducer != Reducer::Mode {
        return;
    }
    let why = "values of one vertex are counted on one device".to_owned();
    kernel.facts.tallied = Some(accumulator);
    kernel.facts.replicable = SpannedLimit::No { why, location: kernel.span };
    kernel.body.statements_mut(&mut |statement| {
        if let StmtKind::Expr(expr) = &mut statement.kind
            && let ExprKind::Update(update) = &mut expr.kind
            && update.element.attribute == accumulator
        {
            update.op = UpdateOp::Tally;
        }
    });
}

/// Builds the statements of a gather kernel's parts.
struct Pieces<'a> {
    item: &'a KernelItem,
    body: &'a GatherBody,
    /// The names of the attributes, the vertex, and a neighbour's value.
    receiver: &'a Ident,
    vertex: &'a Ident,
    value: Ident,
    span: Span,
}

impl<'a> Pieces<'a> {
    fn of(item: &'a KernelItem, body: &'a GatherBody) -> Self {
        let vertex = &item.parameters[0].0;
        let mut name = "value".to_owned();
        while [&item.receiver, vertex, &body.neighbour].iter().any(|other| *other == name.as_str()) {
            name.push('_');
        }
        let value = Ident::new(&name, body.span.start);
        Self { item, body, receiver: &item.receiver, vertex, value, span: body.span.start }
    }

    /// Returns the name of a kernel that is a part of this one.
    fn named(&self, part: &str) -> Ident {
        Ident::new(&format!("{}_{part}", self.item.name).replace("r#", ""), self.item.name.span())
    }

    /// Computes a neighbour's value, and runs `rest` with it if the filter is true.
    fn filtered(&self, rest: TokenStream) -> Vec<Stmt> {
        let (value, body) = (&self.value, &self.body.value);
        let annotation = match (self.body.reducer, &self.body.annotation) {
            (reducer, _) if reducer.asks() => Some(quote_spanned!(self.span=> : bool)),
            (Reducer::ArgMin | Reducer::ArgMax, _) | (_, None) => None,
            (_, Some(ty)) => Some(quote_spanned!(self.span=> : #ty)),
        };
        let taken = quote_spanned!(self.span=> let #value #annotation = #body; #rest);
        statements(match &self.body.filter {
            Some(filter) => quote_spanned!(self.span=> if #filter { #taken }),
            None => taken,
        })
    }

    fn reduce(&self, gathered: &Ident, exact: Option<ExactSum>) -> Vec<Stmt> {
        let Self { receiver, vertex, value, span, .. } = self;
        let place = quote_spanned!(*span=> #receiver.#gathered[#vertex]);
        self.filtered(match self.body.reducer {
            Reducer::Sum => match exact {
                None => quote_spanned!(*span=> #place += #value;),
                Some(exact @ ExactSum::Wide(of)) => {
                    // The cast alone would leave the type of a literal open.
                    let [term, of, wide] =
                        ["gts_term", of.name(), exact.scalar().name()].map(|name| Ident::new(name, *span));
                    quote_spanned!(*span=> let #term: #of = #value; #place += #term as #wide;)
                }
                Some(ExactSum::Halves(_)) => quote_spanned! {*span=>
                    #place[0] += #value & 0xffff_ffff;
                    #place[1] += #value >> 32;
                },
            },
            Reducer::Max => quote_spanned!(*span=> #place.fetch_max(#value);),
            Reducer::Or | Reducer::Any => quote_spanned!(*span=> #place |= #value;),
            Reducer::And | Reducer::All => quote_spanned!(*span=> #place &= #value;),
            Reducer::Count => quote_spanned!(*span=> if #value { #place += 1; }),
            Reducer::Mode => quote_spanned!(*span=> #place.swap(#value);),
            Reducer::Min | Reducer::ArgMin | Reducer::ArgMax => quote_spanned!(*span=> #place.fetch_min(#value);),
        })
    }

    /// Finds the best key.
    fn better(&self, best: &Ident) -> Vec<Stmt> {
        let Self { receiver, vertex, value, span, .. } = self;
        let update = if self.body.reducer == Reducer::ArgMin { "fetch_min" } else { "fetch_max" };
        let update = Ident::new(update, *span);
        self.filtered(quote_spanned!(*span=> #receiver.#best[#vertex].#update(#value);))
    }

    /// Finds the smallest neighbour that has the best key.
    fn best(&self, best: &Ident, gathered: &Ident) -> Vec<Stmt> {
        let Self { receiver, vertex, value, span, body, .. } = self;
        let neighbour = &body.neighbour;
        self.filtered(quote_spanned! {*span=>
            if #value == #receiver.#best[#vertex] {
                #receiver.#gathered[#vertex].fetch_min(#neighbour.id());
            }
        })
    }

    /// Returns the reduction for type inference, optionally followed by the block.
    fn probe(&self, with_block: bool) -> Vec<Stmt> {
        let (value, result, neighbour) = (&self.value, &self.body.result, &self.body.neighbour);
        if !with_block {
            return self.filtered(TokenStream::new());
        }
        let body = &self.body.value;
        let annotation = self.body.annotation.as_ref().map(|ty| quote_spanned!(self.span=> : #ty));
        let probed = Ident::new(PROBED, self.span);
        let tokens = match self.body.reducer {
            reducer if reducer.asks() => {
                let plain = if reducer == Reducer::Count {
                    quote_spanned!(self.span=> 0u64)
                } else {
                    quote_spanned!(self.span=> #probed)
                };
                quote_spanned!(self.span=> let #probed: bool = #body; let #result #annotation = #plain;)
            }
            Reducer::ArgMin | Reducer::ArgMax => {
                quote_spanned!(self.span=> let #probed = #body; let #result #annotation = #neighbour.id();)
            }
            _ => quote_spanned!(self.span=> let #result #annotation = #body;),
        };
        let filter = self.body.filter.as_ref().map(|filter| quote_spanned!(self.span=> let #value: bool = #filter;));
        let mut all = statements(quote_spanned!(self.span=> #filter #tokens));
        all.extend(self.body.after.iter().cloned());
        all
    }

    /// Returns the block after a result with a placeholder value.
    fn bound(&self) -> Vec<Stmt> {
        let result = &self.body.result;
        self.behind(quote_spanned!(result.span()=> let #result = 0;))
    }

    /// Returns the block after the accumulator is read.
    fn taken(&self, gathered: &Ident, exact: Option<ExactSum>) -> Vec<Stmt> {
        let (receiver, vertex, result) = (self.receiver, self.vertex, &self.body.result);
        let annotation = self.body.annotation.as_ref().map(|ty| quote_spanned!(self.span=> : #ty));
        let place = quote_spanned!(self.span=> #receiver.#gathered[#vertex]);
        let Some(exact) = exact else {
            return self.behind(quote_spanned!(result.span()=> let #result #annotation = #place;));
        };
        let assert = Ident::new_raw("assert", self.span);
        let named = |scalar: ScalarType| Ident::new(scalar.name(), self.span);
        // No local of the user's block has such a name.
        let [total, low, high] = ["gts_sum", "gts_low", "gts_high"].map(|name| Ident::new(name, self.span));
        let first = match exact {
            ExactSum::Wide(of) => {
                let (of, wide) = (named(of), named(exact.scalar()));
                quote_spanned! {self.span=>
                    let #total = #place;
                    #assert(#total >= #of::MIN as #wide && #total <= #of::MAX as #wide, #total);
                    let #result #annotation = #total as #of;
                }
            }
            ExactSum::Halves(of) => {
                let (half, of) = (named(if of.is_signed() { ScalarType::I32 } else { ScalarType::U32 }), named(of));
                quote_spanned! {self.span=>
                    let #low = #place[0] as u64;
                    let #high = #place[1].wrapping_add((#low >> 32) as #of);
                    let #total = ((#high as u64) << 32 | #low & 0xffff_ffff) as #of;
                    #assert(#high >= #half::MIN as #of && #high <= #half::MAX as #of, #total);
                    let #result #annotation = #total;
                }
            }
        };
        self.behind(first)
    }

    fn behind(&self, first: TokenStream) -> Vec<Stmt> {
        let mut all = statements(first);
        all.extend(self.body.after.iter().cloned());
        all
    }

    /// Returns a kernel for the edges from the vertex to its neighbours.
    fn edges(&self, kind: KernelKind, rest: Vec<Stmt>) -> KernelItem {
        let mut parameters = vec![(self.vertex.clone(), Role::Src), (self.body.neighbour.clone(), Role::Dst)];
        parameters.extend(self.body.edge.clone().map(|edge| (edge, Role::Edge)));
        KernelItem { kind, parameters, body: self.body.block(self.item, rest), ..self.item.clone() }
    }

    /// Returns a kernel for the vertex.
    fn block(&self, rest: Vec<Stmt>) -> KernelItem {
        let (direction, technique, name) = (Direction::Out, None, self.named("block"));
        KernelItem { name, direction, technique, body: self.body.block(self.item, rest), ..self.item.clone() }
    }

    /// Returns the type of a neighbour's value, and whether its sum over a list surely fits into this type.
    fn value_type(&self, handed: &HandedItems, errors: &Errors) -> Option<(ScalarType, bool)> {
        let before = errors.count();
        let probe = self.edges(KernelKind::Scan, self.probe(true));
        let generic = self.item.generic().zip(handed.attributes.parameter);
        let program = &handed.program;
        let lowered =
            infer::kernel(&probe, &handed.attributes, generic, &handed.names, program, &mut Vec::new(), errors);
        let place = |name: &Ident| Place::from(name.span()).location();
        let result = &self.body.result;
        let is_result = |name: &Ident| name == result && place(name) == place(result);
        let mut locals = lowered.locals.iter();
        let local = match self.body.reducer {
            Reducer::ArgMin | Reducer::ArgMax | Reducer::Any | Reducer::All | Reducer::Count => {
                locals.position(|local| local.name == PROBED)
            }
            _ => locals.position(|local| is_result(&local.name)),
        };
        let mut is_small = false;
        lowered.body.walk(&mut |statement| {
            if let StmtKind::Let { local: bound, init: Some(init) } = &statement.kind {
                is_small |= Some(*bound) == local && widens(init);
            }
        });
        let scalar = local.and_then(|local| match lowered.locals[local].ty {
            Type::Vertex => Some(ScalarType::VertexId),
            ty => ty.scalar(),
        });
        if errors.count() > before {
            return None;
        }
        if scalar.is_none() {
            errors.at(
                Code::ReductionType,
                self.body.span,
                "a reduction is one of plain values",
                "give a number, a bool or a VertexId",
            );
        }
        scalar.map(|scalar| (scalar, is_small))
    }
}

/// Returns whether the value is an integer of at most 32 bits, cast to 64 bits.
fn widens(value: &Expr) -> bool {
    let ExprKind::Cast(inner) = &value.kind else { return false };
    match (inner.ty.scalar(), value.ty.scalar()) {
        (Some(from), Some(ScalarType::U64)) => matches!(from, ScalarType::U8 | ScalarType::U16 | ScalarType::U32),
        (Some(from), Some(ScalarType::I64)) => matches!(from, ScalarType::U8 | ScalarType::U16 | ScalarType::I32),
        _ => false,
    }
}

/// The name of the local whose type is inferred, if it is not the result.
const PROBED: &str = "gts_value";
