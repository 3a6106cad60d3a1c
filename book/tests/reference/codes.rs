//! Tests that every public error has a code, and that every code has an error and a test.

use crate::variants::{Coded, Sources};
use gts_contract::language::Code;
use std::collections::{BTreeMap, BTreeSet};

/// Codes that several variants share, each with its variants and the reason.
const SHARED: &[(Code, &[&str], &str)] = &[
    (
        Code::DivisionFault,
        &["ErrorWhat::DivisionByZero", "ErrorWhat::RemainderByZero", "ErrorWhat::DivisionOverflow"],
        "a quotient that does not exist",
    ),
    (
        Code::OverflowFault,
        &[
            "ErrorWhat::AdditionOverflow",
            "ErrorWhat::SubtractionOverflow",
            "ErrorWhat::MultiplicationOverflow",
            "ErrorWhat::NegationOverflow",
            "ErrorWhat::AbsoluteOverflow",
        ],
        "the message names the operator",
    ),
    (
        Code::UnmetNeed,
        &["Error::Needs", "ReadError::Weights", "Shortfall::Graph"],
        "a plan or a reader finds what a run would find",
    ),
    (
        Code::InvalidArgument,
        &["Error::Argument", "UnknownKeyKind", "UnknownTechnique"],
        "a technique or a type of keys is an argument",
    ),
    (Code::MissingFile, &["ImportError::Io", "ReadError::Missing", "StoreError::Io"], "there is no such file"),
    (Code::EdgeValueType, &["FormatError::Value", "UnknownWeights"], "a type that weights cannot have"),
    (Code::DeviceMemory, &["Error::OutOfMemory", "Shortfall::DeviceMemory"], "a plan finds what a run would find"),
    (
        Code::HostMemory,
        &["NoMemory", "Shortfall::HostMemory", "StoreError::Memory"],
        "memory for a buffer, a plan or a file",
    ),
    (Code::ForeignFrame, &["FrameError::Foreign", "FrameError::Version"], "the sender is another program"),
    (Code::DamagedFrame, &["FrameError::Damaged", "FrameError::TooLong"], "a length is damaged, too"),
    (Code::LostConnection, &["FrameError::Cut", "FrameError::Io"], "the system reports one of them"),
    (Code::StoreAccess, &["StoreError::Io", "StoreError::ReadPages"], "the system refused a call"),
    (Code::NotReplaced, &["StoreError::NotReplaced", "StoreError::ForeignFiles"], "something that is not a store"),
    (
        Code::DamagedManifest,
        &["StoreError::Manifest", "StoreError::Format", "StoreError::Property"],
        "an entry of the manifest is wrong",
    ),
    (Code::StoreChecksum, &["StoreError::Checksum", "StoreError::PageChecksum"], "a page is a part of a file"),
    (
        Code::DamagedPage,
        &[
            "PageError::Length",
            "PageError::StartVertex",
            "PageError::Slots",
            "PageError::Overfull",
            "PageError::Slot",
            "PageError::Record",
            "PageError::NoEdge",
            "PageError::Order",
            "PageError::NotANumber",
            "PageError::TotalEntries",
        ],
        "a page that no build of GTS writes",
    ),
    (
        Code::DamagedTable,
        &[
            "StoreError::Table",
            "StoreError::Imbalance",
            "RvtError::Length",
            "RvtError::Start",
            "RvtError::Run",
            "IdMapError::Order",
            "IdMapError::Permutation",
            "IdMapError::Numbering",
            "IdMapError::Length",
            "IdMapError::Names",
        ],
        "a table that no build of GTS writes",
    ),
    (Code::UnfitColumns, &["ImportError::Misfit", "ImportError::UnfitTable"], "typed tables have no lines"),
    (Code::HeaderCount, &["ImportError::ImpossibleCount", "ImportError::WrongCount"], "one is found before the other"),
    (Code::LongLine, &["ImportError::LongLine", "LineFault::Long"], "a line of an import, or of another file"),
    (Code::RecordWidth, &["FormatError::Width", "FormatError::WidthSyntax"], "the width is written wrongly"),
    (
        Code::DeclaredIds,
        &["BuildError::DeclaredKeys", "BuildError::DeclaredOrder", "BuildError::DeclaredRange"],
        "declared IDs",
    ),
    (Code::LayersRoot, &["BuildError::LayersKeys", "BuildError::NoRoot"], "the root of the layers"),
    (Code::BuildBudget, &["BuildError::Budget", "ImportError::Vertices"], "listed vertices are known before the build"),
    (Code::Interrupted, &["BuildError::Interrupted", "Error::Interrupted"], "a build, or a run"),
    (Code::UnknownOrder, &["UnknownOrder", "UnknownOrderChoice"], "the order of a store, or of a build"),
    (
        Code::GeneratorOption,
        &["GenerateError::UnknownOption", "GenerateError::RepeatedOption"],
        "an option that does not belong there",
    ),
    (Code::ConstantsFile, &["ConstantsError::File", "ConstantsError::Content"], "both are mended by measuring again"),
    (Code::FileAccess, &["LineFault::Read", "Error::Io"], "the system refused a call"),
];

