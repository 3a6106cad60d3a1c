//! Types during inference: a union-find over open types, and demands on types that are checked at the end.

use crate::errors::Errors;
use crate::ir::{ScalarType, Span, Type};
use gts_contract::language::{Code, OperandTypes};

/// The constraint on an open type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// No constraint.
    Anything,
    /// An integer: the type of a literal.
    Integer,
    /// A float: the type of a literal.
    Float,
}

#[derive(Clone, Copy, Debug)]
enum TypeSlot {
    Open(Open),
    Is(Type),
}

/// Returns whether values of the type meet the demand.
pub(crate) fn met(demand: OperandTypes, ty: Type) -> bool {
    match ty.scalar() {
        Some(scalar) => demand.met(scalar),
        None => demand == OperandTypes::Equal && ty == Type::Vertex,
    }
}

struct RequiredType {
    ty: Type,
    demand: OperandTypes,
    span: Span,
    /// The operation with the demand, as in "`<<`" or "`sqrt`".
    by: String,
}

/// The types of one body.
#[derive(Default)]
pub(crate) struct Types {
    slots: Vec<TypeSlot>,
    wanted: Vec<RequiredType>,
    /// Open integers that default to u32: indices, loop counters, shift amounts.
    defaults: Vec<Type>,
}

impl Types {
    /// Returns a new open type.
    pub(crate) fn open(&mut self, open: Open) -> Type {
        self.slots.push(TypeSlot::Open(open));
        Type::Open(self.slots.len() - 1)
    }

    /// Returns the type as far as it is inferred.
    pub(crate) fn find(&self, ty: Type) -> Type {
        match ty {
            Type::Open(slot) => match self.slots[slot] {
                TypeSlot::Is(next) => self.find(next),
                TypeSlot::Open(_) => ty,
            },
            Type::OpenArray(slot, length) => match self.find(Type::Open(slot)) {
                Type::Scalar(scalar) => Type::Array(scalar, length),
                Type::Open(slot) => Type::OpenArray(slot, length),
                other => other,
            },
            _ => ty,
        }
    }

    /// Returns the constraint on an open type; `None` for other types.
    pub(crate) fn state(&self, ty: Type) -> Option<Open> {
        match self.find(ty) {
            Type::Open(slot) => match self.slots[slot] {
                TypeSlot::Open(open) => Some(open),
                TypeSlot::Is(_) => None,
            },
            _ => None,
        }
    }

    /// Returns the array type with elements of a type.
    pub(crate) fn array_of(&self, element: Type, length: u32) -> Option<Type> {
        match self.find(element) {
            Type::Scalar(scalar) => Some(Type::Array(scalar, length)),
            Type::Open(slot) => Some(Type::OpenArray(slot, length)),
            _ => None,
        }
    }

    /// Returns the element type and the length of an array type.
    pub(crate) fn element_of(&self, array: Type) -> Option<(Type, u32)> {
        match self.find(array) {
            Type::Array(scalar, length) => Some((Type::Scalar(scalar), length)),
            Type::OpenArray(slot, length) => Some((Type::Open(slot), length)),
            _ => None,
        }
    }

    /// Unifies two types; returns false if they differ.
    pub(crate) fn unify(&mut self, a: Type, b: Type) -> bool {
        match (self.find(a), self.find(b)) {
            (a, b) if a == b => true,
            (Type::Open(a), Type::Open(b)) => {
                let joined = match (self.slots[a], self.slots[b]) {
                    (TypeSlot::Open(Open::Anything), TypeSlot::Open(other))
                    | (TypeSlot::Open(other), TypeSlot::Open(Open::Anything)) => other,
                    (TypeSlot::Open(one), TypeSlot::Open(other)) if one == other => one,
                    _ => return false,
                };
                self.slots[a] = TypeSlot::Is(Type::Open(b));
                self.slots[b] = TypeSlot::Open(joined);
                true
            }
            (Type::Open(slot), known) | (known, Type::Open(slot)) => {
                let fits = match self.slots[slot] {
                    TypeSlot::Open(Open::Integer) => known.is_integer(),
                    TypeSlot::Open(Open::Float) => known.is_float(),
                    _ => true,
                };
                if fits {
                    self.slots[slot] = TypeSlot::Is(known);
                }
                fits
            }
            (Type::OpenArray(slot, n), Type::Array(scalar, m)) | (Type::Array(scalar, m), Type::OpenArray(slot, n)) => {
                n == m && self.unify(Type::Open(slot), Type::Scalar(scalar))
            }
            (Type::OpenArray(a, n), Type::OpenArray(b, m)) => n == m && self.unify(Type::Open(a), Type::Open(b)),
            _ => false,
        }
    }

    /// Records a demand for [`Types::settle`] to check.
    pub(crate) fn demand(&mut self, ty: Type, demand: OperandTypes, span: Span, by: impl Into<String>) {
        self.wanted.push(RequiredType { ty, demand, span, by: by.into() });
    }

    /// Records that an open integer defaults to u32.
    pub(crate) fn default_to_u32(&mut self, ty: Type) {
        self.defaults.push(ty);
    }

    /// Ends inference: applies the defaults and checks the demands.
    pub(crate) fn settle(&mut self, errors: &Errors) {
        for ty in std::mem::take(&mut self.defaults) {
            if self.state(ty) == Some(Open::Integer) {
                self.unify(ty, Type::U32);
            }
        }
        for RequiredType { ty, demand, span, by } in std::mem::take(&mut self.wanted) {
            let ty = self.find(ty);
            let open = match self.state(ty) {
                Some(Open::Integer) => demand == OperandTypes::Float,
                Some(Open::Float) => matches!(demand, OperandTypes::Integer | OperandTypes::Bits),
                Some(Open::Anything) => false,
                None => !met(demand, ty),
            };
            if open {
                let shown = self.show(ty);
                errors.at(
                    Code::OperandType,
                    span,
                    format!("{by} works on {}, and this is {shown}", demand.text()),
                    help(ty, demand),
                );
            }
        }
    }

    /// Returns the text for the type in an error.
    pub(crate) fn show(&self, ty: Type) -> String {
        match self.state(ty) {
            Some(Open::Integer) => "an integer".into(),
            Some(Open::Float) => "a float".into(),
            Some(Open::Anything) => "of an open type".into(),
            None => format!("`{}`", self.find(ty)),
        }
    }
}

fn help(ty: Type, demand: OperandTypes) -> String {
    match (ty, demand) {
        (Type::Vertex, _) => "write `v as u64` for the vertex's number".into(),
        (Type::Scalar(ScalarType::VertexId), _) => "write `x as u64` for the vertex's number".into(),
        (Type::Scalar(ScalarType::Bool), _) => "write `if x { 1 } else { 0 }`, or `x as u32`".into(),
        (Type::Scalar(scalar), OperandTypes::Signed) if scalar.is_integer() => "convert it first: `-(x as i64)`".into(),
        (_, OperandTypes::Float) => "convert it: `(x as f32)`".into(),
        (_, OperandTypes::Integer | OperandTypes::Bits) => "convert it: `(x as u32)`".into(),
        _ => "use a number".into(),
    }
}
