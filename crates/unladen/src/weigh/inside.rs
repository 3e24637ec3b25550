//! Looking inside: from weights to evidence ([`look_inside`]), and from evidence to findings ([`inside`]).

use std::time::Duration;

use unladen_document::{Count, NotJudged, NotLookedFor, Span};
use unladen_finding::{Bearing, Finding, Unjudged, look, unjudged, unlooked};
use unladen_load::{Cancel, Driver, Request, Sample};
use unladen_lockin::ratio;
use unladen_probe::{GroupId, GroupKind, Inspection, Instrument, group_seen, php_settings};
use unladen_report::{FRESH, Fresh, Inside, WARM, Weigh, WeighedPage, written_finding, written_unjudged};
use unladen_trace::{
    Evidence, EvidenceSource, GroupSeen, HostRecord, Interval, Missing, Page, PageRecord, State, without_secrets,
};

use crate::carried::{Secrets, carried};
use crate::path::Path;
use crate::progress::Progress;
use crate::weigh::answers::answers;
use crate::weigh::counting::{Counting, CountingError};
use crate::weigh::edges::Edges;
use crate::weigh::judge::interval_of;
use crate::weigh::next_step::next_step;
use crate::weigh::options::{Options, Restart};
use crate::weigh::statements::statements;
use crate::weigh::traced::{HostTrace, Traced};
use crate::weigh::tried::tried;

pub(super) struct Weighed<'a> {
    pub(super) options: &'a Options,
    /// End of an on phase after its last response.
    pub(super) settle: Duration,
    pub(super) driver: &'a mut Driver,
    pub(super) instrument: &'a mut Instrument,
    pub(super) edges: &'a Edges,
    pub(super) cancel: &'a Cancel,
    pub(super) progress: &'a Progress,
    pub(super) requests: &'a [Request],
    pub(super) samples: &'a [Sample],
    pub(super) paths: &'a [Path],
    pub(super) result: &'a Weigh,
}

/// Groups traced although it is uncertain that they follow: what they do without requests cancels, so a wrong one costs
/// little, while a missed one hides everything.
const MOST_PERHAPS: usize = 6;

/// From this multiple of every request's waste on, a first request's is another waste, with another fix. Also the
/// factor from which the rules call a first request slow.
const MORE: f64 = 2.0;

/// Most findings shown of one host: real pages have about twenty, and a host may make up more.
const MOST_FINDINGS: usize = 100;

/// Looks inside the requests of every URL. What cannot be looked at is in the evidence, with the reason.
pub(super) fn look_inside(mut weighed: Weighed<'_>) -> Vec<PageRecord> {
    (0..weighed.requests.len()).map(|url| weighed.page(url)).collect()
}

/// What was seen inside a page, and the rules' own findings, which know more than a result says.
pub(crate) struct Looked {
    pub(crate) inside: Inside,
    pub(crate) warm: Vec<Finding>,
    /// Of first requests of fresh processes.
    pub(crate) fresh: Vec<Finding>,
}

/// What the rules find in a page's evidence, of this machine and of all hosts.
pub(crate) fn inside(record: &PageRecord) -> Looked {
    let mut looked = seen(&record.warm, record.fresh.as_ref());
    for host in &record.hosts {
        add_host(&mut looked, host);
    }
    let Looked { inside, warm, fresh } = &mut looked;
    // The largest first, on whichever host.
    warm.sort_by(larger_first);
    fresh.sort_by(larger_first);
    let url = &record.warm.page.url;
    let of_warm = warm.iter().map(|found| written_finding(url, WARM, found));
    inside.findings = of_warm.chain(fresh.iter().map(|found| written_finding(url, FRESH, found))).collect();
    inside.counts.sort_by_key(|count| count.state != WARM);
    for count in &mut inside.counts {
        count.invalid = inside.lost > 0 && Inside::is_of_events(&count.counter);
    }
    looked
}

fn larger_first(a: &Finding, b: &Finding) -> std::cmp::Ordering {
    b.takes.rank().total_cmp(&a.takes.rank())
}

/// Keeps the largest, and returns how many are left out.
fn leave_largest(findings: &mut Vec<Finding>) -> usize {
    let more = findings.len().saturating_sub(MOST_FINDINGS);
    if more > 0 {
        findings.sort_by(larger_first);
        findings.truncate(MOST_FINDINGS);
    }
    more
}