/// Codes of runs, graphs, devices and the command line that no test can provoke, each with the reason.
const NOT_PROVOKED: &[(Code, &str)] = &[
    (Code::PageLock, "needs a driver that refuses to lock memory"),
    (Code::TooManyEdges, "needs a vertex with 2^32 edges"),
    (Code::NoCacheFolder, "HOME is part of the environment of all tests"),
    (Code::WrongAnswer, "needs an algorithm that is wrong"),
    (Code::FailedRank, "is never printed: the rank has printed its own error"),
];

#[test]
fn every_public_error_has_a_code() {
    let sources = Sources::all();
    let coded: BTreeSet<&str> = sources.coded.iter().map(|coded| coded.type_name.as_str()).collect();
    let without: Vec<_> = sources.errors.iter().filter(|name| !coded.contains(name.as_str())).collect();
    assert!(without.is_empty(), "errors without `fn code`: {without:?}");
    assert!(sources.errors.len() > 20, "only {} errors found", sources.errors.len());
    assert!(sources.open.is_empty(), "`fn code` with an arm for all other variants: {:?}", sources.open);
}

#[test]
fn unlike_errors_have_unlike_codes() {
    let mut variants: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let sources = Sources::all();
    for Coded { code, variant, .. } in &sources.coded {
        if let Some(code) = code {
            variants.entry(code.clone()).or_default().insert(variant);
        }
    }
    let shared: BTreeMap<String, BTreeSet<&str>> =
        SHARED.iter().map(|(code, variants, _)| (format!("{code:?}"), variants.iter().copied().collect())).collect();
    variants.retain(|_, variants| variants.len() > 1);
    assert_eq!(variants, shared);
}

#[test]
fn every_code_is_that_of_an_error() {
    let sources = Sources::all();
    let mut used: BTreeSet<&str> = sources.coded.iter().filter_map(|coded| coded.code.as_deref()).collect();
    used.extend(sources.of_fields.iter().map(String::as_str));
    for code in Code::ALL {
        let name = format!("{code:?}");
        let of_macros = code.number() < 1000;
        assert_eq!(used.contains(name.as_str()), !of_macros, "{code} {name}");
        assert_eq!(sources.of_macros.contains(&name), of_macros, "{code} {name}");
    }
}

#[test]
fn every_error_beyond_the_macros_is_provoked_by_a_test() {
    let sources = Sources::all();
    let mut wrong = Vec::new();
    for code in Code::ALL.iter().filter(|code| code.number() >= 1000) {
        let name = format!("{code:?}");
        let variants = sources.coded.iter().filter(|coded| coded.code.as_ref() == Some(&name));
        let mut words = vec![code.to_string(), format!("Code::{name}")];
        words.extend(variants.map(|coded| coded.variant.clone()));
        let provoked = sources.tests.iter().any(|test| words.iter().any(|word| names(test, word)));
        let listed = NOT_PROVOKED.iter().any(|(other, _)| other == code);
        if provoked == listed {
            wrong.push(format!("{code} {name}: {}", if listed { "provoked, but listed" } else { "not provoked" }));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns whether a text contains a word as a whole word.
fn names(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part)
    })
}
