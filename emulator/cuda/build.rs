//! Names the library, and keeps it loaded: callers close and open it again. NVRTC opens `libcuda.so.1`, which is another one.

fn main() {
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgts-emulated-cuda.so,-z,nodelete");
    println!("cargo:rerun-if-changed=build.rs");
}
