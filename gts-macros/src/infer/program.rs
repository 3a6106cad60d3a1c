//! The helper functions and constants of a kernel: those that it names, and those that they name in turn.

use super::Names;
use crate::check::names;
use crate::errors::Errors;
use crate::ir::{CalledFunction, Constant, ConstantId, FunctionId, SpannedErrorSite};
use crate::parse::function::{ConstantItem, FunctionItem};
use crate::parse::handover::{Payload, PayloadKind};
use quote::ToTokens;
use std::collections::HashMap;
use syn::Path;

/// Functions and constants, each after those that it uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Program {
    pub(crate) functions: Vec<CalledFunction>,
    pub(crate) constants: Vec<Constant>,
    /// The items that were added, by their text and place: items that a `macro_rules!` has written may share a place.
    function_texts: HashMap<String, FunctionId>,
    constant_texts: HashMap<String, ConstantId>,
}

impl Program {
    /// Adds the items handed over, and returns the meaning of their paths. An item under two paths is added once.
    pub(crate) fn add(
        &mut self,
        found: &[(Path, Payload)],
        sites: &mut Vec<SpannedErrorSite>,
        errors: &Errors,
    ) -> Names {
        let mut known = Names::default();
        for (path, payload) in found {
            let name = names::text(path);
            match payload.kind {
                PayloadKind::Attributes => {}
                PayloadKind::Function => {
                    if let Some(id) = self.function(payload, sites, errors) {
                        known.functions.insert(name, id);
                    }
                }
                PayloadKind::Constant => {
                    if let Some(id) = self.constant(payload, sites, errors) {
                        known.constants.insert(name, id);
                    }
                }
            }
        }
        known
    }

    fn function(
        &mut self,
        payload: &Payload,
        sites: &mut Vec<SpannedErrorSite>,
        errors: &Errors,
    ) -> Option<FunctionId> {
        let text = text(payload);
        if let Some(id) = self.function_texts.get(&text) {
            return Some(*id);
        }
        let item: syn::ItemFn = syn::parse2(payload.item.clone()).map_err(|error| errors.syntax(&error)).ok()?;
        let item = FunctionItem::parse(&item, errors);
        let names = self.add(&payload.needs, sites, errors);
        let lowered = super::function(&item, &names, self, sites, errors);
        self.functions.push(CalledFunction {
            name: item.name,
            arguments: (0..item.arguments.len()).collect(),
            result: item.result,
            locals: lowered.locals,
            body: lowered.body,
        });
        self.function_texts.insert(text, self.functions.len() - 1);
        Some(self.functions.len() - 1)
    }

    fn constant(
        &mut self,
        payload: &Payload,
        sites: &mut Vec<SpannedErrorSite>,
        errors: &Errors,
    ) -> Option<ConstantId> {
        let text = text(payload);
        if let Some(id) = self.constant_texts.get(&text) {
            return Some(*id);
        }
        let item: syn::ItemConst = syn::parse2(payload.item.clone()).map_err(|error| errors.syntax(&error)).ok()?;
        let item = ConstantItem::parse(&item, errors);
        let names = self.add(&payload.needs, sites, errors);
        let value = super::constant(&item, &names, self, errors);
        self.constants.push(Constant { name: item.name, ty: item.ty, value });
        self.constant_texts.insert(text, self.constants.len() - 1);
        Some(self.constants.len() - 1)
    }
}

/// Returns the text of an item and of what it requires. Spaces are left out, because they depend on how the text came.
fn text(payload: &Payload) -> String {
    payload.to_token_stream().to_string().split_whitespace().collect()
}
