//! The two objects compiled from bpf/ by clang.

use libbpf_rs::{ObjectBuilder, OpenObject};

use super::TraceError;
use super::refusal::refusal;

/// libelf needs the bytes aligned to be read as numbers.
#[repr(C, align(8))]
pub(crate) struct Aligned<T: ?Sized>(pub(crate) T);

pub(super) static CALLS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/calls.bpf.o")));

/// Separate, so that a kernel that refuses functions of programs and libraries still takes the rest.
pub(super) static FUNCTIONS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/functions.bpf.o")));

pub(crate) fn open(bytes: &[u8]) -> Result<OpenObject, TraceError> {
    ObjectBuilder::default().open_memory(bytes).map_err(|error| refusal("reading its own programs", error))
}

#[cfg(test)]
mod tests;
