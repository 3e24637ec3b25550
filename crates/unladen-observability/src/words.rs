//! Names of the parts of a [`RequestAccount`](crate::Record) in metrics, the access log and traces.

use crate::{End, Reuse, Version};

impl End {
    /// Name without the reason.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Local(_) => "local_reply",
            Self::Broken(_) => "broken",
            Self::ClientGone => "client_gone",
            Self::Upgraded => "upgraded",
        }
    }
}

impl Reuse {
    /// Name in logs and metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Own => "same_thread",
            Self::Sibling => "other_thread",
            Self::New => "new",
            Self::Resumed => "resumed",
        }
    }
}

impl Version {
    /// As OpenTelemetry's `network.protocol.version`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http10 => "1.0",
            Self::Http11 => "1.1",
            Self::Http2 => "2",
        }
    }
}
