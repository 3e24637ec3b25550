//! [`POLICY`]: restricts a page to its own content.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub(super) const STYLE: &str = include_str!("../../templates/style.css");
pub(super) const SCRIPT: &str = include_str!("../../templates/script.js");

/// A Content-Security-Policy: the one style sheet and the one script, by their hashes, and embedded pictures.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'self'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

/// The policy in every page, for servers: a header may repeat it and add `frame-ancestors`, which a page cannot set
/// itself.
pub fn policy() -> &'static str {
    POLICY.as_str()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// For `data:` URLs.
pub(super) fn base64(text: &str) -> String {
    STANDARD.encode(text)
}

#[cfg(test)]
mod tests;
