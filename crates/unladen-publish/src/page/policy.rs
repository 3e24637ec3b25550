//! [`POLICY`]: restricts a page to its own content.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub(crate) const STYLE: &str = include_str!("../../templates/style.css");
pub(crate) const SCRIPT: &str = include_str!("../../templates/script.js");

/// A Content-Security-Policy: the one style sheet and the one script, by their hashes, and embedded pictures.
pub(crate) static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'self'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// For `data:` URLs.
pub(crate) fn base64(text: &str) -> String {
    STANDARD.encode(text)
}

#[cfg(test)]
mod tests;
