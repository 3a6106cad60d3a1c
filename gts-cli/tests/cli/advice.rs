//! The texts of errors in the sources: a text names no next step, and the advice to users of the command names no call.

use std::path::Path;

/// Calls that are meaningful to the author of a program, but not to the user of a command.
pub(crate) const CALLS: [&str; 12] = [
    "::",
    "#[",
    "()",
    "builder",
    "in the options",
    "ask to",
    "_limit",
    "max_steps",
    "_edges",
    "_memory",
    "`symmetrise`",
    "`width`",
];

/// Returns the first string after the beginning of a source, without its quotes.
fn text_from(source: &str) -> Option<&str> {
    let begin = source.find('"')? + 1;
    let mut escaped = false;
    let end = source[begin..].find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(&source[begin..begin + end])
}

fn each_source(folder: &Path, look: &mut impl FnMut(&Path, &str)) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            each_source(&path, look);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            look(&path, &std::fs::read_to_string(&path).expect("a source"));
        }
    }
}

#[test]
fn texts_name_no_next_step_and_advice_to_users_no_call() {
    let (mut texts, mut advised, mut wrong) = (0, 0, Vec::new());
    for part in ["gts-core", "gts-runtime", "gts-algorithms", "gts-cli", "gts-graph", "bench"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(part).join("src");
        each_source(&folder, &mut |path, source| {
            let source = source.split("#[cfg(test)]").next().unwrap_or("");
            for (place, _) in source.match_indices("#[error(") {
                texts += 1;
                if !source[place..].starts_with("#[error(transparent)")
                    && let Some(text) = text_from(&source[place..])
                    && text.contains("; ")
                {
                    wrong.push(format!("{}: \"{text}\": say what to do in `advice`", path.display()));
                }
            }
            for (place, _) in source.match_indices("Advice::new(") {
                advised += 1;
                let text = text_from(&source[place..]).unwrap_or("");
                if let Some(call) = CALLS.iter().find(|call| text.contains(**call)) {
                    wrong.push(format!("{}: \"{text}\" names {call}", path.display()));
                }
            }
        });
    }
    assert!(texts > 80 && advised > 20, "{texts}, {advised}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
