//! Replaces text in programs, to plant faults without rebuilding GTS.
//!
//! A patch file contains one or more replacements:
//!
//! ```text
//! <<<<
//! text to find, one or more lines
//! ====
//! text in its place, or nothing
//! >>>>
//! ```
//!
//! Lines outside replacements are comments. Each replacement applies to all programs that contain its text. The process
//! ends with exit code 2 if a replacement matches none of the programs that it compiled.
#![allow(unsafe_code)]

use super::refuse;
use std::env;
use std::ffi::{CStr, CString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// A text and its replacement.
struct Replacement {
    /// Line of the patch file at which the replacement begins.
    line: usize,
    from: String,
    to: String,
    /// Whether any program contained the text.
    matched: AtomicBool,
}

/// The replacements of a patch file.
struct Patch {
    file: String,
    replacements: Vec<Replacement>,
}

static PATCH: OnceLock<Option<Patch>> = OnceLock::new();

/// Returns the text of a program after all replacements.
pub(super) fn patched(source: &CStr) -> CString {
    let Some(patch) = PATCH.get_or_init(load) else { return source.to_owned() };
    let mut text = source.to_string_lossy().into_owned();
    for replacement in &patch.replacements {
        if text.contains(&replacement.from) {
            replacement.matched.store(true, Relaxed);
            text = text.replace(&replacement.from, &replacement.to);
        }
    }
    CString::new(text).unwrap_or_else(|_| refuse(&format!("{} contains a NUL", patch.file)))
}

fn load() -> Option<Patch> {
    let file = env::var("GTS_EMU_PATCH").ok().filter(|file| !file.is_empty())?;
    let text =
        std::fs::read_to_string(&file).unwrap_or_else(|error| refuse(&format!("GTS_EMU_PATCH: {file}: {error}")));
    let replacements = parse(&text).unwrap_or_else(|why| refuse(&format!("GTS_EMU_PATCH: {file}:{why}")));
    // SAFETY: the registered function takes no argument and does not unwind.
    unsafe { libc::atexit(report_unmatched) };
    Some(Patch { file, replacements })
}

extern "C" fn report_unmatched() {
    let Some(Some(patch)) = PATCH.get() else { return };
    if let Some(lost) = patch.replacements.iter().find(|replacement| !replacement.matched.load(Relaxed)) {
        eprintln!("gts emulator: GTS_EMU_PATCH: {}:{}: the text is in no program", patch.file, lost.line);
        // SAFETY: ends the process. The run did not apply the whole patch, so the other exit handlers can be skipped.
        unsafe { libc::_exit(2) };
    }
}

/// Parses the replacements of a patch file. An error message begins with the line number.
fn parse(text: &str) -> Result<Vec<Replacement>, String> {
    let mut replacements = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        if line != "<<<<" {
            continue;
        }
        let begins = index + 1;
        let mut until = |mark: &str| {
            let mut part = Vec::new();
            for (_, line) in lines.by_ref() {
                if line == mark {
                    return Ok(part.join("\n"));
                }
                part.push(line);
            }
            Err(format!("{begins}: the replacement has no line `{mark}`"))
        };
        let (from, to) = (until("====")?, until(">>>>")?);
        if from.is_empty() {
            return Err(format!("{begins}: there is no text to find"));
        }
        replacements.push(Replacement { line: begins, from, to, matched: AtomicBool::new(false) });
    }
    if replacements.is_empty() { Err("1: no line `<<<<` begins a replacement".to_owned()) } else { Ok(replacements) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_have_text_before_and_after() {
        let parsed = parse("a comment\n<<<<\none\ntwo\n====\nthree\n>>>>\n<<<<\nfour\n====\n>>>>\n").unwrap();
        let shown: Vec<_> = parsed.iter().map(|r| (r.line, r.from.as_str(), r.to.as_str())).collect();
        assert_eq!(shown, [(2, "one\ntwo", "three"), (8, "four", "")]);
    }

    #[test]
    fn a_file_without_a_whole_replacement_is_refused_with_its_line() {
        for (text, why) in [
            ("", "1: no line `<<<<` begins a replacement"),
            ("\n<<<<\none\n", "2: the replacement has no line `====`"),
            ("<<<<\none\n====\n", "1: the replacement has no line `>>>>`"),
            ("<<<<\n====\ntwo\n>>>>\n", "1: there is no text to find"),
        ] {
            assert_eq!(parse(text).err().as_deref(), Some(why));
        }
    }
}
