//! The principal type is [`AcmeSettings`]: from whom a site gets its certificate, and how.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// From whom a site gets its certificate (RFC 8555).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AcmeSettings {
    /// Whom the authority writes to.
    pub email: Option<String>,
    /// The URL of the authority's directory.
    pub directory: String,
    /// How it is shown that the names are this machine's.
    pub challenge: Challenge,
    /// Authorities that are trusted where the directory is called, for a private one.
    pub ca: Option<PathBuf>,
    /// Where accounts, orders and certificates are kept.
    pub state: PathBuf,
    /// The account at the authority to which this one is bound (RFC 8555, section 7.3.4).
    pub eab: Option<EabSettings>,
}

/// How it is shown that the names are this machine's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Challenge {
    /// By whichever of the listeners the authority can reach.
    #[default]
    Auto,
    /// At port 80.
    #[serde(rename = "http-01")]
    Http01,
    /// At port 443 (RFC 8737).
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
}

/// The account at the authority to which one is bound.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct EabSettings {
    /// Its identifier.
    pub kid: String,
    /// Its key, as the authority gives it, in base64url. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub key: String,
}

/// Nobody has to see it.
fn hidden<S: Serializer>(_: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("…")
}

impl std::fmt::Debug for EabSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EabSettings").field("kid", &self.kid).finish_non_exhaustive()
    }
}
