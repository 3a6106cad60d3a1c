//! Descriptions of the driver's result codes.
//!
//! This table replaces the driver's own texts, which require a call into a library that may be missing.

use cudarc::driver::sys::CUresult;

/// Returns a readable description of a result code, including the code's number.
pub(super) fn text(code: CUresult) -> String {
    use CUresult::*;
    let known = match code {
        CUDA_ERROR_INVALID_VALUE => "invalid value",
        CUDA_ERROR_OUT_OF_MEMORY => "out of memory",
        CUDA_ERROR_NOT_INITIALIZED => "the driver is not initialised",
        CUDA_ERROR_DEINITIALIZED => "the driver is shutting down",
        CUDA_ERROR_STUB_LIBRARY => "the library is the toolkit's stub, not a driver",
        CUDA_ERROR_DEVICE_UNAVAILABLE => "the device is busy or in exclusive use",
        CUDA_ERROR_NO_DEVICE => "no CUDA device",
        CUDA_ERROR_INVALID_DEVICE => "no device of that number",
        CUDA_ERROR_INVALID_IMAGE => "the compiled program is not valid",
        CUDA_ERROR_NO_BINARY_FOR_GPU => "the compiled program is for another architecture",
        CUDA_ERROR_ECC_UNCORRECTABLE => "uncorrectable memory error (ECC)",
        CUDA_ERROR_NOT_FOUND => "not found",
        CUDA_ERROR_ILLEGAL_ADDRESS => "a kernel touched memory that it does not own",
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => "too many registers or too much shared memory for a launch",
        CUDA_ERROR_LAUNCH_TIMEOUT => "the system's watchdog ended a kernel",
        CUDA_ERROR_HARDWARE_STACK_ERROR => "a kernel's stack is corrupt or too small",
        CUDA_ERROR_ILLEGAL_INSTRUCTION => "a kernel ran an illegal instruction",
        CUDA_ERROR_MISALIGNED_ADDRESS => "a kernel touched a misaligned address",
        CUDA_ERROR_LAUNCH_FAILED => "a kernel failed",
        CUDA_ERROR_NOT_PERMITTED => "not permitted",
        CUDA_ERROR_SYSTEM_NOT_READY => "the system is not ready (is the fabric manager running?)",
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => "the driver's library and the kernel module are of different versions",
        CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => "forward compatibility is not supported on this device",
        CUDA_ERROR_MPS_CONNECTION_FAILED => "no connection to the MPS server",
        CUDA_ERROR_OPERATING_SYSTEM => "a call to the operating system failed",
        _ => "",
    };
    let number = code as u32;
    if known.is_empty() { format!("CUDA error {number}") } else { format!("{known} (CUDA error {number})") }
}
