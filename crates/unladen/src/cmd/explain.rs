//! `unladen explain`: what the words of results mean.

use unladen_finding::{RULES, rule_named};
use unladen_probe::{Counter, PROBES, Unit};

use crate::cmd::reading::readable;
use crate::cmd::rules::near;
use crate::exit::Failure;
use crate::{output, terminal};

/// Explain a word of the results: a term, a counter or a rule
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  unladen explain\n  unladen explain noise floor\n  unladen explain stat-storm")]
pub(super) struct Args {
    /// The word, or several [default: list the terms]
    #[arg(value_name = "TERM")]
    term: Vec<String>,
}

/// A section a term: its names in the heading, separated by commas, then its meaning.
const TERMS: &str = include_str!("../../terms.md");

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let typed = args.term.join(" ");
    let text = match typed.as_str() {
        "" => list(),
        _ => meaning(&typed).ok_or_else(|| unknown(&typed))?,
    };
    Ok(output::line(text.trim_end())?)
}

/// Each with its names and its meaning.
fn terms() -> impl Iterator<Item = (Vec<&'static str>, &'static str)> {
    let sections = TERMS.split("# ").filter_map(|section| section.split_once('\n'));
    sections.map(|(names, meaning)| (names.split(", ").collect(), meaning.trim()))
}

fn counters() -> impl Iterator<Item = &'static Counter> {
    PROBES.iter().flat_map(|probe| probe.counters)
}

fn list() -> String {
    let names: String = terms().map(|(names, _)| format!("{}\n", names.join(", "))).collect();
    format!("{names}\n`unladen explain TERM` explains one. It also knows counters, such as `page faults`, and rules.")
}

fn meaning(typed: &str) -> Option<String> {
    let is = |name: &str| name.eq_ignore_ascii_case(typed);
    if let Some((names, meaning)) = terms().find(|(names, _)| names.iter().any(|name| is(name))) {
        return Some(format!("{}\n\n{meaning}", names.join(", ")));
    }
    if let Some(rule) = rule_named(&typed.to_ascii_lowercase()) {
        return Some(readable(rule.page(), terminal::style()));
    }
    let typed = typed.to_ascii_lowercase();
    let known = counters().filter(|known| known.title.to_ascii_lowercase().starts_with(&typed) || known.name == typed);
    let texts: Vec<String> = known.map(counter).collect();
    (!texts.is_empty()).then(|| texts.join("\n\n"))
}

fn counter(counter: &Counter) -> String {
    let Counter { name, unit, title, meaning, approximate } = counter;
    let sampled = if *approximate { "; sampled by the kernel, not counted" } else { "" };
    let unit = if *unit == Unit::Count { String::new() } else { format!(", in {unit}") };
    format!("{title} ({name} in JSON{unit})\n\n{meaning}{sampled}")
}

fn unknown(typed: &str) -> Failure {
    let names = terms().flat_map(|(names, _)| names);
    let names = names.chain(RULES.iter().map(|rule| rule.name())).chain(counters().map(|counter| counter.title));
    let hint = near(typed, names).map(|nearest| format!(" (the nearest is `{nearest}`)")).unwrap_or_default();
    Failure::Usage(format!("`{typed}` is no term, counter or rule{hint}: `unladen explain` lists the terms"))
}

#[cfg(test)]
mod tests;