/// For one machine. Its findings are not written down yet.
fn seen(warm: &Evidence, fresh: Option<&Evidence>) -> Looked {
    let url = &warm.page.url;
    let found = |evidence: &Evidence| tried(look(evidence), &evidence.page.url, evidence.host.as_deref());
    let findings = found(warm);
    // What every request carries, the first one does too.
    let is_new = |fresh: &Finding| !findings.iter().any(|warm| is_as_much(warm, fresh));
    let of_fresh = fresh.map_or_else(Vec::new, |fresh| found(fresh).into_iter().filter(is_new).collect());
    let inside = Inside {
        url: url.clone(),
        requests: warm.page.requests,
        counts: counts(warm, WARM).chain(fresh.into_iter().flat_map(|fresh| counts(fresh, FRESH))).collect(),
        statements: statements(warm),
        next_step: next_step(warm, &findings),
        findings: Vec::new(),
        fresh: fresh.map(|evidence| Fresh {
            restart: evidence.page.restart.clone().unwrap_or_default(),
            requests: evidence.page.requests,
            latency: evidence.page.latency.map(|Interval { value, low, high }| Span { value, low, high }),
        }),
        not_looked_for: not_looked(warm),
        not_judged: all_unjudged(warm, fresh).into_iter().map(|part| written_unjudged(url, part)).collect(),
        lost: warm.lost.saturating_add(fresh.map_or(0, |fresh| fresh.lost)),
        gates: Vec::new(),
    };
    Looked { inside, warm: findings, fresh: of_fresh }
}

/// Adds what was seen on another host. A host where nothing could be traced is reported, but is no failure of a rule.
fn add_host(looked: &mut Looked, record: &HostRecord) {
    let warm = &record.warm;
    let host = warm.host.clone().unwrap_or_default();
    let Looked { inside: of_host, warm: mut found, fresh: mut found_fresh } = seen(warm, record.fresh.as_ref());
    let more = leave_largest(&mut found_fresh) + leave_largest(&mut found);
    let inside = &mut looked.inside;
    let url = inside.url.clone();
    let not_told = |why, takes| {
        let (what, rules, bearing) = (host.clone(), Vec::new(), Bearing::Elsewhere);
        written_unjudged(&url, Unjudged { what, why, takes, rules, bearing })
    };
    if more > 0 {
        let why = format!("{more} more findings were left out: no page has so many");
        inside.not_judged.push(not_told(why, String::new()));
    }
    inside.counts.extend(of_host.counts);
    inside.statements.extend(of_host.statements);
    looked.warm.extend(found);
    looked.fresh.extend(found_fresh);
    match (&mut inside.fresh, of_host.fresh) {
        (Some(fresh), Some(of_host)) => fresh.requests = fresh.requests.max(of_host.requests),
        (None, fresh) => inside.fresh = fresh,
        (Some(_), None) => {}
    }
    inside.lost = inside.lost.saturating_add(of_host.lost);
    // With no process on this machine, requests were traced all the same.
    inside.requests = inside.requests.max(of_host.requests);
    if !warm.has(EvidenceSource::Syscalls) {
        let missing = warm.missing.iter().find(|missing| missing.source == EvidenceSource::Syscalls);
        let (why, takes) = missing.map(|missing| (missing.why.clone(), missing.takes.clone())).unwrap_or_default();
        inside.not_judged.push(not_told(why, takes));
        return;
    }
    let on_host = |text: String| format!("on {host}: {text}");
    inside.not_judged.extend(of_host.not_judged.into_iter().map(|part| match part.uncertain {
        // The groups of findings name their host.
        true => part,
        false => NotJudged { what: on_host(part.what), ..part },
    }));
    let missing = of_host.not_looked_for.into_iter();
    inside.not_looked_for.extend(missing.map(|part| NotLookedFor { why: on_host(part.why), ..part }));
}

/// Whether every request's finding is as large as that of a first one, which then adds nothing.
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

/// For later requests, and what concerns first ones alone.
fn all_unjudged(warm: &Evidence, fresh: Option<&Evidence>) -> Vec<Unjudged> {
    let mut all = unjudged(warm);
    for more in fresh.into_iter().flat_map(unjudged) {
        if !all.contains(&more) {
            all.push(more);
        }
    }
    all
}

