//! Programs started, and children forked, by each request.

use unladen_trace::{Evidence, EvidenceSource, ProcessSeen, Series, State};

use crate::finding::{Figure, Finding, Item, Removes, Rule, Saves, Share, at_least};
use crate::fix::Fix;
use crate::php;
use crate::stack::{Stack, applications, program};
use crate::words::many;

/// Processes a request: less than every second one is an occasional job, or a worker that is replaced.
const LEAST_STARTED: f64 = 0.5;
/// Upper bound relative to the CPU of the started processes: the parent copies its own memory maps, and waits.
const FORK: f64 = 1.25;
/// Replaces the program's name for a child that did not exec.
const CHILD: &str = "a child process that runs no other program";

pub(super) const RULE: Rule = Rule {
    name: "process-per-request",
    about: "each request starts a process",
    needs: &[EvidenceSource::Processes],
    reads: &[],
    page: include_str!("../../pages/process-per-request.md"),
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    if evidence.state == State::Fresh {
        return Vec::new(); // A server that has just been started starts its workers.
    }
    applications(evidence).filter_map(|group| of_group(evidence, group)).collect()
}

fn of_group(evidence: &Evidence, group: usize) -> Option<Finding> {
    let seen: Vec<&ProcessSeen> = evidence.processes.iter().filter(|seen| seen.group == group).collect();
    let started = at_least(evidence, &Series::sum(seen.iter().map(|seen| &seen.started)), LEAST_STARTED)?;
    let items = Item::largest(seen.iter().map(|seen| {
        let name = if seen.program.is_empty() { CHILD } else { &seen.program };
        (name.to_owned(), evidence.mean(&seen.started))
    }));
    let names: Vec<&str> = items.iter().take(3).map(|item| item.name.as_str()).collect();
    let more = if items.len() > names.len() { ", …" } else { "" };
    let cpu_of = |seen: &[&ProcessSeen]| {
        let cpu = evidence.per_request(&Series::sum(seen.iter().map(|seen| &seen.cpu_ns)));
        cpu.filter(|cpu| cpu.value > 0.0).map(|cpu| evidence.cpu_of(cpu))
    };
    let cpu = cpu_of(&seen);
    let mut figures = vec![Figure { name: "processes", unit: "1", value: started }];
    figures.extend(cpu.map(|value| Figure { name: "cpu", unit: "ns", value }));
    let (fix, is_spared) = fix(evidence, group, &items);
    let takes = Share::of_cpu(evidence, cpu);
    let spared: Vec<&ProcessSeen> = seen.iter().filter(|seen| is_spared(&seen.program)).copied().collect();
    Some(Finding {
        summary: format!("{} started per request: {}{more}", many(started, "process", "processes"), names.join(", ")),
        figures,
        saves: Saves::at_most(&takes, cpu_of(&spared).map_or(0.0, |cpu| cpu.high) * FORK),
        removes: Removes::part(
            "processes",
            evidence.mean(&Series::sum(spared.iter().map(|seen| &seen.started))),
            started.value,
        ),
        items,
        ..Finding::of(&RULE, evidence, Some(group), takes, fix)
    })
}

/// With the programs that it no longer starts.
fn fix(evidence: &Evidence, group: usize, items: &[Item]) -> (Fix, fn(&str) -> bool) {
    let starts = |names: &[&str]| items.iter().any(|item| names.contains(&base(&item.name)));
    let stack = Stack::of(evidence, group);
    let of = program(evidence, group);
    // Apache's unit includes what its scripts compile, so it is taken for theirs.
    let names_cgi = items.iter().any(|item| is_cgi(&item.name));
    if names_cgi || matches!(stack, Stack::Apache | Stack::Nginx) || ["fcgiwrap", "lighttpd", "cgid"].contains(&of) {
        let fix = Fix::advice(
            "CGI starts the program for each request: to keep the process, use FastCGI, PSGI, WSGI or HTTP (PHP-FPM, \
             spawn-fcgi, Starman, gunicorn)",
        );
        return (fix, if names_cgi { is_cgi } else { |_| true });
    }
    if starts(MAILERS) {
        let advice = "pass mail to a queue, or to a mail server over one connection, instead of starting a program";
        return (Fix::advice(advice), |name| MAILERS.contains(&base(name)));
    }
    (fix_of_all(evidence, group, items), |_| true)
}

const MAILERS: &[&str] = &["sendmail", "exim4", "postfix", "msmtp"];

fn base(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or_default()
}

fn is_cgi(name: &str) -> bool {
    name.contains("/cgi-bin/") || name.ends_with(".cgi")
}

fn fix_of_all(evidence: &Evidence, group: usize, items: &[Item]) -> Fix {
    let stack = Stack::of(evidence, group);
    if stack == Stack::Php && items.iter().all(|item| item.name == CHILD) {
        let advice = "PHP-FPM replaces its workers: keep a fixed number, for ever";
        return match php::pool_file(evidence, group) {
            Some(file) => {
                let fix = Fix::advice(advice).lines(file, ["pm = static", "pm.max_requests = 0"]);
                let reload = php::reload(evidence, group);
                reload.into_iter().fold(fix, Fix::command)
            }
            None => {
                let why = evidence.php_of(group).and_then(|php| php.pool_unknown.as_deref());
                let why = why.map(|why| format!("; {why}")).unwrap_or_default();
                let lines = "pm = static and pm.max_requests = 0, in the section of the pool that answers";
                Fix::advice(format!("{advice}: {lines}{why}"))
            }
        };
    }
    let code = |advice: &str| Fix::code(evidence, group, advice);
    if stack == Stack::Php {
        return code(
            "use PHP's own extension for it (imagick, gd, curl, zip, intl), keep its result in a cache, or pass the \
             work to a queue; if it must be a program, proc_open with a list of arguments avoids the shell",
        );
    }
    if items.iter().any(|item| ["sh", "dash", "bash"].contains(&base(&item.name))) {
        return code(
            "use a library for it, keep its result, or pass the work to a queue; a list of arguments instead of one \
             text avoids the shell",
        );
    }
    if items.iter().all(|item| item.name == CHILD) {
        return Fix::advice("start the workers beforehand, and let each answer many requests");
    }
    code("use a library for it, keep its result, or keep a process running that answers")
}

#[cfg(test)]
mod tests;
