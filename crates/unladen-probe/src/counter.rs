//! The principal type is [`Counter`]: name, unit and meaning of something counted.

/// The unit of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unit {
    Nanoseconds,
    Bytes,
    Count,
}

impl Unit {
    /// As in results: `ns`, `B`, `1`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Bytes => "B",
            Self::Count => "1",
        }
    }
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Something a probe counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counter {
    /// Stable name in results.
    pub name: &'static str,
    pub unit: Unit,
    /// Name in tables.
    pub title: &'static str,
    pub meaning: &'static str,
    /// Whether the kernel samples it rather than counting.
    pub approximate: bool,
}

impl Counter {
    /// A counter that the kernel keeps exactly.
    pub const fn exact(name: &'static str, unit: Unit, title: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, title, meaning, approximate: false }
    }

    /// A counter that the kernel samples.
    pub const fn sampled(name: &'static str, unit: Unit, title: &'static str, meaning: &'static str) -> Self {
        Self { name, unit, title, meaning, approximate: true }
    }
}
