//! The principal type is [`Total`]: a counter of a group, as probes have it, but from evidence.

use std::collections::BTreeMap;

use crate::event::{FileCall, Language};
use crate::evidence::{Evidence, FileOutcome, Protocol};
use crate::series::{Interval, Series};

/// One counter of one group.
#[derive(Debug, Clone, PartialEq)]
pub struct Total {
    pub group: usize,
    /// Stable name: `files.checked`, `syscall.newfstatat`.
    pub counter: String,
    /// Name in tables; `None` if only in results for programs.
    pub title: Option<&'static str>,
    pub per_request: Interval,
    /// What the phases without requests alone would have shown, in the same unit.
    pub noise_floor: f64,
}

const TITLES: &[(&str, &str)] = &[
    ("syscalls", "system calls"),
    ("files.checked", "file checks"),
    ("files.missing", "files not found"),
    ("files.opened", "files opened"),
    ("files.removed", "files removed"),
    ("compiles.php", "PHP files compiled"),
    ("compiles.perl", "Perl files compiled"),
    ("compiles.python", "Python files compiled"),
    ("php.class_lookups", "PHP classes looked up"),
    ("connections.opened", "connections opened"),
    ("connections.tls", "TLS handshakes"),
    ("connections.exchanges", "requests to other servers"),
    ("dns.questions", "DNS queries"),
    ("sql.statements", "SQL statements"),
    ("sql.identical", "SQL statements repeated"),
    ("sql.rows", "SQL rows seen"),
    ("locks", "locks taken"),
    ("log.lines", "log lines"),
    ("processes.started", "programs started"),
    ("sleeps", "sleeps"),
];

impl Total {
    /// A counter's title in tables; `None` if it is only in results for programs.
    pub fn title_of(counter: &str) -> Option<&'static str> {
        TITLES.iter().find(|(name, _)| *name == counter).map(|(_, title)| *title)
    }

    /// The row of this title in tables.
    pub fn place(title: &str) -> usize {
        TITLES.iter().position(|(_, known)| *known == title).unwrap_or(TITLES.len())
    }
}

impl Evidence {
    /// All counters that the requests move, by group; those with a title first, in the order of tables.
    pub fn totals(&self) -> Vec<Total> {
        let mut totals = self.all_totals();
        totals.retain(|total| total.per_request.low > 0.0);
        totals
    }

    /// Those too that are not distinguishable from what happens without requests.
    pub fn all_totals(&self) -> Vec<Total> {
        let mut sums: BTreeMap<(usize, String), Series> = BTreeMap::new();
        let mut add = |group: usize, counter: String, series: &Series| {
            sums.entry((group, counter)).or_default().absorb(series);
        };
        for seen in &self.syscalls {
            add(seen.group, "syscalls".into(), &seen.count);
            add(seen.group, format!("syscall.{}", seen.name), &seen.count);
            if let Some(error) = &seen.error {
                add(seen.group, format!("syscall.{}.{error}", seen.name), &seen.count);
            }
        }
        for seen in &self.files {
            let counter = match seen.call {
                FileCall::Stat | FileCall::Access | FileCall::Readlink => Some("files.checked"),
                call if call.opens() && seen.outcome == FileOutcome::Found => Some("files.opened"),
                FileCall::Unlink if seen.outcome == FileOutcome::Found => Some("files.removed"),
                _ => None,
            };
            if let Some(counter) = counter {
                add(seen.group, counter.into(), &seen.counted.count);
            }
            if seen.outcome == FileOutcome::Missing && (counter == Some("files.checked") || seen.call.opens()) {
                add(seen.group, "files.missing".into(), &seen.counted.count);
            }
        }
        for seen in &self.compiles {
            let language = match seen.language {
                Language::Php => "php",
                Language::Perl => "perl",
                Language::Python => "python",
            };
            add(seen.group, format!("compiles.{language}"), &seen.counted.count);
        }
        for seen in &self.counters {
            add(seen.group, seen.name.clone(), &seen.count);
        }
        for seen in &self.connections {
            add(seen.group, "connections.opened".into(), &seen.opened.count);
            add(seen.group, "connections.tls".into(), &seen.handshakes.count);
            if seen.protocol != Protocol::Dns {
                add(seen.group, "connections.exchanges".into(), &seen.exchanges.count);
            }
        }
        for seen in &self.dns {
            add(seen.group, "dns.questions".into(), &seen.counted.count);
        }
        for seen in &self.queries {
            add(seen.group, "sql.statements".into(), &seen.counted.count);
            add(seen.group, "sql.identical".into(), &seen.identical);
            if let Some(rows) = &seen.rows {
                add(seen.group, "sql.rows".into(), rows);
            }
        }
        for seen in &self.locks {
            add(seen.group, "locks".into(), &seen.counted.count);
        }
        for seen in &self.logs {
            add(seen.group, "log.lines".into(), &seen.counted.count);
        }
        for seen in &self.processes {
            add(seen.group, "processes.started".into(), &seen.started);
        }
        for seen in &self.sleeps {
            add(seen.group, "sleeps".into(), &seen.counted.count);
        }
        let place = |counter: &str| TITLES.iter().position(|(name, _)| *name == counter).unwrap_or(usize::MAX);
        let mut totals: Vec<Total> = sums
            .into_iter()
            .filter_map(|((group, counter), series)| {
                let (per_request, noise_floor) = self.phases.weigh(&series)?;
                let title = Total::title_of(&counter);
                Some(Total { group, counter, title, per_request, noise_floor })
            })
            .collect();
        totals.sort_by(|a, b| (a.group, place(&a.counter), &a.counter).cmp(&(b.group, place(&b.counter), &b.counter)));
        totals
    }
}
