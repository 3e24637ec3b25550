//! Text that is sent as it is to who would take it compressed.

use unladen_trace::{Ask, Evidence, Source};

use super::answers::{self, LEAST_BYTES};
use super::{front, in_front};
use crate::cure::Cure;
use crate::finding::{Finding, Share};
use crate::rule::Rule;
use crate::stack::Stack;
use crate::words;

/// What `gzip_types` is to name, besides text/html, which nginx takes by itself.
const TYPES: &str = "text/css text/plain text/xml text/javascript application/javascript application/json \
                     application/manifest+json application/xml application/rss+xml application/atom+xml image/svg+xml";

/// See `docs/rules/uncompressed.md`.
pub(super) struct Uncompressed;

impl Rule for Uncompressed {
    fn name(&self) -> &'static str {
        "uncompressed"
    }

    fn about(&self) -> &'static str {
        "text is sent uncompressed to who would take it compressed"
    }

    fn needs(&self) -> &'static [Source] {
        &[Source::Response]
    }

    fn page(&self) -> &'static str {
        include_str!("../../../../docs/rules/uncompressed.md")
    }

    fn check(&self, evidence: &Evidence) -> Vec<Finding> {
        self.one(evidence).into_iter().collect()
    }
}

impl Uncompressed {
    fn one(&self, evidence: &Evidence) -> Option<Finding> {
        let response = answers::page(evidence)?;
        let asked = response.variant(Ask::Compressed)?;
        let kind = response.header("content-type").map(essence).filter(|kind| is_text(kind))?;
        let is_packed = asked.header("content-encoding").is_some_and(|coding| !coding.eq_ignore_ascii_case("identity"));
        if asked.status != 200 || is_packed || asked.body_bytes < LEAST_BYTES || answers::says(response, "no-transform")
        {
            return None;
        }
        let cure = match front::stack(evidence, response) {
            Stack::Apache => {
                let lines = vec![format!("AddOutputFilterByType DEFLATE text/html {TYPES}")];
                let mut cure = front::apache("let Apache compress it", "deflate", lines);
                cure.commands.insert(0, "a2enmod filter deflate".into());
                cure
            }
            Stack::Nginx => nginx(),
            _ => {
                let advice = "`unladen serve` in front, with these lines, compresses with br, zstd or gzip: what it keeps once, \
                              and not for each who asks";
                in_front::cure(evidence, advice, None).unwrap_or_else(nginx)
            }
        };
        Some(Finding {
            rule: self.name(),
            group: String::new(),
            summary: format!(
                "{} bytes of {kind}, sent uncompressed though gzip was asked for",
                words::plain(asked.body_bytes as f64)
            ),
            figures: Vec::new(),
            items: Vec::new(),
            share: Share::NotKnown("it saves time on the way to the client, which is not measured here".into()),
            check_again: front::again(evidence, &cure, "compressed"),
            cure,
        })
    }
}

fn nginx() -> Cure {
    front::nginx(
        "let nginx compress it. If nginx calls a line a duplicate, nginx.conf has it already: leave that line out",
        "gzip",
        vec![
            "gzip on;".into(),
            format!("gzip_types {TYPES};"),
            format!("gzip_min_length {LEAST_BYTES};"),
            "gzip_vary on;".into(),
            "gzip_proxied any;".into(),
        ],
    )
}

/// `text/html` of `Text/HTML; charset=utf-8`
fn essence(value: &str) -> String {
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn is_text(kind: &str) -> bool {
    let whole = ["application/json", "application/javascript", "application/x-javascript", "application/xml"];
    // A stream of events is sent line by line, which a compressor would hold back.
    kind != "text/event-stream"
        && (kind.starts_with("text/") || kind.ends_with("+xml") || kind.ends_with("+json") || whole.contains(&kind))
}

#[cfg(test)]
mod tests;
