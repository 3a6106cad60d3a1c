//! Driver calls: their names, how often each was made, and the rules by which calls fail.

use crate::codes::{Code, Result};
use crate::configuration::configuration;
use crate::contexts;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Kinds of calls, by their requirements and by the errors that they may return for valid arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Queries the driver or a device. Requires no context.
    Plain,
    /// Creates a context. May run out of memory.
    Opening,
    /// Requires a context. Returns the errors of earlier work.
    Context,
    /// Requires a context. May run out of memory.
    Allocating,
}

use Kind::{Allocating, Context, Opening, Plain};

impl Kind {
    fn needs_context(self) -> bool {
        matches!(self, Context | Allocating)
    }
}

const CALLS: [(&str, Kind); 57] = [
    ("cuCtxEnablePeerAccess", Allocating),
    ("cuCtxGetStreamPriorityRange", Context),
    ("cuCtxSetCurrent", Plain),
    ("cuCtxSynchronize", Context),
    ("cuDeviceCanAccessPeer", Plain),
    ("cuDeviceGet", Plain),
    ("cuDeviceGetAttribute", Plain),
    ("cuDeviceGetCount", Plain),
    ("cuDeviceGetName", Plain),
    ("cuDeviceGetUuid_v2", Plain),
    ("cuDevicePrimaryCtxRelease_v2", Plain),
    ("cuDevicePrimaryCtxRetain", Opening),
    ("cuDriverGetVersion", Plain),
    ("cuEventCreate", Allocating),
    ("cuEventDestroy_v2", Context),
    ("cuEventElapsedTime_v2", Context),
    ("cuEventQuery", Context),
    ("cuEventRecord", Context),
    ("cuEventSynchronize", Context),
    ("cuFuncGetParamInfo", Context),
    ("cuGetErrorName", Plain),
    ("cuGetErrorString", Plain),
    ("cuInit", Plain),
    ("cuLaunchCooperativeKernel", Context),
    ("cuLaunchKernel", Context),
    ("cuMemAddressFree", Context),
    ("cuMemAddressReserve", Allocating),
    ("cuMemAlloc_v2", Allocating),
    ("cuMemCreate", Allocating),
    ("cuMemFreeHost", Context),
    ("cuMemFree_v2", Context),
    ("cuMemGetAllocationGranularity", Plain),
    ("cuMemGetInfo_v2", Context),
    ("cuMemHostAlloc", Allocating),
    ("cuMemHostGetDevicePointer_v2", Context),
    ("cuMemHostRegister_v2", Allocating),
    ("cuMemHostUnregister", Context),
    ("cuMemMap", Allocating),
    ("cuMemRelease", Context),
    ("cuMemSetAccess", Allocating),
    ("cuMemUnmap", Context),
    ("cuMemcpyDtoDAsync_v2", Context),
    ("cuMemcpyDtoHAsync_v2", Context),
    ("cuMemcpyDtoH_v2", Context),
    ("cuMemcpyHtoDAsync_v2", Context),
    ("cuMemcpyHtoD_v2", Context),
    ("cuMemsetD8Async", Context),
    ("cuMemsetD8_v2", Context),
    ("cuModuleGetFunction", Context),
    ("cuModuleLoadData", Allocating),
    ("cuOccupancyMaxActiveBlocksPerMultiprocessor", Context),
    ("cuStreamCreate", Allocating),
    ("cuStreamCreateWithPriority", Allocating),
    ("cuStreamDestroy_v2", Context),
    ("cuStreamQuery", Context),
    ("cuStreamSynchronize", Context),
    ("cuStreamWaitEvent", Context),
];

/// Number of times that each call was made, by the call's index.
static MADE: [AtomicU64; CALLS.len()] = [const { AtomicU64::new(0) }; CALLS.len()];

/// Returns the index of a call in [`CALLS`]. Evaluated at compile time.
pub(crate) const fn index(name: &str) -> usize {
    let mut index = 0;
    while index < CALLS.len() {
        if equal(CALLS[index].0.as_bytes(), name.as_bytes()) {
            return index;
        }
        index += 1;
    }
    panic!("the table lacks a call")
}

