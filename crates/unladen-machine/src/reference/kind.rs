//! The principal type is [`ReferenceKind`].

/// What a piece of reference work exercises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReferenceKind {
    /// The processor alone: integers, and a table that fits into its first cache.
    Arithmetic,
    /// The shared caches, and the memory.
    Memory,
    /// The way into the kernel and back, and a little of its work.
    SystemCalls,
}

// === impl ReferenceKind ===

impl ReferenceKind {
    /// All kinds, in the order of results.
    pub const ALL: [Self; 3] = [Self::Arithmetic, Self::Memory, Self::SystemCalls];

    /// Name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Memory => "memory",
            Self::SystemCalls => "syscalls",
        }
    }
}

impl std::fmt::Display for ReferenceKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
