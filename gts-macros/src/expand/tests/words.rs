//! Tests that the rows of the language match the macros.

use super::*;
use crate::ir::{BinaryOp, MathMethod, RandomForm, UpdateOp};
use crate::parse::gather::Reducer;
use gts_contract::language::{LanguageKind, RowExample, SHARED_STRUCT, rows, rows_of};

/// Returns the errors of a `vertex` kernel with this body, over the struct of the examples.
fn errors_of(body: &str) -> Vec<String> {
    let item = format!("fn example(a: &mut Shared, v: Vertex) {{ {body} }}");
    let first = errors(&super::super::kernel(tokens("vertex"), tokens(&item)));
    if !first.is_empty() {
        return first;
    }
    let structure = SHARED_STRUCT.replace("#[gts_attributes]", "");
    errors(&kernel_item(&structure, "vertex", &item))
}

#[test]
fn what_kernels_lack_is_refused_with_the_help_of_its_row() {
    for row in rows().filter(|row| row.kind.lacks()) {
        let RowExample::Refused(body) = row.example else { panic!("{} has no example", row.name) };
        let found = errors_of(body);
        let help = format!("\nhelp: {}", row.instead.replace(" N:", " 3:"));
        assert!(found.iter().any(|error| error.contains(&help)), "{}: {body}\n{help}\nis not in {found:#?}", row.name);
    }
}

#[test]
fn forms_that_kernels_lack_are_refused_with_the_text_of_their_row() {
    for row in rows_of(LanguageKind::Lacking).filter(|row| row.meaning != "this is not known in a kernel") {
        let RowExample::Refused(body) = row.example else { panic!("{} has no example", row.name) };
        let found = errors_of(body);
        assert!(found.iter().any(|error| error.contains(row.meaning)), "{}: {found:#?}", row.name);
    }
}

#[test]
fn bodies_of_examples_have_no_errors() {
    let mut count = 0;
    for row in rows() {
        if let RowExample::Vertex(body) = row.example {
            assert_eq!(errors_of(body), [""; 0], "{} ({})", row.name, row.kind.name());
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// A name without a row does not compile. This test checks the reverse: the macros accept the name of each row.
#[test]
fn no_row_describes_what_the_macros_lack() {
    let names = |kind| rows_of(kind).map(|row| row.name).collect::<Vec<_>>();
    assert_eq!(names(LanguageKind::Method), MathMethod::ALL.map(MathMethod::name));
    assert_eq!(names(LanguageKind::Update), UpdateOp::ALL.map(UpdateOp::method));
    assert_eq!(names(LanguageKind::Random), RandomForm::ALL.map(RandomForm::name));
    assert_eq!(names(LanguageKind::Reduction)[2..], Reducer::ALL.map(|(_, name)| name));
    let other_operators = ["!", "as", "[]", "[x; n]", ".."];
    for name in names(LanguageKind::Operator) {
        let known = BinaryOp::ALL.iter().any(|op| op.symbol() == name) || other_operators.contains(&name);
        assert!(known, "{name}");
    }
}