const fn equal(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// Runs the body of a call, unless the call must fail or its context has failed.
pub(crate) fn call(index: usize, body: impl FnOnce() -> Result<()>) -> Code {
    match admit(index).and_then(|()| body()) {
        Ok(()) => Code::SUCCESS,
        Err(code) => code,
    }
}

fn admit(index: usize) -> Result<()> {
    let made = MADE[index].fetch_add(1, Relaxed) + 1;
    let in_context = CALLS[index].1.needs_context();
    if in_context {
        contexts::check_failure()?;
    }
    for rule in &configuration().failing.rules {
        if let Some(code) = rule.applies(index, made) {
            if code.is_sticky() && in_context {
                contexts::fail_current(code);
            }
            return Err(code);
        }
    }
    Ok(())
}

/// The rules by which calls fail.
#[derive(Debug, Default)]
pub(crate) struct Failing {
    rules: Vec<Rule>,
}

/// A rule that makes a single call fail.
#[derive(Debug)]
struct Rule {
    /// Index of the call that fails, or `None` for any call that may return `code`.
    call: Option<usize>,
    code: Code,
    /// Which of the matching calls fails, counted from 1.
    number: u64,
    /// Number of matching calls made before, if `call` is `None`.
    made: AtomicU64,
}

impl Failing {
    /// Parses rules `CALL:CODE:NUMBER`, separated by commas.
    pub(crate) fn parse(text: &str) -> std::result::Result<Self, String> {
        text.split(',').map(Rule::parse).collect::<std::result::Result<_, _>>().map(|rules| Self { rules })
    }
}

impl Rule {
    fn parse(text: &str) -> std::result::Result<Self, String> {
        let [call, code, number] = text.split(':').collect::<Vec<_>>()[..] else {
            return Err("expected CALL:CODE:NUMBER".to_owned());
        };
        let call = match call {
            "any" => None,
            name => Some(
                (CALLS.iter().position(|call| call.0 == name))
                    .ok_or_else(|| format!("the driver has no call `{name}`"))?,
            ),
        };
        let known = code.parse().ok().map(Code).filter(|code| code.name().is_some() && *code != Code::SUCCESS);
        let code = known.ok_or_else(|| format!("CUDA has no error `{code}`"))?;
        let counted = number.parse().ok().filter(|&number| number > 0);
        let number = counted.ok_or_else(|| format!("calls are counted from 1, not `{number}`"))?;
        Ok(Self { call, code, number, made: AtomicU64::new(0) })
    }

    /// Returns the code if the rule makes this call fail. `made` counts the calls with this index.
    fn applies(&self, index: usize, made: u64) -> Option<Code> {
        let number = match self.call {
            Some(call) => {
                if call == index {
                    made
                } else {
                    0
                }
            }
            None => {
                if may_return(index, self.code) {
                    self.made.fetch_add(1, Relaxed) + 1
                } else {
                    0
                }
            }
        };
        (number == self.number).then_some(self.code)
    }
}

/// Returns whether the call with this index may return the code in CUDA.
fn may_return(index: usize, code: Code) -> bool {
    let (name, kind) = CALLS[index];
    match code {
        Code::OUT_OF_MEMORY => matches!(kind, Allocating | Opening),
        Code::NOT_READY => matches!(name, "cuEventQuery" | "cuStreamQuery"),
        Code::PEER_ACCESS_ALREADY_ENABLED => name == "cuCtxEnablePeerAccess",
        Code::HOST_MEMORY_ALREADY_REGISTERED => name == "cuMemHostRegister_v2",
        _ if code.is_sticky() => kind.needs_context(),
        _ => !name.starts_with("cuGetError"),
    }
}

/// Returns the calls made at least once, with their counts.
pub(crate) fn made() -> impl Iterator<Item = (&'static str, u64)> {
    CALLS.iter().zip(&MADE).map(|(call, made)| (call.0, made.load(Relaxed))).filter(|&(_, made)| made > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_call_of_that_number_fails_and_no_other() {
        let rule = Rule::parse("cuMemAlloc_v2:2:3").unwrap();
        let alloc = index("cuMemAlloc_v2");
        let failed: Vec<_> = (1..6).map(|made| rule.applies(alloc, made)).collect();
        assert_eq!(failed, [None, None, Some(Code::OUT_OF_MEMORY), None, None]);
        assert_eq!(rule.applies(index("cuMemFree_v2"), 3), None);
    }

    #[test]
    fn any_counts_the_calls_that_may_return_the_code() {
        let rule = Rule::parse("any:2:2").unwrap();
        let calls = ["cuMemAlloc_v2", "cuMemcpyHtoD_v2", "cuStreamCreate", "cuMemAlloc_v2"];
        let failed: Vec<_> = calls.iter().map(|name| rule.applies(index(name), 1)).collect();
        assert_eq!(failed, [None, None, Some(Code::OUT_OF_MEMORY), None]);
    }

    #[test]
    fn the_table_is_sorted_and_names_each_call_once() {
        assert!(CALLS.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
