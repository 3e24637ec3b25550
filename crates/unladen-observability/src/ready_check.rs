//! The principal type is [`ReadyCheck`]: optional conditions of readiness.

use serde::Serialize;

/// Optional conditions of readiness. In any case the process must carry requests and not be stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadyCheck {
    Certificates,
    Upstreams,
    Fleet,
}

impl ReadyCheck {
    /// All checks with their names.
    pub const WORDS: [(&'static str, Self); 3] =
        [("certificates", Self::Certificates), ("upstreams", Self::Upstreams), ("fleet", Self::Fleet)];

    /// Name in settings.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certificates => "certificates",
            Self::Upstreams => "upstreams",
            Self::Fleet => "fleet",
        }
    }
}
