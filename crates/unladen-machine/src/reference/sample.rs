//! The principal type is [`ReferenceSample`].

use crate::reference::kind::ReferenceKind;

/// How long one piece took.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReferenceSample {
    pub kind: ReferenceKind,
    /// In ns, by the clock of weights. Includes time that a hypervisor took only if the kernel does not know of it.
    pub cpu_ns: u64,
    /// Elapsed time, in ns, including waits for a processor.
    pub wall_ns: u64,
}
