//! The principal type is [`AcmeSettings`]: which authority issues a site's certificate, and how.

use std::path::PathBuf;

use serde::{Serialize, Serializer};

/// Which authority issues a site's certificate, and how (RFC 8555).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AcmeSettings {
    /// Contact for the authority.
    pub email: Option<String>,
    pub directory: String,
    pub challenge: Challenge,
    /// Authorities trusted for calls to the directory, for a private one.
    pub ca: Option<PathBuf>,
    /// Folder of accounts, orders and certificates.
    pub state: PathBuf,
    /// External account binding (RFC 8555, section 7.3.4).
    pub eab: Option<EabSettings>,
}

/// How control of the names is proved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Challenge {
    /// Whichever listener the authority can reach.
    #[default]
    Auto,
    /// On port 80.
    #[serde(rename = "http-01")]
    Http01,
    /// On port 443 (RFC 8737).
    #[serde(rename = "tls-alpn-01")]
    TlsAlpn01,
}

/// The authority's account that this one is bound to.
#[derive(Clone, PartialEq, Eq, Serialize)]
pub struct EabSettings {
    pub kid: String,
    /// The key in base64url, as the authority gives it. It is never shown.
    #[serde(serialize_with = "hidden")]
    pub key: String,
}

fn hidden<S: Serializer>(_: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str("…")
}

impl std::fmt::Debug for EabSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EabSettings").field("kid", &self.kid).finish_non_exhaustive()
    }
}
