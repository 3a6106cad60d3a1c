//! Sets the library's soname and prevents unloading, because callers close and reopen the library. The soname is not
//! `libcuda.so.1`: NVRTC opens that name and must not find this library.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgts-emulated-cuda.so,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