fn counts(evidence: &Evidence, state: &'static str) -> impl Iterator<Item = Count> {
    evidence.totals().into_iter().map(move |total| {
        let Interval { value, low, high } = total.per_request;
        Count {
            url: evidence.page.url.clone(),
            state: state.to_owned(),
            group: evidence.full_name(total.group),
            counter: total.counter,
            per_request: value,
            low,
            high,
            noise_floor: total.noise_floor,
            // Known once all hosts have told what they lost.
            invalid: false,
        }
    })
}

/// Rules that lacked something, grouped by what they lacked and why.
fn not_looked(evidence: &Evidence) -> Vec<NotLookedFor> {
    let mut all: Vec<NotLookedFor> = Vec::new();
    for lacking in unlooked(evidence) {
        let (why, takes) = match lacking.missing {
            Some(missing) => (missing.why.clone(), missing.takes.clone()),
            None => ("nothing was examined".to_owned(), String::new()),
        };
        let rule = lacking.rule.name().to_owned();
        match all.iter_mut().find(|known| (&known.why, &known.takes) == (&why, &takes)) {
            Some(known) => known.rules.push(rule),
            None => all.push(NotLookedFor { url: evidence.page.url.clone(), rules: vec![rule], why, takes }),
        }
    }
    all
}

impl<'a> Weighed<'a> {
    fn page(&mut self, url: usize) -> PageRecord {
        let result = &self.result.pages[url];
        let on_path = self.paths.get(url).cloned().unwrap_or_default();
        let (groups, left_out) = self.following(result, &on_path.groups);
        let seen = |group: &GroupId| self.group_seen(*group, result, &on_path);
        let mut warm = Evidence {
            page: page(result, &self.requests[url], &self.samples[url], self.options),
            groups: groups.iter().map(seen).collect(),
            path: Some(on_path.seen.clone()),
            left_out,
            ..Evidence::default()
        };
        self.progress.say("examining the page's answers");
        answers(self.driver, url, &self.samples[url], self.cancel, &mut warm);

        let latency =
            warm.page.latency.map_or(Duration::from_millis(20), |mean| Duration::from_nanos(mean.value as u64));
        let hosts = self.attach_hosts(result);
        let took = if on_path.seen.unknown.is_none() { on_path.pids.as_slice() } else { &[] };
        let (here, mut error) = match self.counting().attach(&groups, took) {
            Ok(here) => (Some(here), None),
            Err(error) => (None, Some(error)),
        };
        let mut traced = Traced { here, hosts, cancel: self.cancel };
        traced.wait_attached();
        if !traced.is_nothing() {
            match self.counting().count(&mut traced, url, latency) {
                Ok(means) => warm.page.traced_latency = mean(&means),
                Err(failed) => {
                    let why = without_secrets(&failed.to_string());
                    traced.hosts.iter_mut().for_each(|host| host.give_up(&why));
                    traced.here = None;
                    error = Some(failed);
                }
            }
        }
        let is_traced_elsewhere = traced.is_anywhere_else();
        match (&mut traced.here, error) {
            (Some(here), _) => {
                here.finish(&mut warm);
                here.php_settings(self.instrument, &mut warm);
            }
            // The processes to look into are on other hosts, and are looked into there.
            (None, Some(CountingError::NothingFollows)) if is_traced_elsewhere => {
                warm.sources.extend(Inspection::SOURCES);
                warm.sources.push(EvidenceSource::PhpSettings);
            }
            (None, error) => {
                php_settings(self.instrument, &groups, &mut warm);
                let why = error.map(|error| without_secrets(&error.to_string())).unwrap_or_default();
                warm.missing.extend(cannot_trace(&why, self.options.restart.is_some()));
            }
        }
        let of_hosts = traced.finish_hosts(&warm.page, result).into_iter();
        let mut hosts: Vec<HostRecord> = of_hosts.map(|warm| HostRecord { warm, fresh: None }).collect();
        let mut fresh = None;
        if let Some(restart) = self.options.restart.clone().filter(|_| !traced.is_nothing()) {
            fresh = self.fresh(url, restart, &mut traced, &mut warm, &mut hosts);
        }
        traced.detach_hosts();
        PageRecord { warm, fresh, hosts }
    }

