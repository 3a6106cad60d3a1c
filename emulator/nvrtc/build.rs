//! Sets the library's name, and keeps the library loaded because callers close and reopen it.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgts-emulated-nvrtc.so,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
