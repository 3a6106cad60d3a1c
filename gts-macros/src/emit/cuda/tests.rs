//! Tests of the CUDA C of two small kernels, which are built from hand-written IR.

use crate::ir::*;
use proc_macro2::Ident;

fn span() -> Span {
    Span::from(proc_macro2::Span::call_site())
}

fn ident(name: &str) -> Ident {
    Ident::new(name, proc_macro2::Span::call_site())
}

fn expr(kind: ExprKind, ty: Type) -> Expr {
    Expr { kind, ty, span: span() }
}

fn local(index: usize) -> Expr {
    expr(ExprKind::Local(index), Type::Vertex)
}

fn binary(op: BinaryOp, left: Expr, right: Expr, ty: Type) -> Expr {
    expr(ExprKind::Binary { op, left: Box::new(left), right: Box::new(right), faults: OperationFaults::NONE }, ty)
}

fn at(attribute: usize, vertex: Expr) -> Element {
    Element { attribute, vertex: Box::new(vertex), index: None }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt { kind, span: span() }
}

fn attribute(name: &str, scalar: ScalarType, kind: AttributeKind) -> Attribute {
    Attribute { name: ident(name), scalar, length: None, kind, unreached: false, wraps: false, doc: String::new() }
}

fn kernel(kind: KernelKind, roles: &[(&str, Role)], attributes: Vec<Attribute>, body: Vec<Stmt>) -> Kernel {
    let local = |&(name, role): &(&str, Role)| Local { name: ident(name), ty: Type::Vertex, mutable: false, role };
    let location = Location { file: "bfs.rs".into(), line: 1, column: 1 };
    Kernel {
        name: ident("expand"),
        function: ident("expand"),
        kind,
        direction: Direction::Out,
        technique: None,
        racy: false,
        ordered: false,
        attributes: Attributes { name: ident("Bfs"), parameter: None, attributes, location },
        receiver: ident("bfs"),
        locals: roles.iter().map(local).collect(),
        functions: Vec::new(),
        constants: Vec::new(),
        source_filter: None,
        captures: Vec::new(),
        body: Block { statements: body },
        error_sites: Vec::new(),
        facts: SpannedFacts {
            uses: Vec::new(),
            degrees: Vec::new(),
            class: Class::Ordered,
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
        },
        span: span(),
    }
}

fn used(attribute: usize, site: Site, access: Access) -> SpannedAttributeUse {
    SpannedAttributeUse { attribute, site, access, span: proc_macro2::Span::call_site().into() }
}

const EDGE: [(&str, Role); 2] = [("src", Role::Src), ("dst", Role::Dst)];

fn expand() -> Kernel {
    let level = attribute(
        "level",
        ScalarType::U32,
        AttributeKind::Wa { init: Init { bits: u32::MAX.into() }, merge: Merge::Min },
    );
    let load = expr(ExprKind::Load(at(0, local(1))), Type::U32);
    let step = expr(ExprKind::Step, Type::U32);
    let one = expr(ExprKind::Literal(Literal::Int(1)), Type::U32);
    let then = vec![
        stmt(StmtKind::Store { element: at(0, local(1)), value: binary(BinaryOp::Add, step, one, Type::U32) }),
        stmt(StmtKind::Activate(local(1))),
    ];
    let unreached = expr(ExprKind::Unreached, Type::U32);
    let condition = binary(BinaryOp::Eq, load, unreached, Type::BOOL);
    let body = vec![stmt(StmtKind::If { condition, then: Block { statements: then }, otherwise: None })];
    let mut kernel = kernel(KernelKind::Traverse, &EDGE, vec![level], body);
    kernel.facts.uses = vec![used(0, Site::Dst, Access::Read), used(0, Site::Dst, Access::Store)];
    kernel
}

