//! Writes the examples in the tables of the kernel language as Rust, for `tests/reference`.

#[path = "build/codes.rs"]
mod codes;
#[path = "build/rows.rs"]
mod rows;

use gts_contract::language::Code;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let mended = codes::modules(Code::ALL.iter().copied(), Code::mended);
    for (name, text) in [("rows.rs", rows::text()), ("mended.rs", mended)] {
        fs::write(folder.join(name), text).expect("the examples can be written");
    }
}
