//! [`rule`]: a kind of result and its remedy, for readers beside the code.
//!
//! GitHub asks for `shortDescription`, `fullDescription` and `help` of each rule. There is no `helpUri`: the pages are
//! part of the program, and have no address.

use unladen_finding::rule_named;

use super::log::{Configuration, Level, Rule, Tags, Text};
use super::results::FAIL_ON;
use crate::classes::Kind;
use crate::visible::visible;

/// Rule of figures that are certainly worse.
pub(super) const WORSE: &str = "worse";

/// Start of a rule's page.
const WHAT: &str = "**What it is.** ";

/// A rule of `unladen rules` with its page, or one of our own.
pub(super) fn rule(id: &str) -> Rule {
    let kind = Kind::named(id);
    let (about, what, help, level) = match (rule_named(id), kind) {
        (Some(rule), _) => {
            let page = without_links(rule.page());
            (rule.about().to_owned(), first_paragraph(&page), page, Level::Warning)
        }
        (None, Some(kind)) => {
            let about = kind.about().to_owned();
            let what = format!("{}.", crate::figures::capital(&about));
            let help = format!("{what} What to do: {}.", kind.advice());
            (about, what, help, Level::Warning)
        }
        (None, None) if id == FAIL_ON => (
            "a condition of --fail-on certainly holds".to_owned(),
            "The whole 95 % interval of a figure is beyond its bound from `--fail-on`.".to_owned(),
            "The whole 95 % interval of a figure is beyond its bound from `--fail-on`, so measuring longer would not \
             change that. The message has the condition and the figure; the job's report (`--html`, `--markdown`) \
             shows what changed beside it. If the change is intended, change the condition."
                .to_owned(),
            Level::Error,
        ),
        (None, None) if id == WORSE => (
            "a figure is certainly worse than in the earlier run".to_owned(),
            "A figure is worse than in the earlier run, by more than runs of the same thing differ.".to_owned(),
            "A figure is worse than in the earlier run, by more than runs of the same thing differ. `unladen runs \
             compare` of the two shows the others, and `unladen runs trend` when it began. `--tolerate` sets how much \
             worse is acceptable."
                .to_owned(),
            Level::Error,
        ),
        (None, None) => (
            "a rule of another version of Unladen".to_owned(),
            "A rule of another version of Unladen, which this version does not describe.".to_owned(),
            "This version of Unladen does not describe the rule. The version that measured does: `unladen rules` \
             lists its rules."
                .to_owned(),
            Level::Warning,
        ),
    };
    let text = |text: String| Text { text, markdown: None };
    Rule {
        id: visible(id),
        short_description: text(about),
        full_description: text(what),
        help: Text { text: help.clone(), markdown: Some(help) },
        default_configuration: Configuration { level },
        properties: Tags { tags: vec![if kind.is_some() { "maintainability" } else { "performance" }] },
    }
}

/// In one line.
fn first_paragraph(page: &str) -> String {
    let paragraph = page.split("\n\n").nth(1).unwrap_or_default();
    let paragraph = paragraph.strip_prefix(WHAT).unwrap_or(paragraph);
    paragraph.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Replaces links to other pages, which lead nowhere from here, by their text.
fn without_links(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("](") {
        out.push_str(before);
        match (out.rfind('['), after.split_once(')')) {
            (Some(open), Some((target, behind))) if !target.contains("://") => {
                out.remove(open);
                rest = behind;
            }
            _ => {
                out.push_str("](");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
