//! Follows values that may be `UNREACHED` into the functions that a body calls.

use super::state::{ArgumentSet, Hazard, HazardOrigin, Holder, UnreachedState};
use super::{BodyWalk, Image};
use crate::ir::print::Printer;
use crate::ir::{Expr, FunctionId};

/// An operation in a function that requires a parameter not to be `UNREACHED`.
#[derive(Debug)]
pub(super) struct ArgumentUse {
    /// The parameters from which the operand may come.
    arguments: ArgumentSet,
    /// The symbol of the operation. For an operation in an inner function, the symbol and that function's name.
    symbol: String,
    /// Whether every call of the function evaluates the operation.
    is_certain: bool,
}

impl<'a> BodyWalk<'a> {
    /// Walks a called function with the hazards of its arguments. Returns the hazard of the function's result.
    pub(super) fn call(
        &mut self,
        function: FunctionId,
        arguments: &'a [Expr],
        given: &[Option<Hazard>],
    ) -> Option<Hazard> {
        if given.iter().all(Option::is_none) {
            return None;
        }
        let kernel = self.kernel;
        let called = &kernel.functions[function];
        let mut state = UnreachedState::default();
        for (number, (&local, hazard)) in called.arguments.iter().zip(given).enumerate() {
            let hazard = hazard.clone().map(|hazard| Hazard {
                holder: Some(Holder::Local(local)),
                origin: HazardOrigin::Argument(ArgumentSet::of(number)),
                ..hazard
            });
            state.assign(local, hazard);
        }
        let printer = Printer::function(kernel, called);
        let mut walk = BodyWalk::new(kernel, &called.body, &called.locals, printer, self.errors);
        walk.block(&called.body, Some(state));
        let BodyWalk { uses, returned, .. } = walk;
        for ArgumentUse { arguments: used, symbol, is_certain } in uses {
            let symbol = if symbol.contains(' ') { symbol } else { format!("{symbol}` in `{}", called.name) };
            for (operand, hazard) in hazards(arguments, given, used) {
                match hazard.origin {
                    // If only some calls evaluate the operation, the function's own checks must suffice.
                    HazardOrigin::Source { .. } if !is_certain => {}
                    HazardOrigin::Argument(outer) => self.use_parameters(outer, symbol.clone(), is_certain),
                    _ => self.meets(operand.span, operand, hazard, &symbol, None),
                }
            }
        }
        let returned = returned?;
        let HazardOrigin::Argument(used) = returned.origin else { return None };
        let origins = hazards(arguments, given, used).map(|(_, hazard)| hazard.origin);
        let origin = match origins.reduce(HazardOrigin::or)? {
            HazardOrigin::Source { attribute, .. } => {
                let exact = called.result.scalar().and_then(Image::of) == Some(returned.image);
                HazardOrigin::Source { attribute, exact, cast: false }
            }
            origin => origin,
        };
        Some(Hazard { holder: None, image: returned.image, origin })
    }

    /// Records an operation in this function on a parameter.
    pub(super) fn use_arguments(&mut self, arguments: ArgumentSet, symbol: &str) {
        self.use_parameters(arguments, symbol.to_owned(), true);
    }

    fn use_parameters(&mut self, arguments: ArgumentSet, symbol: String, is_certain: bool) {
        let is_certain = is_certain && self.depth == 0 && !self.may_have_left;
        match self.uses.iter_mut().find(|used| used.arguments == arguments) {
            Some(known) => known.is_certain |= is_certain,
            None => self.uses.push(ArgumentUse { arguments, symbol, is_certain }),
        }
    }
}

/// Returns the arguments of a call whose parameters are in a set, with their hazards.
fn hazards<'b>(
    arguments: &'b [Expr],
    given: &'b [Option<Hazard>],
    used: ArgumentSet,
) -> impl Iterator<Item = (&'b Expr, &'b Hazard)> {
    let numbered = arguments.iter().zip(given).enumerate();
    numbered.filter_map(move |(number, (operand, hazard))| {
        Some((operand, hazard.as_ref().filter(|_| used.contains(number))?))
    })
}
