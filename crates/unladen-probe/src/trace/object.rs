//! What clang made of bpf/: two objects.

use libbpf_rs::{ObjectBuilder, OpenObject};

use super::TraceError;
use super::refusal::refusal;

/// libelf wants numbers where they can be read as such.
#[repr(C, align(8))]
pub(crate) struct Aligned<T: ?Sized>(pub(crate) T);

/// System calls, processes, connections.
pub(super) static CALLS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/calls.bpf.o")));

/// Functions of programs and libraries: by itself, so that a kernel which refuses these takes the others.
pub(super) static FUNCTIONS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/functions.bpf.o")));

pub(crate) fn open(bytes: &[u8]) -> Result<OpenObject, TraceError> {
    ObjectBuilder::default().open_memory(bytes).map_err(|error| refusal("reading its own programs", error))
}

#[cfg(test)]
mod tests;
