//! Expressions in native Rust.

use super::Native;
use crate::analyse::sums::checked;
use crate::emit::{at, rust_type, scalar};
use crate::ir::{
    AttributeId, BinaryOp, Element, Expr, ExprKind, Index, Literal, MathMethod, OperationFaults, Role, ScalarType,
    SiteId, Type, UnaryOp, Update, UpdateOp,
};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

impl Native<'_> {
    pub(super) fn expr(&self, expr: &Expr) -> TokenStream {
        let span = at(expr.span);
        match &expr.kind {
            ExprKind::Literal(value) => literal(value, expr.ty, span),
            ExprKind::Unreached => {
                let ty = rust_type(expr.ty, span);
                quote_spanned!(span=> <#ty as ::gts_graph::__private::Unreached>::UNREACHED)
            }
            ExprKind::Local(local) => {
                let name = self.local(*local);
                quote_spanned!(span=> #name)
            }
            ExprKind::Constant(constant) => {
                let value = self.expr(&self.constants[*constant].value);
                quote_spanned!(span=> (#value))
            }
            ExprKind::Param(attribute) => {
                let (a, field) = (&self.a, self.field(*attribute));
                quote_spanned!(span=> #a.#field)
            }
            ExprKind::ParamElement(attribute, index) => {
                let (a, field, index) = (&self.a, self.field(*attribute), self.index(index));
                quote_spanned!(span=> #a.#field[#index])
            }
            ExprKind::Load(element) => self.column(element, "load", TokenStream::new(), span),
            ExprKind::EdgeValue(_) => {
                let edge = self.locals.iter().position(|local| local.role == Role::Edge);
                let name = edge.map(|edge| self.local(edge));
                quote_spanned!(span=> #name)
            }
            ExprKind::Captured(number) => {
                let (source, number) = (&self.source, syn::Index::from(*number));
                quote_spanned!(span=> #source.#number)
            }
            ExprKind::Unary(op, x, faults) => self.unary(*op, x, *faults, expr.ty, span),
            ExprKind::Binary { .. } => self.binary(expr, span),
            ExprKind::Cast(x) => {
                let ty = rust_type(expr.ty, span);
                let value = self.expr(x);
                let field = (x.ty == Type::VERTEX_ID && expr.ty != Type::VERTEX_ID).then(|| quote!(.to_bits()));
                if x.ty == expr.ty { value } else { quote_spanned!(span=> ((#value)#field as #ty)) }
            }
            ExprKind::Faults(operation) => self.overflows(operation, span),
            ExprKind::Present(value, site) => self.present(value, *site, span),
            ExprKind::Number(value, site) => {
                let (value, place, site) = (self.expr(value), &self.place, *site as u32);
                self.ask("number", quote!(#place, #site, #value), span)
            }
            ExprKind::Call(function, arguments) => {
                let (name, gts, place) = (self.function_name(*function), &self.gts, &self.place);
                let arguments = arguments.iter().map(|argument| self.expr(argument));
                quote_spanned!(span=> #name(#gts, #place, #(#arguments),*))
            }
            ExprKind::Math(method, operands, faults) => self.math(*method, operands, *faults, span),
            ExprKind::Step => self.ask("step", TokenStream::new(), span),
            ExprKind::NumVertices => self.ask("num_vertices", TokenStream::new(), span),
            ExprKind::NumEdges => self.ask("num_edges", TokenStream::new(), span),
            ExprKind::Position => self.ask("position", TokenStream::new(), span),
            ExprKind::Random(form, operands) => {
                let operands = operands.iter().map(|operand| self.expr(operand));
                self.ask(form.name(), quote!(#(#operands),*), span)
            }
            ExprKind::OutDegree(v) => self.ask("out_degree", self.expr(v), span),
            ExprKind::InDegree(v) => self.ask("in_degree", self.expr(v), span),
            ExprKind::VertexId(v) => self.ask("id", self.expr(v), span),
            ExprKind::NewVertex(number, site) => {
                let value = self.expr(number);
                let field = (number.ty == Type::VERTEX_ID).then(|| quote!(.to_bits()));
                let (place, site) = (&self.place, *site as u32);
                self.ask("vertex", quote!(#place, #site, (#value)#field), span)
            }
            ExprKind::Update(update) => self.update(update, span),
            ExprKind::Select(condition, x, y) => {
                let (condition, x, y) = (self.expr(condition), self.expr(x), self.expr(y));
                quote_spanned!(span=> (if #condition { #x } else { #y }))
            }
            ExprKind::Array(values) => {
                let values = values.iter().map(|value| self.expr(value));
                quote_spanned!(span=> [#(#values),*])
            }
            ExprKind::Repeat(value) => {
                let (value, length) = (self.expr(value), if let Type::Array(_, n) = expr.ty { n as usize } else { 1 });
                quote_spanned!(span=> [#value; #length])
            }
            ExprKind::ArrayElement(local, index) => {
                let (name, index) = (self.local(*local), self.index(index));
                quote_spanned!(span=> #name[#index])
            }
        }
    }

    /// Returns a method call on the context.
    fn ask(&self, method: &str, arguments: TokenStream, span: Span) -> TokenStream {
        let (gts, method) = (&self.gts, Ident::new(method, span));
        quote_spanned!(span=> #gts.#method(#arguments))
    }

    /// Returns a method call on the column of an element.
    pub(super) fn column(&self, element: &Element, method: &str, operands: TokenStream, span: Span) -> TokenStream {
        let (a, field, vertex) = (&self.a, self.field(element.attribute), self.expr(&element.vertex));
        match &element.index {
            None => {
                let method = Ident::new(method, span);
                quote_spanned!(span=> #a.#field.#method(#vertex, #operands))
            }
            Some(index) => {
                let (method, index) = (format_ident!("{method}_at", span = span), self.index(index));
                quote_spanned!(span=> #a.#field.#method(#vertex, #index, #operands))
            }
        }
    }

    /// Returns an index as a `usize` that is in range.
    pub(super) fn index(&self, index: &Index) -> TokenStream {
        let span = at(index.value.span);
        let length = index.length as usize;
        match (index.site, &index.value.kind) {
            (None, ExprKind::Literal(Literal::Int(value))) => {
                let value = *value as usize;
                quote_spanned!(span=> #value)
            }
            (None, _) => {
                let value = self.expr(&index.value);
                quote_spanned!(span=> (#value) as ::core::primitive::usize)
            }
            (Some(site), _) => {
                let (place, value, site) = (&self.place, self.expr(&index.value), site as u32);
                self.ask("index", quote!(#place, #site, (#value) as ::core::primitive::u64, #length), span)
            }
        }
    }

    /// Returns a value of the active source. If the value is missing, the run reports an error at the site.
    fn present(&self, value: &Expr, site: SiteId, span: Span) -> TokenStream {
        let (number, gts, site) = (self.expr(value), &self.gts, site as u32);
        let src = self.locals.iter().position(|local| local.role == Role::Src).map(|src| self.local(src));
        let present = quote_spanned!(span=> ::gts_graph::__private::math::Integer::present);
        match value.ty {
            Type::VERTEX_ID => {
                let bits = quote_spanned!(span=> #present((#number).to_bits(), #gts, #src, #site));
                quote_spanned!(span=> ::gts_graph::__private::VertexId::from_bits(#bits))
            }
            _ => quote_spanned!(span=> #present(#number, #gts, #src, #site)),
        }
    }

    fn unary(&self, op: UnaryOp, x: &Expr, faults: OperationFaults, ty: Type, span: Span) -> TokenStream {
        let value = self.expr(x);
        match (op, &x.kind) {
            (UnaryOp::Not, _) => quote_spanned!(span=> (!#value)),
            // Emit the sign with the literal: the number alone may be too large for its type.
            (UnaryOp::Neg, ExprKind::Literal(Literal::Int(number))) => literal(&Literal::Int(-number), ty, span),
            (UnaryOp::Neg, _) if faults.any() => self.checked("negated", value, TokenStream::new(), faults, span),
            (UnaryOp::Neg, _) if ty.is_integer() => quote_spanned!(span=> (#value).wrapping_neg()),
            (UnaryOp::Neg, _) => quote_spanned!(span=> (-#value)),
        }
    }

    fn binary(&self, expr: &Expr, span: Span) -> TokenStream {
        let ExprKind::Binary { op, left, right, faults } = &expr.kind else { return TokenStream::new() };
        self.operation(*op, left.ty, self.expr(left), self.expr(right), *faults, span)
    }

    /// Returns an operation that reports an error if it faults. `rest` are the operands after the first, each followed
    /// by a comma.
    fn checked(
        &self,
        method: &str,
        first: TokenStream,
        rest: TokenStream,
        faults: OperationFaults,
        span: Span,
    ) -> TokenStream {
        let method = Ident::new(method, span);
        let sites = faults.sites(method == "quotient" || method == "remainder").map(|site| site as u32);
        let (gts, place) = (&self.gts, &self.place);
        quote_spanned!(span=>
            ::gts_graph::__private::math::Integer::#method(#first, #rest #gts, #place, #(#sites),*)
        )
    }

    /// Returns the condition that an operation faults.
    fn overflows(&self, operation: &Expr, span: Span) -> TokenStream {
        let (method, operands): (_, Vec<&Expr>) = match &operation.kind {
            ExprKind::Binary { op: BinaryOp::Shl | BinaryOp::Shr, left, right, .. } => {
                let (ty, amount) = (rust_type(left.ty, span), self.expr(right));
                return quote_spanned!(span=> !(0..<#ty>::BITS as ::core::primitive::i128).contains(&(#amount as _)));
            }
            ExprKind::Binary { op: BinaryOp::Add, left, right, .. } => ("checked_add", vec![left, right]),
            ExprKind::Binary { op: BinaryOp::Sub, left, right, .. } => ("checked_sub", vec![left, right]),
            ExprKind::Binary { op: BinaryOp::Mul, left, right, .. } => ("checked_mul", vec![left, right]),
            ExprKind::Binary { op: BinaryOp::Div, left, right, .. } => ("checked_div", vec![left, right]),
            ExprKind::Binary { left, right, .. } => ("checked_rem", vec![left, right]),
            ExprKind::Math(_, operands, _) => ("checked_abs", operands.iter().collect()),
            ExprKind::Unary(_, operand, _) => ("checked_neg", vec![operand]),
            _ => return quote_spanned!(span=> false),
        };
        let method = Ident::new(method, span);
        let operands: Vec<TokenStream> = operands.into_iter().map(|operand| self.expr(operand)).collect();
        let (first, rest) = (&operands[0], &operands[1..]);
        quote_spanned!(span=> (#first).#method(#(#rest),*).is_none())
    }

    /// Returns a binary operation. `ty` is the type of the left operand.
    pub(super) fn operation(
        &self,
        op: BinaryOp,
        ty: Type,
        left: TokenStream,
        right: TokenStream,
        faults: OperationFaults,
        span: Span,
    ) -> TokenStream {
        let shifts = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
        let (checked, wrapping) = match op {
            BinaryOp::Add => ("plus", "wrapping_add"),
            BinaryOp::Sub => ("minus", "wrapping_sub"),
            BinaryOp::Mul => ("times", "wrapping_mul"),
            BinaryOp::Div => ("quotient", "wrapping_div"),
            BinaryOp::Rem => ("remainder", "wrapping_rem"),
            BinaryOp::Shl => ("shifted_left", "wrapping_shl"),
            BinaryOp::Shr => ("shifted_right", "wrapping_shr"),
            _ => return infix(op, &left, &right, span),
        };
        if faults.any() {
            let amount = shifts.then(|| quote_spanned!(span=> as ::core::primitive::i128));
            let right = quote_spanned!(span=> (#right) #amount,);
            return self.checked(checked, left, right, faults, span);
        }
        if !ty.is_integer() {
            return infix(op, &left, &right, span);
        }
        // Copies of a condition divide without a check, and are ignored if the division faults.
        let total = match op {
            BinaryOp::Div => Some("checked_div"),
            BinaryOp::Rem => Some("checked_rem"),
            _ => None,
        };
        if let Some(method) = total {
            let method = Ident::new(method, span);
            return quote_spanned!(span=> (#left).#method(#right).unwrap_or(0));
        }
        let method = Ident::new(wrapping, span);
        let right = if shifts { quote_spanned!(span=> (#right) as ::core::primitive::u32) } else { right };
        quote_spanned!(span=> (#left).#method(#right))
    }

    fn math(&self, method: MathMethod, operands: &[Expr], faults: OperationFaults, span: Span) -> TokenStream {
        let receiver = self.expr(&operands[0]);
        if faults.any() {
            return self.checked("absolute", receiver, TokenStream::new(), faults, span);
        }
        let operator = match method {
            MathMethod::SaturatingAdd => Some(BinaryOp::Add),
            MathMethod::SaturatingSub => Some(BinaryOp::Sub),
            MathMethod::SaturatingMul => Some(BinaryOp::Mul),
            _ => None,
        };
        if let Some(op) = operator.filter(|_| operands[0].ty.is_float()) {
            return infix(op, &receiver, &self.expr(&operands[1]), span);
        }
        if method == MathMethod::SaturatingAdd {
            let other = self.expr(&operands[1]);
            return quote_spanned!(span=> ::gts_graph::__private::math::Integer::saturated_sum(#receiver, #other));
        }
        let name = match method {
            MathMethod::Abs if operands[0].ty.is_integer() => "wrapping_abs",
            other => other.name(),
        };
        let name = Ident::new(name, span);
        let rest = operands[1..].iter().map(|operand| self.expr(operand));
        quote_spanned!(span=> (#receiver).#name(#(#rest),*))
    }

    fn update(&self, update: &Update, span: Span) -> TokenStream {
        let operands = update.operands.iter().map(|operand| self.expr(operand));
        let (element, method) = (&update.element, update.op.method());
        let register = self.in_registers.iter().position(|&attribute| attribute == element.attribute);
        let Some(register) = register.map(syn::Index::from) else {
            let Some((check, sum)) = update.sum.zip(checked(self.sums, element.attribute)) else {
                return self.column(element, method, quote!(#(#operands),*), span);
            };
            return self.checked_update(
                update,
                check.site,
                sum.is_mixed(self.attributes[element.attribute].kind),
                span,
            );
        };
        let gathered = &self.gathered;
        match &element.index {
            None => {
                let method = Ident::new(method, span);
                quote_spanned!(span=> #gathered.#register.#method(#(#operands),*))
            }
            Some(index) => {
                let (method, index) = (format_ident!("{method}_at", span = span), self.index(index));
                quote_spanned!(span=> #gathered.#register.#method(#index, #(#operands),*))
            }
        }
    }
}

impl Native<'_> {
    /// Returns the check of a sum from registers as an `Option`. The check consists of the error site of an overflow
    /// and whether only checked mode reports it.
    pub(super) fn settled_sum(&self, attribute: AttributeId) -> TokenStream {
        match checked(self.sums, attribute) {
            Some(sum) => {
                let (site, mixed) = (sum.error_site as u32, sum.is_mixed(self.attributes[attribute].kind));
                quote!(::core::option::Option::Some((#site, #mixed)))
            }
            None => quote!(::core::option::Option::None),
        }
    }

    /// Returns an addition or subtraction in memory that reports an error if it overflows.
    fn checked_update(&self, update: &Update, site: SiteId, mixed: bool, span: Span) -> TokenStream {
        let (gts, place, site) = (&self.gts, &self.place, site as u32);
        let [old, term] = ["gts_old", "gts_term"].map(|name| Ident::new(name, Span::mixed_site()));
        let value = update.operands.iter().map(|operand| self.expr(operand));
        let updated = self.column(&update.element, update.op.method(), quote!(#term), span);
        let check = Ident::new(if update.op == UpdateOp::Add { "added" } else { "subtracted" }, span);
        quote_spanned!(span=> {
            let #term = #(#value)*;
            let #old = #updated;
            #gts.#check(#place, (#site, #mixed), #old, #term);
            #old
        })
    }
}

/// Returns an operation by its symbol.
fn infix(op: BinaryOp, left: &TokenStream, right: &TokenStream, span: Span) -> TokenStream {
    let symbol: TokenStream = op.symbol().parse().unwrap_or_default();
    let symbol: TokenStream = symbol
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect();
    quote_spanned!(span=> (#left #symbol #right))
}

/// Returns a literal with a type suffix.
fn literal(value: &Literal, ty: Type, span: Span) -> TokenStream {
    use proc_macro2::Literal as Token;
    let kind = ty.scalar().unwrap_or(ScalarType::U32);
    match value {
        Literal::Bool(truth) => quote_spanned!(span=> #truth),
        Literal::Int(number) => {
            let digits = Token::u128_unsuffixed(number.unsigned_abs());
            let suffixed: TokenStream = format!("{digits}{kind}").parse().unwrap_or_default();
            let suffixed: TokenStream = suffixed
                .into_iter()
                .map(|mut token| {
                    token.set_span(span);
                    token
                })
                .collect();
            if *number < 0 { quote_spanned!(span=> (-#suffixed)) } else { suffixed }
        }
        Literal::Float(text) => {
            let value: f64 = text.parse().unwrap_or(f64::NAN);
            let ty = scalar(kind);
            if value.is_infinite() {
                let name = Ident::new(if value > 0.0 { "INFINITY" } else { "NEG_INFINITY" }, span);
                return quote_spanned!(span=> #ty::#name);
            }
            let single: f32 = text.trim_start_matches('-').parse().unwrap_or(f32::NAN);
            // The number is rounded once, directly to its type.
            let mut token = match kind {
                ScalarType::F32 if single.is_finite() => Token::f32_suffixed(single),
                ScalarType::F32 => return quote_spanned!(span=> #ty::INFINITY),
                _ => Token::f64_suffixed(value.abs()),
            };
            token.set_span(span);
            if text.starts_with('-') { quote_spanned!(span=> (-#token)) } else { quote!(#token) }
        }
    }
}
