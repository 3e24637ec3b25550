//! The first request of a fresh process, against later ones.

use unladen_trace::{Evidence, EvidenceSource, FileCall, FileOutcome, FileSeen, Interval, State};

use crate::finding::{Figure, Finding, Item, Rule, Share};
use crate::fix::Fix;
use crate::rules::web_server::busiest_of;
use crate::stack::{SYMPA, Stack, is_contained, is_sympa, sympa_conf, user};
use crate::words::{count, time};
use crate::{again, php, quoting, server};

/// Ratio to later requests for first requests that were measured often, lower end of the interval included.
const LEAST_RATIO: f64 = 2.0;
/// The same for the single first request before the measurement: it may have been slow for any reason.
const LEAST_RATIO_OF_ONE: f64 = 3.0;
/// A smaller difference (ns) is not noticed: half of the 0.1 s that feel immediate (Miller 1968, Nielsen 1993).
const LEAST_MORE: f64 = 50e6;
/// Folder for PHP's compiled files between processes; PHP requires it to exist.
const FILE_CACHE: &str = "/var/cache/php-opcache";

pub(super) const RULE: Rule = Rule {
    name: "cold-start",
    about: "the first request of a fresh process takes much longer than later ones",
    needs: &[],
    reads: &[EvidenceSource::Restarts],
    page: include_str!("../../pages/cold-start.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    match evidence.state {
        State::Fresh => measured(evidence),
        // Repeated measurements say more than one request.
        State::Warm if evidence.has(EvidenceSource::Restarts) => None,
        State::Warm => seen_once(evidence),
    }
    .into_iter()
    .collect()
}

fn measured(evidence: &Evidence) -> Option<Finding> {
    let (first, later) = (evidence.page.latency?, evidence.page.warm_latency?);
    let ratio = first.over(later)?;
    let more = less(first, later);
    if ratio.low < LEAST_RATIO || more.low < LEAST_MORE {
        return None;
    }
    let takes = Share::of_latency(evidence, Some(more));
    Some(Finding {
        summary: format!(
            "{} for the first request of a fresh process, {} times as long as later ones",
            time(first.value),
            count(ratio)
        ),
        figures: vec![
            Figure { name: "first", unit: "ns", value: first },
            Figure { name: "later", unit: "ns", value: later },
            Figure { name: "ratio", unit: "1", value: ratio },
        ],
        items: doings(evidence),
        ..Finding::of(&RULE, evidence, busiest(evidence), takes, fix(evidence))
    })
}

fn seen_once(evidence: &Evidence) -> Option<Finding> {
    let (first, later) = (evidence.page.first_ns? as f64, evidence.page.latency?);
    if first < LEAST_RATIO_OF_ONE * later.value || first - later.value < LEAST_MORE {
        return None;
    }
    // What also happens to later requests is not due to being the first.
    if evidence.page.longest_ns.is_some_and(|longest| first <= longest as f64) {
        return None;
    }
    let command = busiest(evidence).and_then(|group| php::reload(evidence, group));
    let command = command.map_or_else(|| "COMMAND".into(), |command| command.replace(" reload ", " restart "));
    let takes = Share::NotKnown("this was one request; --restart 'COMMAND' measures more".into());
    Some(Finding {
        summary: format!("the first request took {}, later ones {}", time(first), time(later.value)),
        figures: vec![
            Figure { name: "first", unit: "ns", value: Interval { value: first, low: first, high: first } },
            Figure { name: "later", unit: "ns", value: later },
        ],
        check_again: again::weigh_fresh(evidence, &command),
        ..Finding::of(&RULE, evidence, busiest(evidence), takes, fix(evidence))
    })
}

/// The group with most CPU, which most likely started.
fn busiest(evidence: &Evidence) -> Option<usize> {
    busiest_of(evidence, |_| true)
}

fn less(a: Interval, b: Interval) -> Interval {
    let value = a.value - b.value;
    Interval {
        value,
        low: value - (a.value - a.low).hypot(b.high - b.value),
        high: value + (a.high - a.value).hypot(b.value - b.low),
    }
}

/// Whether Sympa keeps its lists' configurations in binary files; it looks for these files in any case.
fn is_binary(file: &FileSeen) -> bool {
    file.call == FileCall::Open && file.outcome == FileOutcome::Found && file.path.ends_with("/config.bin")
}

const DOINGS: &[(&str, &str)] = &[
    ("compiles.php", "PHP files compiled"),
    ("compiles.perl", "Perl files compiled"),
    ("compiles.python", "Python files compiled"),
    ("files.opened", "files opened"),
    ("files.checked", "file checks"),
    ("sql.statements", "SQL statements"),
    ("connections.opened", "connections opened"),
    ("locks", "locks taken"),
    ("log.lines", "log lines"),
    ("processes.started", "programs started"),
];

fn doings(evidence: &Evidence) -> Vec<Item> {
    let totals = evidence.totals();
    Item::largest(DOINGS.iter().map(|(counter, name)| {
        let of = totals.iter().filter(|total| total.counter == *counter);
        ((*name).to_owned(), of.map(|total| total.per_request.value).sum())
    }))
}

fn fix(evidence: &Evidence) -> Fix {
    let group = busiest(evidence);
    let warm_up = match group.is_some_and(|group| is_contained(evidence, group)) {
        true => "send a request when the container starts, before other requests reach it (a health check that \
            requests the page)"
            .into(),
        false => match again::exec_start_post(evidence) {
            Some(line) => format!("send a request when the service starts ({line})"),
            None => "send a request when the service starts (ExecStartPost=-curl): one that changes nothing, to a \
                page that does similar work"
                .into(),
        },
    };
    let Some(group) = group else { return Fix::advice(warm_up) };
    if is_sympa(evidence, group) && !evidence.files.iter().any(is_binary) {
        return Fix::advice(format!("let Sympa keep its lists' configurations in binary files; and {warm_up}"))
            .lines(sympa_conf(evidence, group), ["cache_list_config binary_file"])
            .command(server::service(evidence, "restart", SYMPA));
    }
    match Stack::of(evidence, group) {
        Stack::Php if php::has_opcache(evidence, group) != Some(false) => {
            let owner = user(evidence, group).unwrap_or("www-data");
            let advice = format!(
                "keep compiled files on the disk, for the next start; load the framework when PHP starts (opcache.preload); keep workers (pm = static, pm.max_requests = 0 in {}); and {warm_up}",
                php::pool_file(evidence, group).unwrap_or_else(|| "the pool's file".into())
            );
            let mut fix = php::fix(evidence, group, advice, &[&format!("opcache.file_cache={FILE_CACHE}")]);
            fix.commands.insert(0, format!("install -d -m 700 -o {} {FILE_CACHE}", quoting::word(owner)));
            fix
        }
        Stack::Perl => Fix::advice(format!(
            "load modules, templates and configuration before the first request, and fork workers after that (starman --preload-app); {warm_up}"
        )),
        Stack::Python => Fix::advice(format!(
            "import modules before the first request, and fork workers after that (gunicorn --preload, max_requests = 0); {warm_up}"
        )),
        _ => Fix::advice(format!("keep processes alive; {warm_up}")),
    }
}

#[cfg(test)]
mod tests;
