//! Memory that is divided among several devices, at contiguous addresses.

use super::{Buffer, Context, Stream};
use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};
use gts_device::error::Result;
use std::ops::Range;
use std::sync::Arc;

/// Memory that is divided among several devices. All of these devices access the memory at the same addresses.
#[derive(Debug)]
pub(crate) struct Spread {
    contexts: Vec<Arc<Context>>,
    address: u64,
    bytes: usize,
    /// The size of each device's share in bytes.
    share: usize,
    /// The number of devices whose share is mapped.
    mapped: usize,
}

impl Spread {
    /// Returns the size of each device's share in bytes, or `None` if a device does not support spread memory.
    pub(crate) fn share(contexts: &[Arc<Context>], bytes: usize) -> Option<usize> {
        let granularity = |context: &Arc<Context>| {
            context.bind().ok()?;
            let mut bytes = 0;
            let option = sys::CUmemAllocationGranularity_flags::CU_MEM_ALLOC_GRANULARITY_MINIMUM;
            // SAFETY: the target and the properties are valid.
            let asked = unsafe { sys::cuMemGetAllocationGranularity(&mut bytes, &context.properties(), option) };
            (asked == CUresult::CUDA_SUCCESS).then_some(bytes)
        };
        let granularity = contexts.iter().map(granularity).collect::<Option<Vec<_>>>()?.into_iter().max()?;
        Some(bytes.max(1).div_ceil(contexts.len()).next_multiple_of(granularity.max(1)))
    }

    /// Allocates zeroed memory. Returns `None` if a device has too little memory left, or if the driver does not
    /// support spread memory.
    ///
    /// # Errors
    ///
    /// Returns an error if a device has failed permanently.
    pub(crate) fn zeroed(contexts: &[Arc<Context>], bytes: usize) -> Result<Option<Self>> {
        let Some(share) = Self::share(contexts, bytes) else { return Ok(None) };
        let (whole, mut address) = (share * contexts.len(), 0);
        // SAFETY: the target is valid.
        if unsafe { sys::cuMemAddressReserve(&mut address, whole, 0, 0, 0) } != CUresult::CUDA_SUCCESS {
            return Ok(None);
        }
        // From here on, dropping `spread` frees the addresses and the mapped shares.
        let mut spread = Self { contexts: contexts.to_vec(), address, bytes, share, mapped: 0 };
        for context in contexts {
            if !spread.map(context)? {
                return Ok(None);
            }
        }
        let access: Vec<_> = contexts.iter().map(|context| context.access()).collect();
        // SAFETY: the range is mapped; the descriptions are valid.
        if unsafe { sys::cuMemSetAccess(address, whole, access.as_ptr(), access.len()) } != CUresult::CUDA_SUCCESS {
            return Ok(None);
        }
        for (number, context) in contexts.iter().enumerate() {
            context.bind()?;
            // SAFETY: the share is mapped, and the device may write it.
            let cleared = unsafe { result::memset_d8_sync(address + (number * share) as u64, 0, share) };
            context.check(cleared, "clearing memory")?;
            context.settle("clearing memory")?;
        }
        Ok(Some(spread))
    }

    /// Allocates and maps the next device's share. Returns whether the share was mapped.
    fn map(&mut self, context: &Arc<Context>) -> Result<bool> {
        context.bind()?;
        if context.ledger().take(self.share as u64).is_err() {
            return Ok(false);
        }
        let mut handle = 0;
        let place = self.address + (self.mapped * self.share) as u64;
        // SAFETY: the target and the properties are valid.
        let made = unsafe { sys::cuMemCreate(&mut handle, self.share, &context.properties(), 0) };
        let mut mapped = made == CUresult::CUDA_SUCCESS;
        if mapped {
            // SAFETY: the addresses are reserved, and nothing is mapped there yet.
            mapped = unsafe { sys::cuMemMap(place, self.share, 0, handle, 0) } == CUresult::CUDA_SUCCESS;
            // SAFETY: the handle was made above; the mapped memory stays allocated until it is unmapped.
            context.check(unsafe { sys::cuMemRelease(handle) }.result(), "releasing a handle of memory")?;
        }
        if mapped {
            self.mapped += 1;
        } else {
            context.ledger().give(self.share as u64);
        }
        Ok(mapped)
    }

    /// Returns the first address, which is the same for all devices.
    pub(crate) fn address(&self) -> u64 {
        self.address
    }