fn push() -> Kernel {
    let f32 = Type::Scalar(ScalarType::F32);
    let attributes = vec![
        attribute("rank", ScalarType::F32, AttributeKind::Ra { from: Some(1) }),
        attribute("float", ScalarType::F32, AttributeKind::Wa { init: Init { bits: 0 }, merge: Merge::Sum }),
        attribute("damping", ScalarType::F32, AttributeKind::Param { default: None }),
    ];
    let rank = expr(ExprKind::Load(at(0, local(0))), f32);
    let degree = expr(ExprKind::OutDegree(Box::new(local(0))), Type::U64);
    let share = binary(BinaryOp::Div, rank, expr(ExprKind::Cast(Box::new(degree)), f32), f32);
    let update = Update {
        op: UpdateOp::Add,
        element: at(1, local(1)),
        operands: vec![expr(ExprKind::Captured(0), f32)],
        assignment: true,
        sum: None,
    };
    let body = vec![stmt(StmtKind::Expr(expr(ExprKind::Update(Box::new(update)), f32)))];
    let mut kernel = kernel(KernelKind::Scan, &EDGE, attributes, body);
    kernel.captures = vec![Capture { name: "value".into(), value: share }];
    kernel.facts.uses = vec![used(0, Site::Src, Access::Read), used(1, Site::Dst, Access::Merge)];
    kernel
}

fn sum() -> Kernel {
    let attributes = vec![
        attribute("size", ScalarType::U64, AttributeKind::Wa { init: Init { bits: 0 }, merge: Merge::Sum }),
        attribute("total", ScalarType::U64, AttributeKind::Global { merge: Merge::Sum }),
    ];
    let value = expr(ExprKind::Load(at(0, local(0))), Type::U64);
    let add = StmtKind::Accumulate { attribute: 1, index: None, op: Some(UpdateOp::Add), value, assignment: true };
    let mut kernel = kernel(KernelKind::Vertex, &[("v", Role::V)], attributes, vec![stmt(add)]);
    kernel.facts.uses = vec![used(0, Site::V, Access::Read), used(1, Site::None, Access::Merge)];
    kernel
}

#[test]
fn a_traversal_reads_as_the_user_wrote_it() {
    let text = super::kernel(&expand());
    let expected = r#"
    __device__ __forceinline__ void edge(const source &gts_source, gts_vertex src_, gts_vertex dst_, gts_edge_value e_) {
        if (!gts_is_here(gts, dst_)) {
            return;
        }
        // if bfs.level[dst] == UNREACHED {
        if (bfs_.level_[dst_] == gts_unreached<u32>()) {
            // bfs.level[dst] = step() + 1;
            bfs_.level_[dst_] = (u32)gts.step + 1u;
            // activate(dst);
            gts_activate(gts, dst_);
        }
    }
"#;
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("    u32 *level_; // wa, merged by min\n"), "{text}");
}

#[test]
fn what_depends_on_the_source_alone_is_found_out_once() {
    let text = super::kernel(&push());
    assert!(
        text.contains("gts_source.value_ = gts_load(bfs_.rank_ + src_) / (f32)gts_out_degree(gts, src_);"),
        "{text}"
    );
    // The field's name is reserved in C++, but the comment shows the name as the user wrote it.
    assert!(text.contains("// bfs.float[dst] += "), "{text}");
    assert!(text.contains("gts_fetch_add(bfs_.float_ + dst_, gts_source.value_);"), "{text}");
    assert!(text.contains("const f32 *rank_;") && text.contains("alignas(8) f32 damping_;"), "{text}");
}

#[test]
fn a_global_is_handed_in_once_a_thread() {
    let text = super::kernel(&sum());
    assert!(text.contains("gts_global<gts_merge_add<u64>> gts_total_total_;"), "{text}");
    assert!(text.contains("gts_total_total_.merge(gts_load(bfs_.size_ + v_));"), "{text}");
    assert!(text.contains("gts_total_total_.flush(bfs_.total_);"), "{text}");
}

#[test]
fn the_text_is_the_same_each_time() {
    assert_eq!(super::kernel(&push()), super::kernel(&push()));
}
