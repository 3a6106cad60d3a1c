use super::*;
use crate::{Class, Direction, Merge, ScalarType};
use std::collections::BTreeSet;

#[test]
fn a_word_finds_all_its_rows_with_and_without_punctuation() {
    let kinds = |word| find(word).iter().map(|row| row.kind).collect::<Vec<_>>();
    assert_eq!(kinds("min"), [LanguageKind::Merge, LanguageKind::Method, LanguageKind::Reduction]);
    assert_eq!(kinds("#[wa]"), [LanguageKind::Field]);
    assert_eq!(kinds("step()"), [LanguageKind::Function]);
    assert_eq!(kinds("println"), [LanguageKind::Lacking]);
    assert_eq!(kinds(".sqrt()"), [LanguageKind::Method]);
    assert_eq!(kinds("`<<`"), [LanguageKind::Operator]);
    assert_eq!(kinds("!"), [LanguageKind::Operator]);
    assert_eq!(kinds("u32::MAX"), [LanguageKind::Value]);
    assert_eq!(kinds("+=")[..2], [LanguageKind::Statement; 2]);
    assert_eq!(kinds("frobnicate"), []);
    assert_eq!(kinds(""), []);
}

#[test]
fn what_the_contract_defines_has_a_row() {
    for merge in Merge::ALL {
        assert!(row(LanguageKind::Merge, merge.name()).is_some(), "{}", merge.name());
    }
    for scalar in ScalarType::ALL {
        assert!(row(LanguageKind::Type, scalar.name()).is_some(), "{scalar}");
        for merge in Merge::ALL {
            let row = row(LanguageKind::Merge, merge.name()).expect("a row");
            assert_eq!(row.operands.met(scalar), merge.suits(scalar), "{} of {scalar}", merge.name());
        }
    }
    for class in [Class::Ordered, Class::Monotone, Class::Racy] {
        assert!(row(LanguageKind::Class, class.name()).is_some(), "{}", class.name());
    }
    for direction in [Direction::Out, Direction::In, Direction::Both] {
        let name = format!("{direction:?}").to_lowercase();
        assert!(row(LanguageKind::KernelSetting, &name).is_some(), "{name}");
    }
}

#[test]
fn the_row_of_techniques_lists_all_of_them() {
    let row = row(LanguageKind::KernelSetting, "technique").expect("a row");
    for technique in crate::Technique::ALL {
        let name = format!("`{}`", technique.name().replace('-', "_"));
        assert!(row.meaning.contains(&name), "{name}");
    }
}

#[test]
fn rows_are_complete() {
    let mut seen = BTreeSet::new();
    for row in rows() {
        let of = format!("{} ({})", row.name, row.kind.name());
        assert!(seen.insert((row.kind, row.name, row.operands.text())), "{of} is there twice");
        assert!(!row.syntax.is_empty() && !row.meaning.is_empty(), "{of}");
        assert_eq!(row.kind.lacks(), !row.instead.is_empty(), "{of}");
        assert_eq!(row.kind.lacks(), matches!(row.example, RowExample::Refused(_)), "{of}");
        assert_eq!(row.kind.lacks(), !row.meaning.ends_with('.'), "{of}: a meaning is a sentence");
        for clause in [row.allowed, row.refused, row.gpu, row.instead] {
            assert!(!clause.ends_with('.'), "{of}: {clause}");
        }
    }
    assert_eq!(seen.iter().map(|(kind, ..)| *kind).collect::<BTreeSet<_>>().len(), LanguageKind::ALL.len());
}

#[test]
fn a_row_prints_its_parts_in_order() {
    let text = row(LanguageKind::Method, "exp").expect("a row").to_string();
    let parts = [
        "exp (method of numbers)\n",
        "\n    x.exp()\n",
        "Types: floats\n",
        "On a GPU: the last",
        "0.0f64.exp() // 1.0",
    ];
    let places: Vec<_> = parts.iter().map(|part| text.find(part).unwrap_or_else(|| panic!("{part}: {text}"))).collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn a_missing_method_is_found_by_the_type_of_its_receiver() {
    let instead = |name, receiver| lacking_method(name, receiver).map(|row| row.instead);
    assert_eq!(instead("pow", OperandTypes::Float), Some("write `x.powi(n)`, or `x.powf(y)`"));
    assert!(instead("pow", OperandTypes::Integer).is_some_and(|help| help.contains("1 << n")));
    assert_eq!(instead("pow", OperandTypes::Vertex), None);
    assert!(instead("degree", OperandTypes::Float).is_some_and(|help| help.contains("methods of vertices")));
}
