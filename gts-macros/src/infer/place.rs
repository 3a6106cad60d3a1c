//! Places that can be read, stored into and updated.

use super::{Lower, Open};
use crate::errors::nearest;
use crate::ir::{AttributeId, AttributeKind, Element, Expr, ExprKind, Index, LocalId, Span, Type};
use gts_contract::language::{Code, OperandTypes};
use syn::{Expr as Syntax, ExprField, Member};

/// A place with its type.
pub(super) enum TypedPlace {
    Local(LocalId),
    LocalElement(LocalId, Index),
    /// A `wa` or `ra` at a vertex, or a `wa` at an edge.
    Element(Element),
    Global(AttributeId, Option<Index>),
    Param(AttributeId, Option<Index>),
    EdgeValue(AttributeId),
}

impl Lower<'_> {
    /// Returns the place that the syntax names; `None` if it names none. `Err` after a reported error.
    pub(super) fn place(&mut self, syntax: &Syntax) -> Result<Option<TypedPlace>, ()> {
        match syntax {
            Syntax::Paren(paren) => self.place(&paren.expr),
            Syntax::Group(group) => self.place(&group.expr),
            Syntax::Path(path) => {
                let local = path.path.get_ident().and_then(|name| self.find_local(&name.to_string()));
                Ok(local.map(TypedPlace::Local))
            }
            Syntax::Field(field) => self.whole_attribute(field),
            Syntax::Index(index) => self.indexed(&index.expr, &index.index, Span::of(syntax)),
            _ => Ok(None),
        }
    }

    /// Returns the type of the value in a place.
    pub(super) fn place_type(&self, place: &TypedPlace) -> Type {
        let attribute = |id: AttributeId| self.surroundings.attributes.map(|(_, all)| &all.attributes[id]);
        match place {
            TypedPlace::Local(local) => self.locals[*local].ty,
            TypedPlace::LocalElement(local, _) => {
                self.types.element_of(self.locals[*local].ty).map_or(Type::Unit, |(element, _)| element)
            }
            TypedPlace::Element(element) => self.element_type(element),
            TypedPlace::Param(id, None) => match attribute(*id) {
                Some(param) => param.length.map_or(Type::Scalar(param.scalar), |n| Type::Array(param.scalar, n)),
                None => Type::Unit,
            },
            TypedPlace::Global(id, _) | TypedPlace::Param(id, Some(_)) | TypedPlace::EdgeValue(id) => {
                attribute(*id).map_or(Type::Unit, |attribute| Type::Scalar(attribute.scalar))
            }
        }
    }

    /// Returns an expression that reads a place.
    pub(super) fn read(&mut self, place: TypedPlace, span: Span) -> Expr {
        let ty = self.place_type(&place);
        let kind = match place {
            TypedPlace::Local(local) => ExprKind::Local(local),
            TypedPlace::LocalElement(local, index) => ExprKind::ArrayElement(local, Box::new(index)),
            TypedPlace::Element(element) => ExprKind::Load(element),
            TypedPlace::Param(id, None) => ExprKind::Param(id),
            TypedPlace::Param(id, Some(index)) => ExprKind::ParamElement(id, Box::new(index)),
            TypedPlace::EdgeValue(id) => ExprKind::EdgeValue(id),
            TypedPlace::Global(..) => {
                self.errors.at(
                    Code::GlobalRead,
                    span,
                    "a `#[global]` cannot be read in a kernel: no thread knows its final value",
                    "let the host read it after the pass and hand it on as a `#[param]`",
                );
                return self.nothing(span);
            }
        };
        Expr { kind, ty, span }
    }

    /// Resolves `a.field`.
    fn attribute(&mut self, field: &ExprField) -> Result<Option<AttributeId>, ()> {
        let Syntax::Path(base) = without_groups(&field.base) else {
            self.errors.at(Code::FieldAccess, Span::of(field), "only the attributes have fields", "write `a.name`");
            return Err(());
        };
        let Some((receiver, attributes)) = self.surroundings.attributes.filter(|(name, _)| base.path.is_ident(*name))
        else {
            self.errors.at(
                Code::FieldAccess,
                Span::of(&field.base),
                "only the attributes have fields",
                "use the value itself",
            );
            return Err(());
        };
        let Member::Named(name) = &field.member else {
            self.errors.at(Code::FieldAccess, Span::of(&field.member), "attributes have names", "write `a.name`");
            return Err(());
        };
        let found = attributes.attributes.iter().position(|attribute| attribute.name == *name);
        if found.is_none() {
            let names: Vec<String> = attributes.attributes.iter().map(|attribute| attribute.name.to_string()).collect();
            let help = match nearest(&name.to_string(), names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{receiver}.{near}`?"),
                None => format!("its attributes are: {}", names.join(", ")),
            };
            self.errors.at(
                Code::UnknownAttribute,
                name,
                format!("`{}` has no attribute `{name}`", attributes.name),
                help,
            );
            return Err(());
        }
        Ok(found)
    }

    /// Resolves `a.field` without an index: a param or a global.
    fn whole_attribute(&mut self, field: &ExprField) -> Result<Option<TypedPlace>, ()> {
        let Some(id) = self.attribute(field)? else { return Ok(None) };
        let Some((receiver, attributes)) = self.surroundings.attributes else { return Ok(None) };
        let attribute = &attributes.attributes[id];
        let name = &attribute.name;
        let (what, help) = match attribute.kind {
            AttributeKind::Param { .. } => return Ok(Some(TypedPlace::Param(id, None))),
            AttributeKind::Global { .. } if attribute.length.is_none() => {
                return Ok(Some(TypedPlace::Global(id, None)));
            }
            AttributeKind::Global { .. } => ("an array", format!("write `{receiver}.{name}[i]`")),
            AttributeKind::Edge { .. } | AttributeKind::EdgeWa { .. } => {
                ("a value of each edge", format!("write `{receiver}.{name}[e]`"))
            }
            AttributeKind::Wa { .. } | AttributeKind::Ra { .. } => {
                let v = self.surroundings.example;
                ("a value of each vertex", format!("write `{receiver}.{name}[{v}]`"))
            }
        };
        self.errors.at(Code::IndexCount, Span::of(field), format!("`{name}` is {what}"), help);
        Err(())
    }

    /// Resolves `base[index]`.
    fn indexed(&mut self, base: &Syntax, index: &Syntax, span: Span) -> Result<Option<TypedPlace>, ()> {
        match without_groups(base) {
            Syntax::Field(field) => {
                let Some(id) = self.attribute(field)? else { return Ok(None) };
                self.indexed_attribute(id, index, span)
            }
            Syntax::Index(outer) => self.twice_indexed(&outer.expr, &outer.index, index, span),
            Syntax::Path(_) => match self.place(base)? {
                Some(TypedPlace::Local(local)) => {
                    let Some((_, length)) = self.types.element_of(self.locals[local].ty) else {
                        self.errors.at(
                            Code::Indexing,
                            Span::of(base),
                            "this is no array",
                            "only arrays and attributes are indexed",
                        );
                        return Err(());
                    };
                    let index = self.index(index, length);
                    Ok(Some(TypedPlace::LocalElement(local, index)))
                }
                _ => {
                    self.errors.at(
                        Code::Indexing,
                        Span::of(base),
                        "this cannot be indexed",
                        "index an attribute or a local array",
                    );
                    Err(())
                }
            },
            _ => {
                self.errors.at(Code::Indexing, Span::of(base), "this cannot be indexed", "bind it with `let` first");
                Err(())
            }
        }
    }

    fn indexed_attribute(&mut self, id: AttributeId, index: &Syntax, span: Span) -> Result<Option<TypedPlace>, ()> {
        let Some((receiver, attributes)) = self.surroundings.attributes else { return Ok(None) };
        let attribute = &attributes.attributes[id];
        let name = &attribute.name;
        match (attribute.kind, attribute.length) {
            (AttributeKind::Wa { .. } | AttributeKind::Ra { .. }, None) => {
                let vertex = self.vertex_index(index)?;
                Ok(Some(TypedPlace::Element(Element { attribute: id, vertex: Box::new(vertex), index: None })))
            }
            (AttributeKind::Wa { .. } | AttributeKind::Ra { .. }, Some(_)) => {
                self.errors.at(
                    Code::IndexCount,
                    span,
                    format!("`{name}` is an array at each vertex"),
                    format!("take one element: `{receiver}.{name}[v][i]`"),
                );
                Err(())
            }
            (AttributeKind::EdgeWa { .. }, _) => {
                let edge = self.expr(index);
                if self.types.find(edge.ty) == Type::Edge {
                    return Ok(Some(TypedPlace::Element(Element {
                        attribute: id,
                        vertex: Box::new(edge),
                        index: None,
                    })));
                }
                let help = match self.surroundings.example {
                    "u" => format!("write `{receiver}.{name}[e]`, with `e: Edge` the last parameter of the kernel"),
                    _ => format!("update `{name}` in an `intersect` kernel with the parameter `e: Edge`"),
                };
                self.errors.at(Code::EdgeIndex, edge.span, format!("`{name}` has a value for each edge"), help);
                Err(())
            }
            (AttributeKind::Edge { .. }, _) => {
                let edge = self.expr(index);
                // Intersecting kernels walk pages of vertices other than the source without the edge values.
                let here = self.surroundings.example != "u";
                if here && self.types.find(edge.ty) == Type::Edge {
                    return Ok(Some(TypedPlace::EdgeValue(id)));
                }
                // The vertex in examples identifies kernels that run for edges.
                let help = match self.surroundings.example {
                    "dst" => format!("add the parameter `e: Edge` and write `{receiver}.{name}[e]`"),
                    _ => format!("read `{name}` in a kernel for edges: a `scan` or a `traverse`"),
                };
                self.errors.at(Code::EdgeIndex, edge.span, "an edge's value is read at the edge", help);
                Err(())
            }
            (AttributeKind::Param { .. }, Some(length)) => {
                let index = self.index(index, length);
                Ok(Some(TypedPlace::Param(id, Some(index))))
            }
            (AttributeKind::Global { .. }, Some(length)) => {
                let index = self.index(index, length);
                Ok(Some(TypedPlace::Global(id, Some(index))))
            }
            (kind, None) => {
                self.errors.at(
                    Code::IndexCount,
                    span,
                    format!("`{name}` is a `#[{}]`: one value in all", kind.name()),
                    format!("write `{receiver}.{name}`"),
                );
                Err(())
            }
        }
    }

    /// Resolves `a.field[v][i]`.
    fn twice_indexed(
        &mut self,
        base: &Syntax,
        vertex: &Syntax,
        index: &Syntax,
        span: Span,
    ) -> Result<Option<TypedPlace>, ()> {
        let Syntax::Field(field) = without_groups(base) else {
            self.errors.at(
                Code::IndexCount,
                span,
                "only attributes have two indices",
                "arrays hold numbers, not arrays",
            );
            return Err(());
        };
        let (Some(id), Some((_, attributes))) = (self.attribute(field)?, self.surroundings.attributes) else {
            return Ok(None);
        };
        let attribute = &attributes.attributes[id];
        let (AttributeKind::Wa { .. } | AttributeKind::Ra { .. }, Some(length)) = (attribute.kind, attribute.length)
        else {
            self.errors.at(Code::IndexCount, span, format!("`{}` has no second index", attribute.name), "leave it out");
            return Err(());
        };
        let vertex = self.vertex_index(vertex)?;
        let index = self.index(index, length);
        Ok(Some(TypedPlace::Element(Element { attribute: id, vertex: Box::new(vertex), index: Some(Box::new(index)) })))
    }

    fn vertex_index(&mut self, syntax: &Syntax) -> Result<Expr, ()> {
        let vertex = self.expr(syntax);
        match self.types.find(vertex.ty) {
            Type::Vertex => Ok(vertex),
            Type::VERTEX_ID => {
                let span = vertex.span;
                Ok(self.new_vertex(Some(vertex), span))
            }
            Type::Open(_) if !self.errors.is_empty() => Err(()),
            found => {
                let help = match found {
                    Type::Edge => "the value of an edge is an `#[edge]` attribute; index this one with `src` or `dst`",
                    _ => "write `src`, `dst` or `v`, or `Vertex::new(x)` for the vertex of that number",
                };
                self.errors.at(Code::VertexIndex, vertex.span, "an attribute is indexed by a vertex", help);
                Err(())
            }
        }
    }

    pub(super) fn index(&mut self, syntax: &Syntax, length: u32) -> Index {
        let value = self.expr(syntax);
        self.types.demand(value.ty, OperandTypes::Integer, value.span, "indexing");
        self.types.default_to_u32(value.ty);
        if self.types.state(value.ty) == Some(Open::Anything) && self.errors.is_empty() {
            self.errors.at(
                Code::OpenType,
                value.span,
                "the type of this index is open",
                "write the type where it is bound",
            );
        }
        Index { value, length, site: None }
    }
}

fn without_groups(syntax: &Syntax) -> &Syntax {
    match syntax {
        Syntax::Paren(paren) => without_groups(&paren.expr),
        Syntax::Group(group) => without_groups(&group.expr),
        _ => syntax,
    }
}
