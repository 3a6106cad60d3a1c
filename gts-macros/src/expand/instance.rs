//! Builds a kernel for one choice of its struct's type.

use crate::analyse::{self, BodyOutline};
use crate::check;
use crate::emit::{self, native::Instance};
use crate::errors::Errors;
use crate::infer::{self, Names, Program};
use crate::ir::{
    Attributes, Class, Dependence, Kernel, ScalarType, Span, SpannedErrorSite, SpannedFacts, SpannedLimit, StepLoop,
};
use crate::parse::attributes::AttributeStruct;
use crate::parse::handover::{CollectionState, PayloadKind};
use crate::parse::kernel::{KernelItem, TypeArgument};
use gts_contract::language::Code;
use syn::ItemStruct;

impl KernelItem {
    /// Returns the kernel's name for the struct's type parameter.
    pub(crate) fn generic(&self) -> Option<&proc_macro2::Ident> {
        match &self.argument {
            TypeArgument::Parameter(name) => Some(name),
            _ => None,
        }
    }
}

/// The items handed over to a kernel, for one choice of its struct's type.
#[derive(Clone)]
pub(super) struct HandedItems {
    pub(super) attributes: Attributes,
    pub(super) names: Names,
    pub(super) program: Program,
    /// The places where helpers can report errors.
    pub(super) sites: Vec<SpannedErrorSite>,
}

/// Returns the kernel for each choice of its struct's type. `None` if `errors` contains errors, or if an item handed
/// over has errors, which its own macro reports.
pub(super) fn instances<T>(
    item: &KernelItem,
    state: &CollectionState,
    errors: &Errors,
    lower: impl Fn(&KernelItem, &HandedItems, &Errors) -> Option<T>,
) -> Option<Vec<T>> {
    let structure = structure(item, state, errors)?;
    let choices: Vec<Option<ScalarType>> = match &item.argument {
        TypeArgument::Fixed(scalar) => vec![Some(*scalar)],
        _ => structure.instances(),
    };
    let mut instances = Vec::new();
    for choice in choices {
        instances.extend(handed(&structure, choice, state).and_then(|handed| lower(item, &handed, errors)));
    }
    errors.is_empty().then_some(instances)
}

/// Returns the attribute struct, if it is one without errors.
fn structure(item: &KernelItem, state: &CollectionState, errors: &Errors) -> Option<AttributeStruct> {
    let (_, payload) = state.found.first()?;
    if payload.kind != PayloadKind::Attributes {
        errors.at(
            Code::NoAttributeStruct,
            Span::of(&item.structure),
            "this is no attribute struct",
            "the first parameter is a struct with `#[gts_attributes]`",
        );
        return None;
    }
    let parsed: ItemStruct = syn::parse2(payload.item.clone()).ok()?;
    let others = Errors::new();
    let structure = AttributeStruct::parse(payload.arguments.clone(), &parsed, &others);
    for choice in structure.instances() {
        structure.resolve(choice, &others);
    }
    others.finish().ok()?;
    let (name, place) = (&structure.name, Span::of(&item.structure));
    match (&structure.parameter, &item.argument) {
        (Some(parameter), TypeArgument::None) => {
            errors.at(
                Code::TypeOfStruct,
                place,
                format!("`{name}` has a type parameter"),
                format!("write `fn {}<{parameter}>(a: &mut {name}<{parameter}>, ..)`", item.name),
            );
            None
        }
        (None, TypeArgument::Parameter(_) | TypeArgument::Fixed(_)) => {
            errors.at(
                Code::TypeOfStruct,
                place,
                format!("`{name}` has no type parameter"),
                format!("write `&mut {name}`"),
            );
            None
        }
        (Some(_), TypeArgument::Fixed(scalar)) if !structure.choices.contains(scalar) => {
            let listed: Vec<&str> = structure.choices.iter().map(|choice| choice.name()).collect();
            errors.at(
                Code::TypeOfStruct,
                place,
                format!("`{name}` does not list {scalar}"),
                format!("write one of its types: {}", listed.join(", ")),
            );
            None
        }
        _ => Some(structure),
    }
}

fn handed(structure: &AttributeStruct, choice: Option<ScalarType>, state: &CollectionState) -> Option<HandedItems> {
    let others = Errors::new();
    let mut attributes = structure.resolve(choice, &others);
    // The struct's own macro recorded its place; tokens handed over may have another.
    attributes.location = state.found.first()?.1.location.clone();
    let mut sites = Vec::new();
    let mut program = Program::default();
    let names = program.add(&state.found, &mut sites, &others);
    others.finish().ok()?;
    Some(HandedItems { attributes, names, program, sites })
}

/// Returns a kernel with its items. `change` may modify the kernel before it is emitted.
pub(super) fn instance(
    item: &KernelItem,
    handed: &HandedItems,
    change: &mut dyn FnMut(&mut Kernel),
    errors: &Errors,
) -> Option<Instance> {
    let HandedItems { attributes, names, program, mut sites } = handed.clone();
    let generic = item.generic().zip(attributes.parameter);
    let before = errors.count();
    let lowered = infer::kernel(item, &attributes, generic, &names, &program, &mut sites, errors);
    let mut kernel = Kernel {
        name: item.name.clone(),
        function: item.function.clone(),
        kind: item.kind,
        direction: item.direction,
        technique: item.technique,
        racy: item.racy,
        ordered: item.ordered,
        attributes,
        receiver: item.receiver.clone(),
        locals: lowered.locals,
        functions: program.functions,
        constants: program.constants,
        source_filter: None,
        captures: Vec::new(),
        body: lowered.body,
        error_sites: sites,
        facts: unknown(),
        span: Span::from(&item.name),
    };
    check::order::check(&kernel.body, errors);
    check::access::check(&kernel, errors);
    let required = if errors.count() == before { check::unreached::check(&kernel, errors) } else { Vec::new() };
    if errors.count() > before {
        return None;
    }
    analyse::range::prune_anywhere(&mut kernel);
    let written = kernel.clone();
    let outline = BodyOutline::of(&written);
    check::unreached::require(&mut kernel, &required);
    analyse::hoist::hoist(&mut kernel);
    let (facts, race) = analyse::facts(&written, &kernel, outline);
    if let Some(race) = race {
        super::race::report(item, &written, race, errors);
        return None;
    }
    kernel.facts = facts;
    change(&mut kernel);
    analyse::range::prune_in_place(&mut kernel);
    analyse::numbers::mark(&mut kernel);
    kernel.order_sites();
    kernel.facts.sums = analyse::sums::sums(&kernel);
    let cuda = emit::cuda::kernel(&kernel);
    Some(Instance { kernel, cuda })
}

/// Returns the facts of a kernel that was not analysed yet.
fn unknown() -> SpannedFacts {
    SpannedFacts {
        uses: Vec::new(),
        degrees: Vec::new(),
        class: Class::Racy,
        steady: Vec::new(),
        sums: Vec::new(),
        replicable: SpannedLimit::Yes,
        splittable: SpannedLimit::Yes,
        target_guard: None,
        target_guard_falls: false,
        merged: Dependence::Nothing,
        idempotent: false,
        activates: Vec::new(),
        changes_activated: false,
        approximate: false,
        reads_edge: false,
        reads_position: false,
        tallied: None,
        gathered: Vec::new(),
        receives: false,
        target_condition: None,
        step_loop: StepLoop::No,
    }
}
