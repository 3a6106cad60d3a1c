//! Follows values that may be `UNREACHED` into the functions that a body calls.

use super::state::{Hazard, HazardOrigin, Holder, UnreachedState};
use super::{BodyWalk, Image};
use crate::ir::print::Printer;
use crate::ir::{Expr, FunctionId};

/// An operation of a function that requires a value of a parameter.
#[derive(Debug)]
pub(super) struct ArgumentUse {
    /// The number of the parameter.
    argument: usize,
    /// The operation, as in "`+` in `next`".
    symbol: String,
    /// Whether each call evaluates the operation.
    is_certain: bool,
}

impl<'a> BodyWalk<'a> {
    /// Walks a function with the hazards of its arguments. Returns the hazard of its value.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &'a [Expr],
        given: &[Option<Hazard>],
    ) -> Option<Hazard> {
        let kernel = self.kernel;
        let called = &kernel.functions[function];
        let mut state = UnreachedState::default();
        for (number, (&local, hazard)) in called.arguments.iter().zip(given).enumerate() {
            let hazard = hazard.clone().map(|hazard| Hazard {
                holder: Some(Holder::Local(local)),
                origin: HazardOrigin::Argument(number),
                ..hazard
            });
            state.assign(local, hazard);
        }
        if given.iter().all(Option::is_none) {
            return None;
        }
        let printer = Printer::function(kernel, called);
        let mut walk = BodyWalk::new(kernel, &called.body, &called.locals, printer, self.errors);
        walk.block(&called.body, Some(state));
        let BodyWalk { uses, returned, .. } = walk;
        for ArgumentUse { argument, symbol, is_certain } in uses {
            let (Some(operand), Some(Some(hazard))) = (arguments.get(argument), given.get(argument)) else { continue };
            let symbol = if symbol.contains(' ') { symbol } else { format!("{symbol}` in `{}", called.name) };
            match hazard.origin {
                // What a function evaluates in some calls only is left to the checks of its own operations.
                HazardOrigin::Source { .. } if !is_certain => {}
                HazardOrigin::Argument(outer) => self.use_parameter(outer, symbol, is_certain),
                _ => self.meets(operand.span, operand, hazard, &symbol, None),
            }
        }
        let returned = returned?;
        let HazardOrigin::Argument(argument) = returned.origin else { return None };
        let origin = match given.get(argument)?.as_ref()?.origin {
            HazardOrigin::Source { attribute, .. } => {
                let exact = called.result.scalar().and_then(Image::of) == Some(returned.image);
                HazardOrigin::Source { attribute, exact, cast: false }
            }
            origin => origin,
        };
        Some(Hazard { holder: None, image: returned.image, origin })
    }

    /// Records an operation of this function on a parameter.
    pub(super) fn use_argument(&mut self, argument: usize, symbol: &str) {
        self.use_parameter(argument, symbol.to_owned(), true);
    }

    fn use_parameter(&mut self, argument: usize, symbol: String, is_certain: bool) {
        let is_certain = is_certain && self.depth == 0 && !self.may_have_left;
        match self.uses.iter_mut().find(|used| used.argument == argument) {
            Some(known) => known.is_certain |= is_certain,
            None => self.uses.push(ArgumentUse { argument, symbol, is_certain }),
        }
    }
}
