//! The principal type is [`Answer`]: an answer to a challenge, stored on disk for all that share the state.

use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rcgen::{CertificateParams, CustomExtension, DistinguishedName, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::sign::CertifiedKey;
use serde::{Deserialize, Serialize};

use crate::wanted::ChallengeKind;

/// Longest validity of an answer, in seconds.
const LASTS: u64 = 3600;
/// The longest token; Let's Encrypt's have 43 characters.
const LONGEST_TOKEN: usize = 256;
const DIGEST: usize = 32;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Answer {
    /// `http-01` or `tls-alpn-01`.
    kind: String,
    pub(crate) name: String,
    /// Token in the page's path.
    pub(crate) token: String,
    /// The page's content (RFC 8555, section 8.1).
    pub(crate) key_authorization: String,
    /// The content's SHA-256 in base64url.
    digest: String,
    until: u64,
}

impl Answer {
    pub(crate) fn new(
        kind: ChallengeKind,
        name: &str,
        token: &str,
        (key_authorization, digest): (&str, &[u8]),
        now: u64,
    ) -> Self {
        Self {
            kind: kind.as_str().to_owned(),
            name: name.to_owned(),
            token: token.to_owned(),
            key_authorization: key_authorization.to_owned(),
            digest: BASE64_URL_SAFE_NO_PAD.encode(digest),
            until: now + LASTS,
        }
    }

    /// The file name, which differs between kinds; `None` for an invalid token, which would make no file name.
    pub(crate) fn file(&self) -> Option<String> {
        is_token(&self.token).then(|| format!("{}.{}.json", self.kind, self.token))
    }

    /// Whether it may be given now. Its writer is unknown.
    pub(crate) fn is_usable(&self, now: u64) -> bool {
        let thumbprint = self.key_authorization.strip_prefix(&self.token).and_then(|rest| rest.strip_prefix('.'));
        is_token(&self.token) && thumbprint.is_some_and(is_token) && (now..=now + 2 * LASTS).contains(&self.until)
    }

    pub(crate) fn is_http(&self) -> bool {
        self.kind == ChallengeKind::Http01.as_str()
    }

    /// The certificate that answers by TLS (RFC 8737, section 3): for this name alone, self-signed, with the digest.
    pub(crate) fn certificate(&self) -> Option<Arc<CertifiedKey>> {
        if self.kind != ChallengeKind::TlsAlpn01.as_str() {
            return None;
        }
        let digest = BASE64_URL_SAFE_NO_PAD.decode(&self.digest).ok().filter(|digest| digest.len() == DIGEST)?;
        let mut params = CertificateParams::new([self.name.clone()]).ok()?;
        params.distinguished_name = DistinguishedName::new();
        params.custom_extensions = vec![CustomExtension::new_acme_identifier(&digest)];
        let key = KeyPair::generate().ok()?;
        let certificate = params.self_signed(&key).ok()?;
        let key = PrivateKeyDer::try_from(key.serialize_der()).ok()?;
        let key = unladen_tls::provider().key_provider.load_private_key(key).ok()?;
        // Not `from_der`: it rejects a certificate with this extension, which is critical.
        Some(Arc::new(CertifiedKey::new(vec![certificate.der().clone()], key)))
    }
}

/// base64url (RFC 8555, section 8.3).
pub(crate) fn is_token(text: &str) -> bool {
    (1..=LONGEST_TOKEN).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}
