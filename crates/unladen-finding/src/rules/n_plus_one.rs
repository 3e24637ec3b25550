//! A query per item, where one could fetch all.

use unladen_trace::{Evidence, EvidenceSource, QuerySeen};

use crate::application::Application;
use crate::finding::{Figure, Finding, Item, Rule, Share};
use crate::fix::Fix;
use crate::rules::{peers, statements};
use crate::stack::Stack;
use crate::words::many;

/// Queries a request: a page asks for its ten parts one by one, and a list of ten or more is fetched in a loop.
const LEAST_QUERIES: f64 = 10.0;

pub(super) const RULE: Rule = Rule {
    name: "n-plus-one",
    about: "one query for each item, where one query could fetch all",
    needs: &[EvidenceSource::Syscalls],
    reads: &[EvidenceSource::Sqlite],
    page: include_str!("../../pages/n-plus-one.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let statements = evidence.queries.iter().filter(|seen| statements::is_about_rows(seen));
    statements.filter_map(|seen| one(evidence, seen)).collect()
}

fn one(evidence: &Evidence, seen: &QuerySeen) -> Option<Finding> {
    let hidden = statements::hides_values(seen);
    // Repeats with the same values belong to another rule.
    let different = if hidden { seen.counted.count.clone() } else { seen.counted.count.less(&seen.identical) };
    let queries = peers::often(evidence, &different, LEAST_QUERIES)?;
    let part = peers::part(evidence, &different, &seen.counted.count).unwrap_or(1.0);
    let time = peers::time(evidence, &[&seen.counted]).map(|time| time.scaled(part));
    let how = if hidden {
        "the same text, with values that were not seen"
    } else {
        "the same text with different \
        values"
    };
    let takes = Share::of_latency(evidence, time);
    Some(Finding {
        summary: format!("{} per request, {how}: {}", many(queries, "query", "queries"), peers::cut(&seen.fingerprint)),
        figures: vec![Figure { name: "queries", unit: "1", value: queries }],
        items: vec![Item { name: format!("{}, of {}", seen.example, seen.database), per_request: queries.value }],
        saves: peers::fewer_questions(evidence, seen.group, &takes),
        ..Finding::of(&RULE, evidence, Some(seen.group), takes, fix(evidence, seen))
    })
}

fn fix(evidence: &Evidence, seen: &QuerySeen) -> Fix {
    let (stack, application) = (Stack::of(evidence, seen.group), Application::of(evidence, seen.group));
    let code = |advice: &str| Fix::code(evidence, seen.group, advice);
    if seen.writes {
        return code(match statements::verb(&seen.fingerprint).as_str() {
            "insert" | "replace" => {
                "write all rows with one INSERT … VALUES (…), (…), …, or at least in one \
                transaction"
            }
            _ => {
                "change all rows with one statement (WHERE … IN (…), or a join with VALUES), or at least in one \
                 transaction"
            }
        });
    }
    // Advice on a mapper that is not in use would mislead.
    let mapper = match (application.and_then(Application::for_many), stack) {
        (Some(means), _) => format!(" ({means})"),
        (None, Stack::Python) => " (Django: select_related, prefetch_related; SQLAlchemy: selectinload)".to_owned(),
        (None, Stack::Perl) => " (DBIx::Class: prefetch)".to_owned(),
        _ => String::new(),
    };
    let fix = code(&format!(
        "collect the values first and fetch all with one query with IN (…), or join the table to the query that found \
         them{mapper}"
    ));
    Fix { lines: statements::for_many(&seen.fingerprint).into_iter().collect(), ..fix }
}

#[cfg(test)]
mod tests;
