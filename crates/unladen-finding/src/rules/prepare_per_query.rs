//! Statements prepared for one execution each: one or two more round trips for each query.

use std::collections::BTreeMap;

use unladen_trace::{Counted, Evidence, EvidenceSource, QueryProtocol, QuerySeen};

use crate::finding::{Figure, Finding, Item, Rule, Saves, Share};
use crate::fix::Fix;
use crate::rules::{peers, statements};
use crate::stack::Stack;
use crate::words::many;

/// Preparations a request: a handful is usual for a page, and more round trips soon make up a tenth of it.
const LEAST_PREPARES: f64 = 5.0;

/// Most executions per preparation, on average, that are a waste: preparing pays from the second execution on, when it
/// has cost no more round trips than asking twice.
const MOST_EXECUTIONS: f64 = 1.5;

/// A statement executed this often in a request shows what a round trip takes.
const LEAST_OFTEN: f64 = 0.5;
/// Upper bound on a round trip relative to the waiting, with the driver's own work and the wake-ups on both sides: 2.3
/// ± 0.8 ms were proved where the waiting was 1.2 (`make advice`, pledges).
const DRIVER: f64 = 2.0;

#[derive(Default)]
struct Said<'a> {
    prepared: Vec<&'a QuerySeen>,
    /// `PREPARE name AS …`, `EXECUTE name`, `DEALLOCATE name`, as statements of their own.
    prepare: Vec<&'a QuerySeen>,
    execute: Vec<&'a QuerySeen>,
    deallocate: Vec<&'a QuerySeen>,
}

