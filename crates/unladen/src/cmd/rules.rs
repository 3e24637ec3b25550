//! `unladen rules`: what is looked for.

use std::ffi::OsStr;
use std::fmt::Write;

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::{Arg, Command};
use unladen_finding::{RULES, Rule, rule_named};
use unladen_trace::EvidenceSource;

use crate::cmd::reading::readable;
use crate::exit::Failure;
use crate::runs::{Origin, headed};
use crate::{output, terminal};

/// List the rules by which `unladen weigh` finds waste, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  unladen rules\n  unladen rules stat-storm")]
pub(super) struct Args {
    /// The rule to explain
    #[arg(value_name = "RULE", value_parser = RuleNames { profiles: None, any: false }, hide_possible_values = true)]
    rule: Option<String>,
    /// Write JSON instead of text
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args, typed: &[String]) -> Result<(), Failure> {
    let told = |document| format!("{:#}", headed(document, &Origin::of_words(typed).about()));
    let text = match (&args.rule, args.json) {
        (Some(name), true) => {
            let rule = named(name)?;
            let mut document = json(&[rule]);
            document["rules"][0]["page"] = rule.page().into();
            told(document)
        }
        (Some(name), false) => readable(named(name)?.page(), terminal::style()),
        (None, true) => told(json(RULES)),
        (None, false) => table(),
    };
    Ok(output::line(text.trim_end())?)
}

/// The rule of that name.
///
/// # Errors
/// If there is none; the error names the nearest.
pub(super) fn named(name: &str) -> Result<&'static Rule, Failure> {
    rule_named(name).ok_or_else(|| {
        if name.contains(['<', '>']) {
            return Failure::Usage(format!(
                "`{name}` is not a rule: conditions on latencies and errors work with `unladen load` and `unladen \
                 prove`; here --fail-on takes a rule, or `any`, and `unladen rules` lists them"
            ));
        }
        let hint = near(name, RULES.iter().map(|rule| rule.name()))
            .map(|nearest| format!(" (the nearest is `{nearest}`)"))
            .unwrap_or_default();
        Failure::Usage(format!("no rule is called `{name}`{hint}: `unladen rules` lists them"))
    })
}

/// What was probably meant: the nearest name, if it takes few changes of letters.
pub(super) fn near<'a>(typed: &str, names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let most = (typed.chars().count() / 3).max(1);
    names
        .map(|name| (strsim::damerau_levenshtein(name, typed), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Takes any text, whose errors are told with all that is known later, and offers the rules to completions.
#[derive(Debug, Clone)]
pub(super) struct RuleNames {
    /// Those that read profiles, or those that do not; none: all.
    profiles: Option<bool>,
    /// `any` is one, too.
    any: bool,
}

/// Names of rules of `unladen profile`, or of `unladen weigh`, and `any`.
pub(super) fn or_any(profiles: bool) -> RuleNames {
    RuleNames { profiles: Some(profiles), any: true }
}

impl TypedValueParser for RuleNames {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let is_one = |rule: &&&Rule| {
            self.profiles.is_none_or(|profiles| rule.needs().contains(&EvidenceSource::Profile) == profiles)
        };
        let names = RULES.iter().filter(is_one).map(|rule| PossibleValue::new(rule.name()));
        Some(Box::new(names.chain(self.any.then(|| PossibleValue::new("any")))))
    }
}

fn table() -> String {
    let width = RULES.iter().map(|rule| rule.name().len()).max().unwrap_or(0);
    let mut text = String::new();
    for rule in RULES {
        let needs: Vec<&str> =
            rule.needs().iter().map(|source| needs(*source)).filter(|needs| !needs.is_empty()).collect();
        let needs = if needs.is_empty() { String::new() } else { format!("  [{}]", needs.join(", ")) };
        // Writing to a String does not fail.
        let _ = writeln!(text, "{:width$}  {}{needs}", rule.name(), rule.about());
    }
    text.push_str("\n`unladen rules RULE` explains one: how it is found, what it costs, and its fix.");
    text
}

fn json(rules: &[&Rule]) -> serde_json::Value {
    let rules: Vec<_> = rules
        .iter()
        .map(|rule| {
            let needs: Vec<_> = rule.needs().iter().map(|source| serde_json::json!(source)).collect();
            serde_json::json!({ "rule": rule.name(), "about": rule.about(), "needs": needs })
        })
        .collect();
    serde_json::json!({ "schema": "unladen.rules/1", "rules": rules })
}

/// What it takes to look at it; nothing where it takes nothing.
fn needs(source: EvidenceSource) -> &'static str {
    match source {
        EvidenceSource::Syscalls
        | EvidenceSource::Processes
        | EvidenceSource::Php
        | EvidenceSource::Perl
        | EvidenceSource::Sqlite => "root",
        EvidenceSource::Response | EvidenceSource::PhpSettings => "",
        EvidenceSource::Restarts => "--restart",
        EvidenceSource::Profile => "`unladen profile`",
    }
}
