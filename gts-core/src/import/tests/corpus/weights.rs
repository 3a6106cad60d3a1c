//! The types that weights take.

use super::{PATTERN, import, pairs, told};
use crate::import::{ImportError, ImportOptions, Weights};
use gts_contract::ScalarType;

#[test]
fn weights_take_the_narrowest_type_that_keeps_them() {
    let cases: [(&str, &[&str], ScalarType); 17] = [
        ("small integers", &["0", "1", "4294967295"], ScalarType::U32),
        ("signed integers", &["-5", "2147483647"], ScalarType::I32),
        ("large integers", &["1", "4294967296", "9007199254740992"], ScalarType::U64),
        ("signed and large", &["-1", "4294967295"], ScalarType::F64),
        ("fractions", &["1", "0.5"], ScalarType::F32),
        ("whole numbers with a point", &["1.0", "2."], ScalarType::F32),
        ("exponents", &["1e3", "2E-4", ".5"], ScalarType::F32),
        ("beyond f32", &["0.5", "-1e39"], ScalarType::F64),
        ("an integer that f32 changes", &["16777217", "0.5"], ScalarType::F64),
        ("one after a fraction", &["0.5", "-16777217"], ScalarType::F64),
        ("one with a point", &["16777217.0", "0.5"], ScalarType::F64),
        ("an integer that f32 keeps", &["16777218", "0.5"], ScalarType::F32),
        ("a fraction that f32 rounds", &["16777217.5", "0.1"], ScalarType::F32),
        ("nothing in f32", &["1e-50"], ScalarType::F64),
        ("the least of f32", &["1e-45", "0.0"], ScalarType::F32),
        ("a plus sign", &["+5", "+0"], ScalarType::U32),
        ("minus nothing", &["-0", "1"], ScalarType::U32),
    ];
    for (why, weights, ty) in cases {
        let text: String = weights.iter().map(|weight| format!("1 2 {weight}\r\n")).collect();
        let (arcs, declared) = import("a.txt", text.as_bytes(), ImportOptions::default()).unwrap();
        assert_eq!((declared.value_type, declared.store_as), (Some(ScalarType::F64), Some(ty)), "{why}");
        let read: Vec<f64> = arcs.iter().map(|arc| f64::from_bits(arc.2.unwrap())).collect();
        let expected: Vec<f64> = weights.iter().map(|weight| weight.parse().unwrap()).collect();
        assert_eq!(read, expected, "{why}");
    }
}

#[test]
fn entries_of_a_real_matrix_are_rounded_however_they_are_written() {
    for (entries, ty) in [("1 1 16777217\n1 2 0.5\n", ScalarType::F32), ("1 1 3\n1 2 1e-50\n", ScalarType::F64)] {
        let text = format!("%%MatrixMarket matrix coordinate real general\n2 2 2\n{entries}");
        let declared = import("a.mtx", text.as_bytes(), ImportOptions::default()).unwrap().1;
        assert_eq!(declared.store_as, Some(ty), "{entries}");
    }
}

#[test]
fn weights_of_a_type_asked_for_fit_or_are_refused() {
    let weigh = |weight: &str, ty| {
        let options = ImportOptions { weights: Weights::As(ty), ..ImportOptions::default() };
        let (arcs, declared) = import("a.txt", format!("1 2 {weight}\n").as_bytes(), options)?;
        assert_eq!((declared.value_type, declared.store_as), (Some(ty), Some(ty)));
        Ok::<_, ImportError>(arcs[0].2.unwrap())
    };
    assert_eq!(weigh("4294967295", ScalarType::U32).unwrap(), 4_294_967_295);
    assert_eq!(weigh("5.0", ScalarType::U32).unwrap(), 5);
    assert_eq!(weigh("-1", ScalarType::I32).unwrap(), 0xffff_ffff);
    assert_eq!(weigh("18446744073709551615", ScalarType::U64).unwrap(), u64::MAX);
    assert_eq!(weigh("0.1", ScalarType::F32).unwrap(), u64::from(0.1f32.to_bits()));
    assert_eq!(weigh("1e300", ScalarType::F64).unwrap(), 1e300f64.to_bits());
    let misfits = [
        ("4294967296", ScalarType::U32),
        ("-1", ScalarType::U32),
        ("0.5", ScalarType::I32),
        ("2147483648", ScalarType::I32),
        ("-1", ScalarType::U64),
        ("18446744073709551616", ScalarType::U64),
        ("1e39", ScalarType::F32),
    ];
    for (weight, ty) in misfits {
        let message = told(&weigh(weight, ty).unwrap_err());
        assert!(
            message.contains(&format!("a.txt:1:5: expected a weight that a {ty} holds, found `{weight}`")),
            "{message}"
        );
    }
    for (name, text) in [
        ("a.txt", "1 2\n"),
        ("a.csv", "1,2\n"),
        ("a.graph", "2 1\n2\n1\n"),
        ("a.mtx", &format!("{PATTERN}1 1 1\n1 1\n")),
    ] {
        let options = ImportOptions { weights: Weights::As(ScalarType::F32), ..ImportOptions::default() };
        assert!(import(name, text.as_bytes(), options).is_err(), "{name} has no weights");
    }
    let options = ImportOptions { weights: Weights::As(ScalarType::U8), ..ImportOptions::default() };
    assert!(import("a.txt", b"1 2 3\n", options).unwrap_err().to_string().contains("weights of type u8"));
}

#[test]
fn weights_are_left_out_on_request() {
    let options = ImportOptions { weights: Weights::Ignore, ..ImportOptions::default() };
    let files = [
        ("a.txt", "1 2 x\n2 3 y\n"),
        ("a.csv", "1,2,x\n2,3,\n"),
        ("a.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n"),
        ("a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 NaN\n2 3 0.5\n"),
    ];
    for (name, text) in files {
        let held = import(name, text.as_bytes(), options.clone()).unwrap();
        assert_eq!((pairs(&held), held.1.value_type), (vec![(1, 2), (2, 3)], None), "{name}");
    }
    let held = import("a.graph", b"2 1 1\n2 5\n1 5\n", options).unwrap();
    assert_eq!((pairs(&held), held.1.value_type), (vec![(1, 2), (2, 1)], None));
}

#[test]
fn every_edge_has_weight_1_on_request() {
    for (ty, one) in
        [(ScalarType::U32, 1), (ScalarType::F32, u64::from(1f32.to_bits())), (ScalarType::F64, 1f64.to_bits())]
    {
        let options = ImportOptions { weights: Weights::One(ty), ..ImportOptions::default() };
        for (name, text) in [
            ("a.txt", "1 2\n2 3\n"),
            ("a.csv", "src,dst,weight\n1,2,5\n2,3,x\n"),
            ("a.gr", "p sp 3 2\na 1 2 5\na 2 3 6\n"),
        ] {
            let (arcs, declared) = import(name, text.as_bytes(), options.clone()).unwrap();
            assert_eq!(arcs, [(1, 2, Some(one)), (2, 3, Some(one))], "{name}");
            assert_eq!((declared.value_type, declared.store_as), (Some(ty), Some(ty)), "{name}");
        }
    }
    let options = ImportOptions { weights: Weights::One(ScalarType::U8), ..ImportOptions::default() };
    assert!(import("a.txt", b"1 2\n", options).unwrap_err().to_string().contains("weights of type u8"));
}
