//! The principal type is [`ReadyCheck`]: what can be wanted of a process that is ready.

use serde::Serialize;

/// What can be wanted of a process that is ready. It carries requests and is not stopping in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadyCheck {
    /// Each site with TLS has its certificates.
    Certificates,
    /// Each site with an application has an endpoint that can take requests.
    Upstreams,
    /// This node has been told all purges of its fleet.
    Fleet,
}

impl ReadyCheck {
    /// Each with its word.
    pub const WORDS: [(&'static str, Self); 3] =
        [("certificates", Self::Certificates), ("upstreams", Self::Upstreams), ("fleet", Self::Fleet)];

    /// Its word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Certificates => "certificates",
            Self::Upstreams => "upstreams",
            Self::Fleet => "fleet",
        }
    }
}
