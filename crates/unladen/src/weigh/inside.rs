//! Looking inside: from what was weighed to evidence ([`look_inside`]), and from evidence to findings ([`inside`]).

use std::collections::BTreeSet;
use std::time::Duration;

use unladen_finding::{Finding, Unjudged, look, unjudged, unlooked};
use unladen_load::{Cancel, Driver, Request, Sample};
use unladen_lockin::{MIN_BLOCKS, PHASES_PER_BLOCK, ratio};
use unladen_probe::{Container, GroupId, GroupKind, Instrument, Tracer};
use unladen_report::{Fresh, Inside, NotLooked, TotalRow, Weigh, WeighedUrl};
use unladen_trace::{ContainerSeen, Evidence, EvidenceSource, GroupSeen, Interval, Missing, Page, PageRecord};

use crate::carried::{Secrets, carried};
use crate::path::Path;
use crate::progress::Progress;
use crate::weigh::answers::answers;
use crate::weigh::counting::{Counting, CountingError};
use crate::weigh::options::Options;
use crate::weigh::php::php_settings;
use crate::weigh::tried::tried;

/// What looking inside needs of a run that is done.
pub(super) struct Weighed<'a> {
    pub(super) options: &'a Options,
    /// The part of an on phase after its last response.
    pub(super) settle: Duration,
    pub(super) driver: &'a mut Driver,
    pub(super) instrument: &'a mut Instrument,
    pub(super) cancel: &'a Cancel,
    pub(super) progress: &'a Progress,
    pub(super) requests: &'a [Request],
    pub(super) samples: &'a [Sample],
    pub(super) paths: &'a [Path],
    pub(super) result: &'a Weigh,
}

/// Groups that are traced although it was not certain that they follow: what they do without requests drops out, so
/// that a wrong one costs little, and a missed one hides everything.
const MOST_PERHAPS: usize = 6;

/// So many times what every request does, and more, is what a first one does besides: another waste, with another fix.
/// It is the factor from which on the rules call a first request a slow one.
const MORE: f64 = 2.0;

/// All that can only be traced.
const TRACED: [EvidenceSource; 5] = [
    EvidenceSource::Syscalls,
    EvidenceSource::Processes,
    EvidenceSource::Php,
    EvidenceSource::Perl,
    EvidenceSource::Sqlite,
];

/// Looks inside the requests of every URL. What cannot be looked at is in the evidence, with the reason.
pub(super) fn look_inside(mut weighed: Weighed<'_>) -> Vec<PageRecord> {
    (0..weighed.requests.len()).map(|url| weighed.page(url)).collect()
}

/// What the rules find in a page's evidence.
pub(crate) fn inside(record: &PageRecord) -> Inside {
    let warm = &record.warm;
    let findings = tried(look(warm), &warm.page.url);
    let fresh = record.fresh.as_ref().map(|evidence| Fresh {
        restart: evidence.page.restart.clone().unwrap_or_default(),
        requests: evidence.page.requests,
        latency: evidence.page.latency,
        totals: totals(evidence),
        // What every request carries, the first one does too.
        findings: tried(look(evidence), &evidence.page.url)
            .into_iter()
            .filter(|fresh| !findings.iter().any(|warm| is_as_much(warm, fresh)))
            .collect(),
    });
    Inside {
        url: warm.page.url.clone(),
        requests: warm.page.requests,
        latency: warm.page.latency,
        totals: totals(warm),
        findings,
        fresh,
        not_looked: not_looked(warm),
        unjudged: all_unjudged(record),
        lost: warm.lost + record.fresh.as_ref().map_or(0, |fresh| fresh.lost),
        gates: Vec::new(),
    }
}

/// Whether a finding of every request is as much as that of a first one, which then says nothing more.
fn is_as_much(warm: &Finding, fresh: &Finding) -> bool {
    if (warm.rule, &warm.group) != (fresh.rule, &fresh.group) {
        return false;
    }
    let first = |found: &Finding| found.figures.first().map(|figure| figure.value);
    match (first(warm), first(fresh)) {
        (Some(warm), Some(fresh)) => fresh.low <= MORE * warm.high,
        _ => true,
    }
}

/// Of later requests, and what is so of first ones alone.
fn all_unjudged(record: &PageRecord) -> Vec<Unjudged> {
    let mut all = unjudged(&record.warm);
    for more in record.fresh.iter().flat_map(unjudged) {
        if !all.contains(&more) {
            all.push(more);
        }
    }
    all
}

fn totals(evidence: &Evidence) -> Vec<TotalRow> {
    evidence
        .totals()
        .into_iter()
        .map(|total| TotalRow {
            group: evidence.group(total.group).to_owned(),
            counter: total.counter,
            title: total.title,
            per_request: total.per_request,
            noise_floor: total.noise_floor,
        })
        .collect()
}