    fn attach_hosts(&self, result: &WeighedPage) -> Vec<HostTrace<'a>> {
        let (edges, options) = (self.edges, self.options);
        let attach = |(name, far)| {
            let host = options.hosts.iter().find(|host| host.name == name)?;
            self.progress.say(format!("attaching to the processes that follow the requests on {name}"));
            Some(HostTrace::ask_attach(host, far, result, MOST_PERHAPS))
        };
        edges.fars().filter_map(attach).collect()
    }

    fn fresh(
        &mut self,
        url: usize,
        restart: Restart,
        traced: &mut Traced<'_>,
        warm: &mut Evidence,
        hosts: &mut [HostRecord],
    ) -> Option<Evidence> {
        let mut fresh = Evidence {
            page: Page {
                // It is shown, and kept with the evidence.
                restart: Some(without_secrets(&restart.command)),
                warm_latency: warm.page.latency,
                latency: None,
                traced_latency: None,
                ..warm.page.clone()
            },
            state: State::Fresh,
            groups: warm.groups.clone(),
            path: warm.path.clone(),
            left_out: warm.left_out.clone(),
            php: warm.php.clone(),
            ..Evidence::default()
        };
        let result = &self.result.pages[url];
        let mut counting = self.counting();
        let done = counting.count_fresh(traced, url, &restart);
        if let Some(here) = &mut traced.here {
            here.finish(&mut fresh);
        }
        // What could not be looked at is reported for later requests.
        fresh.missing.clear();
        fresh.sources.clone_from(&warm.sources);
        let warm_of_hosts = hosts.iter().map(|record| &record.warm);
        let mut of_hosts = traced.finish_fresh_hosts(warm_of_hosts, &fresh.page, result);
        // Times come from undisturbed runs.
        traced.here = None;
        traced.detach_hosts();
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
                for (record, of_host) in hosts.iter_mut().zip(&mut of_hosts) {
                    let Some(mut of_host) = of_host.take() else { continue };
                    of_host.page.latency = fresh.page.latency;
                    of_host.page.warm_latency = fresh.page.warm_latency;
                    record.fresh = Some(of_host);
                }
                Some(fresh)
            }
            Err(error) => {
                // The error contains the command, and its last output.
                let (why, takes) = (without_secrets(&error.to_string()), String::new());
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

    /// The groups to trace: those that follow, those on the path, and those that may follow; and the names of those
    /// beyond the limit.
    fn following(&self, result: &WeighedPage, on_path: &[GroupId]) -> (Vec<GroupId>, Vec<String>) {
        let mut names = result.following_groups();
        let path = on_path.iter().map(|group| self.instrument.group(*group).name.as_str());
        for name in path.chain(result.perhaps_following_groups(None, MOST_PERHAPS)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let perhaps = result.perhaps_following_groups(None, usize::MAX).into_iter();
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

    fn group_seen(&self, group: GroupId, result: &WeighedPage, path: &Path) -> GroupSeen {
        let seen = group_seen(self.instrument, group, &path.pids);
        let on_path = path.groups.contains(&group);
        let row = result.weight(&seen.name, "cpu");
        let cpu = row.filter(|row| row.follows).map(interval_of);
        // A group without counts is also one whose work cannot be told from none.
        let untold = || row.map_or_else(Interval::default, interval_of);
        let untold = (on_path && cpu.is_none()).then(untold);
        GroupSeen { cpu, on_path, untold, ..seen }
    }
}

fn page(result: &WeighedPage, request: &Request, sample: &Sample, options: &Options) -> Page {
    let url = &result.url;
    let mean = url.latency_ns.get("mean").zip(url.latency_intervals_ns.get("mean"));
    let latency =
        mean.map(|(value, ends)| Interval { value: *value as f64, low: ends.low as f64, high: ends.high as f64 });
    let first = sample.exchange.done.saturating_duration_since(sample.exchange.planned);
    Page {
        url: url.url.clone(),
        method: request.method().to_string(),
        carried: carried(request, &options.driver, Secrets::LeftOut),
        latency,
        cpu: url.total_cpu_ns.map(|Span { value, low, high }| Interval { value, low, high }),
        first_ns: u64::try_from(first.as_nanos()).ok(),
        longest_ns: url.latency_ns.get("max").copied(),
        ..Page::default()
    }
}

/// The mean of a few values with its interval; each is a block of its own.
fn mean(times: &[f64]) -> Option<Interval> {
    ratio(times, &vec![1.0; times.len()]).ok().map(Into::into)
}

/// First requests are missing only if they were asked for.
fn cannot_trace(why: &str, restarts: bool) -> Vec<Missing> {
    let all = Inspection::SOURCES.into_iter().chain(restarts.then_some(EvidenceSource::Restarts));
    all.map(|source| Missing { source, why: why.to_owned(), takes: String::new() }).collect()
}

#[cfg(test)]
mod tests;
