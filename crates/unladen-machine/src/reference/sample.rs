//! The principal type is [`ReferenceSample`].

use crate::reference::kind::ReferenceKind;

/// How long one piece took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceSample {
    /// What the piece exercised.
    pub kind: ReferenceKind,
    /// Time on a processor, in ns, by the clock by which weights are measured. Time that a hypervisor took away is in
    /// it only if the kernel does not know of it.
    pub cpu_ns: u64,
    /// Time from the beginning to the end, in ns: waiting for a processor is in it.
    pub wall_ns: u64,
}