/// Rules that lacked something, those that lacked the same for the same reason together.
fn not_looked(evidence: &Evidence) -> Vec<NotLooked> {
    let mut all: Vec<NotLooked> = Vec::new();
    for lacking in unlooked(evidence) {
        let (why, takes) = match lacking.missing {
            Some(missing) => (missing.why.clone(), missing.takes.clone()),
            None => ("nothing was looked at".to_owned(), String::new()),
        };
        match all.iter_mut().find(|known| (&known.why, &known.takes) == (&why, &takes)) {
            Some(known) => known.rules.push(lacking.rule.name()),
            None => all.push(NotLooked { rules: vec![lacking.rule.name()], why, takes }),
        }
    }
    all
}

// === impl Weighed ===

impl Weighed<'_> {
    fn page(&mut self, url: usize) -> PageRecord {
        let result = &self.result.urls[url];
        let on_path = self.paths.get(url).cloned().unwrap_or_default();
        let (groups, left_out) = self.following(result, &on_path.groups);
        let seen = |group: &GroupId| self.group_seen(*group, result, on_path.groups.contains(group));
        let mut warm = Evidence {
            page: page(result, &self.requests[url], &self.samples[url], self.options),
            groups: groups.iter().map(seen).collect(),
            path: Some(on_path.seen.clone()),
            left_out,
            ..Evidence::default()
        };
        self.progress.say("looking at what the page answers");
        answers(self.driver, url, &self.samples[url], self.cancel, &mut warm);

        let latency =
            warm.page.latency.map_or(Duration::from_millis(20), |mean| Duration::from_nanos(mean.value as u64));
        let mut busiest = Vec::new();
        let traced = self.trace(url, latency, &groups, &mut warm, &mut busiest);
        php_settings(self.instrument, &groups, &busiest, &mut warm);
        let mut fresh = None;
        match traced {
            Ok(tracer) => fresh = self.fresh(url, &groups, tracer, &mut warm),
            Err(error) => warm.missing.extend(cannot_trace(&error, self.options.restart.is_some())),
        }
        PageRecord { warm, fresh }
    }

    fn trace(
        &mut self,
        url: usize,
        latency: Duration,
        groups: &[GroupId],
        evidence: &mut Evidence,
        busiest: &mut Vec<Option<u32>>,
    ) -> Result<Tracer, CountingError> {
        if groups.is_empty() {
            return Err(CountingError::NothingFollows);
        }
        let mut counting = self.counting();
        let mut tracer = counting.attach(groups)?;
        let counted = counting.count(&mut tracer, url, latency, evidence, busiest);
        // With fewer blocks there are no intervals, and rules would find nothing: not because there is nothing.
        if evidence.phases.all().len() < MIN_BLOCKS * PHASES_PER_BLOCK {
            counted?;
        } else if let Err(error) = counted {
            self.progress.clear();
            eprintln!("unladen: {error}; what was counted until then is kept");
            evidence.cut_short = Some(error.to_string());
        }
        self.sources(&tracer, evidence);
        Ok(tracer)
    }

    /// First requests of fresh processes, if there is a command that makes them so.
    fn fresh(&mut self, url: usize, groups: &[GroupId], mut tracer: Tracer, warm: &mut Evidence) -> Option<Evidence> {
        let restart = self.options.restart.clone()?;
        let mut fresh = Evidence {
            page: Page {
                restart: Some(restart.command.clone()),
                warm_latency: warm.page.latency,
                latency: None,
                ..warm.page.clone()
            },
            groups: warm.groups.clone(),
            path: warm.path.clone(),
            left_out: warm.left_out.clone(),
            sources: warm.sources.clone(),
            php: warm.php.clone(),
            overhead_ns: warm.overhead_ns,
            ..Evidence::default()
        };
        let mut counting = self.counting();
        let done = counting.count_fresh(&mut tracer, groups, url, &restart, &mut fresh);
        // Times come from undisturbed runs.
        drop(tracer);
        let done = done.and_then(|()| {
            let (first, later) = counting.time_fresh(url, &restart)?;
            fresh.page.latency = mean(&first);
            fresh.page.warm_latency = mean(&later);
            Ok(())
        });
        match done {
            Ok(()) => {
                warm.sources.push(EvidenceSource::Restarts);
                fresh.sources.push(EvidenceSource::Restarts);
                Some(fresh)
            }
            Err(error) => {
                let (why, takes) = (error.to_string(), String::new());
                warm.missing.push(Missing { source: EvidenceSource::Restarts, why, takes });
                None
            }
        }
    }

    fn counting(&mut self) -> Counting<'_> {
        Counting {
            driver: self.driver,
            instrument: self.instrument,
            cancel: self.cancel,
            progress: self.progress,
            settle: self.settle,
            rate: self.options.driver.rate,
            seed: self.options.seed,
        }
    }

    /// What was attached. Where nothing among the groups is Perl, say, there was nothing of it to miss.
    fn sources(&self, tracer: &Tracer, evidence: &mut Evidence) {
        evidence.overhead_ns = tracer.overhead_ns();
        let missing: BTreeSet<EvidenceSource> = tracer.missing().iter().map(|missing| missing.source).collect();
        evidence.missing.extend(tracer.missing().iter().cloned());
        evidence.sources.extend(TRACED.into_iter().filter(|source| !missing.contains(source)));
    }

    /// The groups of processes to trace: those that follow, those on the path, and those that may follow; and the names
    /// of those that are too many.
    fn following(&self, result: &WeighedUrl, on_path: &[GroupId]) -> (Vec<GroupId>, Vec<String>) {
        let mut names = result.following_groups();
        let path = on_path.iter().map(|group| self.instrument.group(*group).name.as_str());
        for name in path.chain(result.perhaps_following_groups(MOST_PERHAPS)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let perhaps = result.perhaps_following_groups(usize::MAX).into_iter();
        let left_out = perhaps.filter(|name| !names.contains(name)).map(ToOwned::to_owned).collect();
        let mut groups: Vec<(usize, GroupId)> = self
            .instrument
            .groups()
            .filter(|(_, group)| matches!(group.kind, GroupKind::Unit { .. } | GroupKind::Processes))
            .filter_map(|(id, group)| Some((names.iter().position(|name| *name == group.name)?, id)))
            .collect();
        groups.sort_unstable_by_key(|(place, _)| *place);
        (groups.into_iter().map(|(_, id)| id).collect(), left_out)
    }

    fn group_seen(&self, group: GroupId, result: &WeighedUrl, on_path: bool) -> GroupSeen {
        let name = self.instrument.group(group).name.clone();
        let exe = self.instrument.members(group).find_map(|member| {
            Some(std::fs::read_link(format!("/proc/{}/exe", member.pid)).ok()?.to_string_lossy().into_owned())
        });
        let row = result.weight(&name, "cpu");
        let cpu = row.filter(|row| row.follows).map(|row| row.per_request.into());
        // Where none was counted at all, that too is told from nothing.
        let untold = || row.map_or_else(Interval::default, |row| row.per_request.into());
        let untold = (on_path && cpu.is_none()).then(untold);
        let container = one_container(self.instrument.members(group).map(|member| member.pid.cast_unsigned()));
        GroupSeen { name, exe, cpu, on_path, untold, container }
    }
}