    /// Returns the number of requested bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Copies from host memory, and waits for the copy. No stream may use the target range during the call.
    pub(crate) fn upload(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        assert!(offset + bytes.len() <= self.bytes, "copies stay within the memory");
        for (device, part) in self.pieces(offset, bytes.len()) {
            let context = &self.contexts[device];
            context.bind()?;
            let source = &bytes[part.start - offset..part.end - offset];
            // SAFETY: the target lies within the memory.
            let copied = unsafe { result::memcpy_htod_sync(self.address + part.start as u64, source) };
            context.check(copied, "copying to the devices")?;
            context.settle("copying to the devices")?;
        }
        Ok(())
    }

    /// Copies to host memory, and waits for the copy. No stream may write the source range during the call.
    pub(crate) fn download(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        assert!(offset + bytes.len() <= self.bytes, "copies stay within the memory");
        for (device, part) in self.pieces(offset, bytes.len()) {
            let context = &self.contexts[device];
            context.bind()?;
            let target = &mut bytes[part.start - offset..part.end - offset];
            // SAFETY: the source lies within the memory.
            let copied = unsafe { result::memcpy_dtoh_sync(target, self.address + part.start as u64) };
            context.check(copied, "copying from the devices")?;
        }
        Ok(())
    }

    /// Cuts a range at the boundaries between shares. Each item consists of a device's index and the part of the range
    /// on that device.
    fn pieces(&self, offset: usize, bytes: usize) -> impl Iterator<Item = (usize, Range<usize>)> + use<> {
        let (share, end) = (self.share, offset + bytes);
        let mut from = offset;
        std::iter::from_fn(move || {
            let device = from / share;
            let part = from..end.min((device + 1) * share);
            from = part.end;
            (!part.is_empty()).then_some((device, part))
        })
    }
}

impl Drop for Spread {
    fn drop(&mut self) {
        let (poisoned, first) = (self.contexts.iter().any(|context| context.is_poisoned()), &self.contexts[0]);
        if poisoned {
            return;
        }
        for (number, context) in self.contexts[..self.mapped].iter().enumerate() {
            let place = self.address + (number * self.share) as u64;
            // SAFETY: the share is mapped, and unmapped once; all devices have finished the work that might use the
            // share.
            context.release(|| unsafe {
                self.contexts.iter().try_for_each(|context| {
                    result::ctx::set_current(context.handle)?;
                    result::ctx::synchronize()
                })?;
                sys::cuMemUnmap(place, self.share).result()
            });
            context.ledger().give(self.share as u64);
        }
        // SAFETY: the addresses were reserved once, and no memory is mapped there any longer.
        first.release(|| unsafe { sys::cuMemAddressFree(self.address, self.share * self.contexts.len()) }.result());
    }
}

impl Context {
    fn location(&self) -> sys::CUmemLocation {
        sys::CUmemLocation { type_: sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE, id: self.device }
    }

    /// Returns the properties of an allocation on this device that can be mapped at any address.
    fn properties(&self) -> sys::CUmemAllocationProp {
        sys::CUmemAllocationProp {
            type_: sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            requestedHandleTypes: sys::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: self.location(),
            win32HandleMetaData: std::ptr::null_mut(),
            allocFlags: sys::CUmemAllocationProp_st__bindgen_ty_1 {
                compressionType: 0,
                gpuDirectRDMACapable: 0,
                usage: 0,
                reserved: [0; 4],
            },
        }
    }

    fn access(&self) -> sys::CUmemAccessDesc {
        let flags = sys::CUmemAccess_flags::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
        sys::CUmemAccessDesc { location: self.location(), flags }
    }
}

impl Stream {
    /// Copies the first `bytes` bytes of a buffer into spread memory, after earlier work in the stream.
    pub(crate) fn copy_to_spread(&self, source: &Buffer, target: &Spread, offset: usize, bytes: usize) -> Result<()> {
        assert!(bytes <= source.bytes() && offset + bytes <= target.bytes, "copies stay within the memory");
        self.context().bind()?;
        for (_, part) in target.pieces(offset, bytes) {
            let from = source.address() + (part.start - offset) as u64;
            let to = target.address + part.start as u64;
            // SAFETY: both ranges have the part's length, and all devices can access spread memory.
            let copied = unsafe { result::memcpy_dtod_async(to, from, part.len(), self.handle()) };
            self.context().check(copied, "copying to the devices")?;
        }
        Ok(())
    }
}
