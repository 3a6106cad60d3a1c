//! Tests of `gts explain` for words of the kernel language.

use crate::sandbox::Sandbox;

#[test]
fn a_word_of_the_language_is_explained() {
    let sandbox = Sandbox::new();
    let text = sandbox.text(&["explain", "fetch_min"]);
    for part in ["fetch_min (atomic update)", "a.level[dst].fetch_min(x)", "returns the value before", "Limits: "] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let text = sandbox.text(&["explain", "min"]);
    assert!(
        ["min (merge)", "min (method of numbers)", "min (reduction)"].iter().all(|head| text.contains(head)),
        "{text}"
    );
}

#[test]
fn a_word_that_kernels_lack_names_what_to_write_instead() {
    let sandbox = Sandbox::new();
    let json = sandbox.json(&["explain", "match"]);
    assert_eq!(json["entries"][0]["kind"], "not in the language");
    assert_eq!(json["entries"][0]["instead"], "write `if .. else if .. else ..`");
    assert!(sandbox.text(&["explain", "println!"]).contains("Instead: write the statement out"));
}

#[test]
fn an_unknown_word_names_the_nearest_and_exits_with_2() {
    let sandbox = Sandbox::new();
    assert!(sandbox.fails(2, &["explain", "fetch_mn"]).contains("did you mean `gts explain fetch_min`?"));
    assert!(sandbox.fails(2, &["explain", "frobnicate"]).contains("no code and no word is `frobnicate`"));
}
