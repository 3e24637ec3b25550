//! `unladen rules`: what is looked for.

use std::fmt::Write;

use unladen_finding::{RULES, Rule, rule_named};
use unladen_trace::Source;

use crate::exit::Failure;
use crate::output;

/// List the rules by which `unladen weigh` finds what each request carries, or explain one
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  unladen rules\n  unladen rules stat-storm")]
pub(super) struct Args {
    /// The rule to explain
    #[arg(value_name = "RULE")]
    rule: Option<String>,
    /// Write JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = &args.rule {
        return explain(name);
    }
    let text = if args.json { json() } else { table() };
    Ok(output::line(text.trim_end())?)
}

/// Prints a rule's page.
pub(super) fn explain(name: &str) -> Result<(), Failure> {
    Ok(output::line(named(name)?.page().trim_end())?)
}

/// The rule of that name.
///
/// # Errors
/// If there is none; the error names the nearest.
pub(super) fn named(name: &str) -> Result<&'static dyn Rule, Failure> {
    rule_named(name).ok_or_else(|| {
        let nearest = RULES
            .iter()
            .map(|rule| rule.name())
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        let hint = nearest.map(|nearest| format!(" (the nearest is `{nearest}`)")).unwrap_or_default();
        Failure::Usage(format!("no rule is called `{name}`{hint}: `unladen rules` lists them"))
    })
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
    text.push_str("\n`unladen rules RULE` explains one: how it is found, what it costs, and its cure.");
    text
}

fn json() -> String {
    let rules: Vec<_> = RULES
        .iter()
        .map(|rule| {
            let needs: Vec<_> = rule.needs().iter().map(|source| serde_json::json!(source)).collect();
            serde_json::json!({ "rule": rule.name(), "about": rule.about(), "needs": needs })
        })
        .collect();
    let document = serde_json::json!({ "schema": "unladen.rules/1", "rules": rules });
    format!("{document:#}")
}

/// What it takes to look at it; nothing where it takes nothing.
fn needs(source: Source) -> &'static str {
    match source {
        Source::Syscalls | Source::Processes | Source::Php | Source::Perl | Source::Sqlite => "root",
        Source::Response | Source::PhpSettings => "",
        Source::Restarts => "--restart",
        Source::Profile => "`unladen profile`",
    }
}
