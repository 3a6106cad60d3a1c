//! Sets the library's soname and prevents unloading, because callers close and reopen the library.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgts-emulated-nvrtc.so,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
