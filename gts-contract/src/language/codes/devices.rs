//! Errors of devices, and of the files that describe them.

macro_rules! devices {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    3001 NoDevice: NoDevice "A device that cannot be used"
        "The device does not exist, or its driver is missing or too old. `gts devices` lists the devices and the \
         reasons why some cannot be used.";
    3002 DeviceMemory: Memory "Too little device memory"
        "The attributes that a kernel writes, and a few pages, must fit in the memory of the device. The advice names \
         a remedy, such as another strategy, several devices or the CPU.";
    3003 PageLock: Memory "Host memory that cannot be page-locked"
        "A GPU copies from page-locked host memory, and the system cannot lock more memory. Free host memory, or raise \
         `ulimit -l`.";
    3004 KernelCompilation "A kernel whose CUDA C does not compile"
        "The compiler rejected the CUDA C of a kernel. This is an error of GTS: report it with the output of `gts show \
         ALGORITHM --variant VARIANT --whole`. Until it is fixed, run the algorithm on the CPU.";
    3005 DeviceFailure: LostDevice "A device that failed"
        "A call to the driver failed, and this process can no longer use the device. Start the program again. If the \
         call fails again, check the device and its driver.";
    3006 NoNccl: NoDevice "NCCL that cannot be used"
        "NCCL transfers values between the GPUs of several processes. It is missing, too old, or cannot connect the \
         ranks. `--collectives host` transfers the values through the host.";
    3007 NcclFailure: LostDevice "A transfer by NCCL that failed"
        "NCCL reported an error during a transfer between GPUs. Start again with `NCCL_DEBUG=WARN` to see its \
         messages.";
    3008 NoCacheFolder "No folder for measured constants"
        "GTS stores measured constants and compiled kernels in the user's cache folder, and there is no such folder. \
         Set `GTS_CACHE_DIR` or `HOME`.";
    3009 ConstantsFile: Input "Measured constants that cannot be used"
        "The file of measured constants cannot be read or written, or its content is invalid. Measure the constants \
         again with `gts devices --measure`.";
    3010 SharedCache "A cache that other users can write to"
        "If other users can write to the cache, they can replace the constants and compiled kernels that you run. Use \
         a folder of your own, or run `chmod go-w` on this one.";
    } };
}
