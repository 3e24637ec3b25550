//! The principal constant is [`POLICY`]: what a page may do, which is nothing but what stands in it.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub(super) const STYLE: &str = include_str!("../../templates/style.css");
pub(super) const SCRIPT: &str = include_str!("../../templates/script.js");

/// A Content-Security-Policy: the one style sheet and the one script, by their hashes; pictures that are in the page.
pub(super) static POLICY: LazyLock<String> = LazyLock::new(|| {
    format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'self'",
        hash(STYLE),
        hash(SCRIPT)
    )
});

/// The policy that every page carries, for whom sends pages: a header may have it too, and add `frame-ancestors`, which
/// a page cannot say of itself.
pub fn policy() -> &'static str {
    POLICY.as_str()
}

fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// The value of a `data:` URL.
pub(super) fn base64(text: &str) -> String {
    STANDARD.encode(text)
}

#[cfg(test)]
mod tests;
