//! The CUDA C that the macro writes for every shipped kernel, one file each in `tests/snapshots`.
//!
//! A change of the macro shows there as a difference to read. `INSTA_UPDATE=always cargo test -p gts-tests --test
//! snapshots` takes the new text.

use gts_core::contract::KernelDescriptor;
use gts_runtime::algorithm;

/// `algorithm.kernel`, with the type of a generic struct.
fn name(algorithm: &str, kernel: &KernelDescriptor) -> String {
    let kernel_name = kernel.name.split(['<', ':']).next().unwrap_or(kernel.name);
    match kernel.schema.parameter {
        Some(parameter) => format!("{algorithm}.{kernel_name}.{parameter}"),
        None => format!("{algorithm}.{kernel_name}"),
    }
}

#[test]
fn cuda_of_shipped_kernels() {
    gts_algorithms::link();
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for algorithm in algorithm::all() {
            for kernel in algorithm.kernels {
                insta::assert_snapshot!(name(algorithm.name, kernel), kernel.cuda);
            }
        }
    });
}
