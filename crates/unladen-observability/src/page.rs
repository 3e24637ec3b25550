//! The live page: one self-contained document, which polls `/stats` each second. [`document`] makes it.

use super::{hex, random};

pub(super) const KIND: &str = "text/html; charset=utf-8";

const PAGE: &str = include_str!("page/page.html");
const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = concat!(
    include_str!("page/data.js"),
    include_str!("page/chart.js"),
    include_str!("page/peers.js"),
    include_str!("page/view.js")
);

/// The document, and its content security policy: only what is in the document is loaded or run, by a fresh nonce.
pub(super) fn document() -> (String, String) {
    let nonce = hex::string(&random::wide_bits().to_be_bytes());
    let page = PAGE.replace("NONCE", &nonce).replacen("STYLE", STYLE, 1).replacen("SCRIPT", SCRIPT, 1);
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; img-src data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    );
    (page, policy)
}