pub(super) const RULE: Rule = Rule {
    name: "prepare-per-query",
    about: "each statement is prepared, in an extra round trip, for a single execution",
    needs: &[EvidenceSource::Syscalls],
    reads: &[],
    page: include_str!("../../pages/prepare-per-query.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let mut said: BTreeMap<(usize, &str), Said<'_>> = BTreeMap::new();
    for seen in evidence.queries.iter().filter(|seen| seen.protocol != QueryProtocol::Sqlite) {
        let said = said.entry((seen.group, &seen.database)).or_default();
        match statements::verb(&seen.fingerprint).as_str() {
            "prepare" => said.prepare.push(seen),
            "execute" => said.execute.push(seen),
            "deallocate" => said.deallocate.push(seen),
            _ => {}
        }
        let (prepares, executions) = (evidence.mean(&seen.prepares.count), evidence.mean(&seen.counted.count));
        if prepares > 0.0 && executions <= prepares * MOST_EXECUTIONS {
            said.prepared.push(seen);
        }
    }
    said.into_iter().filter_map(|((group, database), said)| one(evidence, group, database, &said)).collect()
}

fn one(evidence: &Evidence, group: usize, database: &str, said: &Said<'_>) -> Option<Finding> {
    let counted = |all: &[&QuerySeen]| Counted::sum(all.iter().map(|seen| &seen.counted));
    let mut prepares = Counted::sum(said.prepared.iter().map(|seen| &seen.prepares));
    let by_text = counted(&said.prepare);
    // With SQL-level PREPARE, texts and executions cannot be matched one by one.
    let executions = evidence.mean(&counted(&said.execute).count);
    if evidence.mean(&by_text.count) > 0.0 && executions <= evidence.mean(&by_text.count) * MOST_EXECUTIONS {
        prepares = Counted::sum([&prepares, &by_text]);
    }
    let often = peers::often(evidence, &prepares.count, LEAST_PREPARES)?;
    let given_up = counted(&said.deallocate);
    let deallocated = evidence.per_request(&given_up.count).filter(|count| count.low > 0.0);
    let mut summary = format!(
        "{} per request for a single execution each",
        many(often, "statement is prepared", "statements are prepared")
    );
    let mut figures = vec![Figure { name: "prepares", unit: "1", value: often }];
    if let Some(deallocated) = deallocated {
        summary.push_str(&format!(", and {} closed again", many(deallocated, "is", "are")));
        figures.push(Figure { name: "deallocations", unit: "1", value: deallocated });
    }
    let protocol = [&said.prepared, &said.prepare].into_iter().flatten().map(|seen| seen.protocol).next()?;
    let server = if protocol == QueryProtocol::Mysql { "MySQL" } else { "PostgreSQL" };
    summary.push_str(&format!(", in extra round trips to {server}"));
    let mut items: Vec<Item> = said
        .prepared
        .iter()
        .map(|seen| Item {
            name: format!("{}, of {database}", seen.example),
            per_request: evidence.mean(&seen.prepares.count),
        })
        .collect();
    items.sort_by(|a, b| b.per_request.total_cmp(&a.per_request));
    let takes = Share::of_latency(evidence, peers::time(evidence, &[&prepares, &given_up]));
    Some(Finding {
        summary,
        figures,
        items,
        saves: saves(evidence, group, database, &prepares, &given_up, &takes),
        ..Finding::of(&RULE, evidence, Some(group), takes, fix(evidence, group, protocol))
    })
}

/// An unprepared statement saves a round trip and the deallocation; its text must still be read and planned, as must
/// whatever a new server process loads for it. A round trip alone takes no more than the cheapest statement.
fn saves(
    evidence: &Evidence,
    group: usize,
    database: &str,
    prepares: &Counted,
    given_up: &Counted,
    takes: &Share,
) -> Saves {
    let of_database = evidence.queries.iter().filter(|seen| seen.group == group && seen.database == database);
    let least = of_database
        .flat_map(|seen| [&seen.counted, &seen.prepares])
        .filter_map(|asked| {
            let often = peers::often(evidence, &asked.count, LEAST_OFTEN)?;
            Some(evidence.wait_of(asked)?.high.max(0.0) / often.value)
        })
        .min_by(f64::total_cmp);
    let spared = peers::time(evidence, &[given_up]).map_or(0.0, |time| time.high.max(0.0));
    match (least, evidence.per_request(&prepares.count)) {
        (Some(least), Some(count)) => Saves::at_most(takes, (count.high * least + spared).min(high(takes)) * DRIVER),
        _ => Saves::all_of(takes),
    }
}

fn high(takes: &Share) -> f64 {
    match takes {
        Share::Known { time, .. } => time.high,
        Share::NearlyAll(_) | Share::NotKnown(_) => 0.0,
    }
}

fn fix(evidence: &Evidence, group: usize, protocol: QueryProtocol) -> Fix {
    let code = |advice: &str| Fix::code(evidence, group, advice);
    match (Stack::of(evidence, group), protocol) {
        (Stack::Php, QueryProtocol::Mysql) => code(
            "let the driver insert the values (PDO's default; name the charset when connecting), and prepare only \
             what is executed many times, once; mysqli has no such mode: there, mysqli_real_escape_string in a \
             query(), or one prepared statement that is kept and executed again",
        )
        .lines(
            "where the connection is made",
            [
                "$pdo = new PDO('mysql:host=…;dbname=…;charset=utf8mb4', $user, $password, [",
                "    PDO::ATTR_EMULATE_PREPARES => true,",
                "]);",
            ],
        ),
        (Stack::Php, _) => code(
            "send text and values in one round trip: PDO does so when preparing is switched off (the server still \
             gets the values separately from the text); instead of pg_prepare and pg_execute, use pg_query_params. \
             Prepare only what is executed many times, once",
        )
        .lines(
            "where the connection is made",
            [
                "$pdo = new PDO('pgsql:host=…;dbname=…', $user, $password, [",
                "    PDO::PGSQL_ATTR_DISABLE_PREPARES => true,",
                "]);",
            ],
        ),
        (Stack::Perl, QueryProtocol::Mysql) => code(
            "leave mysql_server_prepare off, DBD::mysql's default; or use prepare_cached for what is executed \
                again",
        ),
        (Stack::Perl, _) => code(
            "use prepare_cached for what is executed again in the life of the process; switch preparing off for the \
             rest: pg_server_prepare => 0 in DBI->connect",
        ),
        (Stack::Python, QueryProtocol::Mysql) => {
            code("use a cursor without prepared=True; or keep the prepared one for the life of the process")
        }
        (Stack::Python, _) => code(
            "psycopg prepares what was executed five times over one connection: keep connections, or switch it off \
             (prepare_threshold=None). asyncpg keeps prepared statements unless statement_cache_size is 0: behind a \
             pooler that supports them, leave it on",
        ),
        _ => code(
            "send text and values in one round trip where the driver can (an unnamed statement, or values put in by the driver), and keep \
             a prepared statement for the life of its connection where it is executed again",
        ),
    }
}

#[cfg(test)]
mod tests;
