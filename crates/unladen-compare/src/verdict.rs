//! The principal type is [`Verdict`]: the verdict on one metric of two runs.

use serde::{Serialize, Serializer};

/// The verdict on one metric of two runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    Gone,
    New,
    /// More of a counter.
    Heavier,
    /// Less of a counter.
    Lighter,
    /// Longer, or fewer per second, or fewer within a time.
    Slower,
    /// Shorter, or more per second, or more within a time.
    Faster,
    /// The whole interval lies within a margin that does not matter.
    NoMeasurableDifference,
    /// The interval is too wide to say, since runs of the same thing vary, or the two are too short.
    Unclear,
    /// A time of two machines whose speeds cannot be expressed in one figure.
    NotComparable,
}

impl Verdict {
    /// The name in reports and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gone => "gone",
            Self::New => "new",
            Self::Heavier => "heavier",
            Self::Lighter => "lighter",
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::NoMeasurableDifference => "no measurable difference",
            Self::Unclear => "unclear",
            Self::NotComparable => "not comparable",
        }
    }

    /// Whether there is certainly a difference.
    pub fn is_told(self) -> bool {
        self.is_worse() || self.is_better()
    }

    /// Whether the later run is certainly worse.
    pub fn is_worse(self) -> bool {
        matches!(self, Self::New | Self::Heavier | Self::Slower)
    }

    /// Whether the later run is certainly better.
    pub fn is_better(self) -> bool {
        matches!(self, Self::Gone | Self::Lighter | Self::Faster)
    }
}

impl std::fmt::Display for Verdict {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