/// Folders in which PHP looks for its settings, by who packaged it: Debian (the newest first), the image of PHP itself,
/// Alpine, Fedora.
const PHP_FOLDERS: [&str; 12] = [
    "/etc/php/8.5/fpm/conf.d",
    "/etc/php/8.4/fpm/conf.d",
    "/etc/php/8.3/fpm/conf.d",
    "/etc/php/8.2/fpm/conf.d",
    "/etc/php/8.1/fpm/conf.d",
    "/etc/php/7.4/fpm/conf.d",
    "/usr/local/etc/php/conf.d",
    "/etc/php84/conf.d",
    "/etc/php83/conf.d",
    "/etc/php82/conf.d",
    "/etc/php8/conf.d",
    "/etc/php.d",
];

/// The container that all of a group live in: one that is on the host too, by its name, has its files there.
fn one_container(mut pids: impl Iterator<Item = u32>) -> Option<ContainerSeen> {
    let container = Container::of(pids.next()?)?;
    // One that has ended meanwhile lives nowhere.
    let has_ended = |pid| !std::path::Path::new("/proc").join(format!("{pid}")).exists();
    let is_there = |pid| Container::of(pid).is_some_and(|other| other.name == container.name);
    if !pids.all(|pid| is_there(pid) || has_ended(pid)) {
        return None;
    }
    let php_folder = container.first_folder(PHP_FOLDERS).map(ToOwned::to_owned);
    Some(ContainerSeen { name: container.name, restart: container.restart, php_folder })
}

fn page(result: &WeighedUrl, request: &Request, sample: &Sample, options: &Options) -> Page {
    let latency = result.client.latency.as_ref().and_then(|latency| {
        let (low, high) = latency.mean_interval?;
        Some(Interval { value: latency.mean, low, high })
    });
    let first = sample.exchange.done.saturating_duration_since(sample.exchange.planned);
    Page {
        url: result.url.clone(),
        method: request.method().to_string(),
        carried: carried(request, &options.driver, Secrets::LeftOut),
        latency,
        cpu: result.total_cpu.map(Into::into),
        first_ns: u64::try_from(first.as_nanos()).ok(),
        longest_ns: result.client.latency.as_ref().map(|latency| latency.max),
        ..Page::default()
    }
}

/// The mean of a few, with its interval; each is a block of its own.
fn mean(times: &[f64]) -> Option<Interval> {
    ratio(times, &vec![1.0; times.len()]).ok().map(Into::into)
}

/// First requests are missed only by whoever asked for them.
fn cannot_trace(error: &CountingError, restarts: bool) -> Vec<Missing> {
    let all = TRACED.into_iter().chain(restarts.then_some(EvidenceSource::Restarts));
    all.map(|source| Missing { source, why: error.to_string(), takes: String::new() }).collect()
}

#[cfg(test)]
mod tests;
