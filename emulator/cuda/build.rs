//! Sets the library's name, and keeps the library loaded because callers close and reopen it. The name is not
//! `libcuda.so.1`, which NVRTC opens.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgts-emulated-cuda.so,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
