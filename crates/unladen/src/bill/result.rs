//! [`result`]: the document of a bill, from what was counted and what was measured.

use unladen_document::{
    About, BillDocument, BilledClient, BilledGroup, BilledKind, BilledLog, Frees, LinesPassedOver, Span, Together,
    nanos,
};
use unladen_lockin::{Bill, Cell, Estimate, FALSE_DISCOVERY_RATE, TooFew, benjamini_hochberg};
use unladen_probe::GroupId;
use unladen_quantity::percent;
use unladen_traffic::{Client, ClientSort, Traffic};

use crate::bill::plan::{Planned, Way};
use crate::bill::{Measured, Options, Plan};
use crate::exit::Failure;
use crate::load::strangers;
use crate::machine::{machine, taken_warning};
use crate::runs::rfc3339;

/// Deviations of the mix from the sum of its kinds that are of no use to anybody.
const MARGIN: f64 = 0.1;
/// Crawlers and networks that are listed.
const CLIENTS: usize = 12;
/// Clients that are summed up: crawlers with names and without, who has no name, and who was signed in.
pub(crate) const SUMS: [&str; 3] = ["crawlers that say so", "everybody else", "signed in"];
/// Kinds that could be closed to crawlers.
const CLOSED: usize = 3;
/// What frees less is not worth a line.
const LEAST: f64 = 0.01;
/// URLs that are shown of a kind.
const URLS: usize = 3;
/// What noise hides is told from this part of the total on, and so many groups.
const HIDDEN: f64 = 0.05;
const NAMED: usize = 3;

/// What the following groups took, by kind.
struct Account<'a> {
    traffic: &'a Traffic,
    plan: &'a Plan,
    measured: &'a Measured,
    bill: Bill,
    noise: Bill,
    /// Requests of each kind.
    factors: Vec<f64>,
}

/// Fails if nothing on this machine follows the requests.
pub(crate) fn result(
    (traffic, files): (&Traffic, &[String]),
    plan: &Plan,
    options: &Options,
    measured: &Measured,
) -> Result<BillDocument, Failure> {
    billed((traffic, files), plan, options, measured)
        .map_err(|too_few| Failure::CannotMeasure(too_few.to_string()))?
        .ok_or_else(|| {
            let why = "no process of this machine was seen to follow the requests: the site runs elsewhere, or a longer \
                --time helps";
            Failure::CannotMeasure(why.to_owned())
        })
}

/// `None` if nothing follows.
fn billed(
    (traffic, files): (&Traffic, &[String]),
    plan: &Plan,
    options: &Options,
    measured: &Measured,
) -> Result<Option<BillDocument>, TooFew> {
    let kinds = plan.kinds.len();
    let factors: Vec<f64> = plan.kinds.iter().map(|kind| kind.requests as f64).collect();
    let tested = tested(measured, &factors)?;
    let following: Vec<GroupId> = tested.iter().filter(|one| one.follows).map(|one| one.group).collect();
    if following.is_empty() {
        return Ok(None);
    }
    let cells = measured.cells(&following);
    let (bill, noise) = (Bill::new(kinds, &cells), Bill::of_noise(kinds, &cells));
    let account = Account { traffic, plan, measured, bill, noise, factors };
    let total = account.bill.sum(&account.factors)?;
    let seconds = traffic.from.zip(traffic.to).map(|(from, to)| u64::try_from(to - from).unwrap_or(0));
    let processors = measured.concurrency as u64;
    let machine_share = seconds.filter(|seconds| *seconds > 0).map(|seconds| {
        let whole = seconds as f64 * 1e9 * processors as f64;
        span(total.scaled(1.0 / whole))
    });
    let taken = taken_warning(&measured.times, Some(&measured.spoiled));
    let warnings = taken.into_iter().chain(strangers(measured.strangers)).map(|warning| warning.to_string());
    let billed = account.kinds()?;
    let cache = if plan.is_apart() { account.no_cheaper()? } else { cache_warning(&billed) };
    let hidden = hidden(&tested, &total);
    Ok(Some(BillDocument {
        schema: BillDocument::SCHEMA.to_owned(),
        about: About {
            seed: Some(options.seed),
            machine: Some(machine(&measured.times, Some(&measured.spoiled))),
            ..About::default()
        },
        log: log(traffic, files, seconds),
        requests: measured.sent.iter().sum(),
        failed: measured.failed.iter().sum(),
        elapsed_ns: nanos(measured.elapsed),
        ended: measured.ended.into_str().to_owned(),
        settle_ns: nanos(measured.settle),
        processors,
        load_bound_cores: options.load,
        load_cores: account.load(&total)?,
        cpu_ns: Some(span(total)),
        noise_floor_ns: account.noise.sum(&account.factors)?.half_width(),
        machine_share,
        groups: shares(tested.iter().filter(|one| one.follows), &total),
        hidden: hidden.clone(),
        kinds: billed,
        clients: account.clients()?,
        not_weighed: plan.not_weighed.clone(),
        together: together(&cells, measured, &account.factors),
        frees: account.closed()?,
        warnings: hidden_warning(&hidden).into_iter().chain(cache).chain(warnings).collect(),
        ..BillDocument::default()
    }))
}

impl Account<'_> {
    /// As a part of all weighed requests.
    fn share(&self, part: &[f64]) -> Result<Span, TooFew> {
        self.bill.share(part, &self.factors).map(span)
    }

    /// So many requests of one kind, and none of others.
    fn only(&self, kind: usize, requests: f64) -> Vec<f64> {
        let mut part = vec![0.0; self.factors.len()];
        part[kind] = requests;
        part
    }

    fn of_all(&self, requests: u64) -> f64 {
        requests as f64 / self.traffic.entries.max(1) as f64
    }

    /// Cores that the requests took.
    fn load(&self, total: &Estimate) -> Result<f64, TooFew> {
        // A request of the mix costs what the mean request of the log does.
        let mean = total.value / self.factors.iter().sum::<f64>();
        let mut added = mean * self.measured.sent[self.measured.mixed] as f64;
        for kind in 0..self.factors.len() {
            added += self.bill.of_kind(kind)?.value * self.measured.sent[kind] as f64;
        }
        Ok(added / self.measured.elapsed.as_nanos().max(1) as f64)
    }

    /// The dearest first.
    fn kinds(&self) -> Result<Vec<BilledKind>, TooFew> {
        let mut rows = Vec::with_capacity(self.factors.len());
        // Where the log says so at all, requests of which it says nothing were not answered by a cache.
        let has_caches = self.traffic.kinds.iter().any(|kind| kind.cache.hits + kind.cache.misses > 0);
        for (at, planned) in self.plan.kinds.iter().enumerate() {
            let kind = &self.traffic.kinds[planned.kind];
            rows.push(BilledKind {
                kind: planned.name.clone(),
                requests: planned.requests,
                request_share: self.of_all(planned.requests),
                cpu_ns: span(self.bill.of_kind(at)?),
                noise_floor_ns: self.noise.of_kind(at)?.half_width(),
                cpu_share: self.share(&self.only(at, self.factors[at]))?,
                cells: self.bill.cells_of(at) as u64,
                sent: self.measured.sent[at],
                failed: self.measured.failed[at],
                urls: kind.examples().take(URLS).map(str::to_owned).collect(),
                logged_cpu_ns: (kind.cpu_counted > 0 && planned.way != Way::FromCache)
                    .then(|| kind.cpu_ns as f64 / kind.cpu_counted as f64),
                cached_share: has_caches.then(|| match planned.way {
                    Way::All => kind.cache.hits as f64 / kind.requests.max(1) as f64,
                    Way::FromCache => 1.0,
                    Way::PastCache => 0.0,
                }),
                carries: None,
            });
        }
        rows.sort_by(|a, b| b.cpu_share.value.total_cmp(&a.cpu_share.value));
        Ok(rows)
    }

    /// Kinds whose requests are not cheaper by the cache than past it.
    fn no_cheaper(&self) -> Result<Option<String>, TooFew> {
        let mut names = Vec::new();
        for (at, pair) in self.plan.kinds.windows(2).enumerate() {
            if pair[0].kind == pair[1].kind && self.bill.of_kind(at + 1)?.high >= self.bill.of_kind(at)?.low {
                names.push(self.traffic.kinds[pair[0].kind].name.as_str());
            }
        }
        let names = names.join(", ");
        Ok((!names.is_empty()).then(|| {
            format!(
                "From the cache, these are not certainly cheaper than past it: {names}. Did the cache answer here? It has to \
                 be in front of this address."
            )
        }))
    }

    /// Requests of these clients, by kind: methods are not counted by client.
    fn of_clients(&self, wanted: impl Fn(&Client) -> bool) -> Vec<f64> {
        let of_kind = |planned: &Planned| {
            let kind = &self.traffic.kinds[planned.kind];
            let counts = kind.clients.iter().zip(&self.traffic.clients).filter(|(_, client)| wanted(client));
            let requests: u64 = counts.map(|(count, _)| count).sum();
            requests as f64 * planned.requests as f64 / kind.requests.max(1) as f64
        };
        self.plan.kinds.iter().map(of_kind).collect()
    }

    /// Requests of who is signed in, by kind: those past a cache first, as caches keep the pages of others.
    fn signed_in(&self) -> Vec<f64> {
        let mut left: Vec<f64> = self.traffic.kinds.iter().map(|kind| kind.signed_in as f64).collect();
        let part = self.plan.kinds.iter().map(|planned| {
            let part = left[planned.kind].min(planned.requests as f64);
            left[planned.kind] -= part;
            part
        });
        part.collect()
    }

    fn client(&self, client: &str, sort: &str, requests: u64, part: &[f64]) -> Result<BilledClient, TooFew> {
        Ok(BilledClient {
            client: client.to_owned(),
            sort: sort.to_owned(),
            requests,
            request_share: self.of_all(requests),
            cpu_share: self.share(part)?,
        })
    }

    /// Those that sent anything: all crawlers, single ones and networks, everybody else, who was signed in.
    fn clients(&self) -> Result<Vec<BilledClient>, TooFew> {
        let all = &self.traffic.clients;
        let sum = |wanted: fn(&Client) -> bool| all.iter().filter(|one| wanted(one)).map(|one| one.requests).sum();
        let is_everybody = |one: &Client| one.sort == ClientSort::Everybody;
        let [crawlers, everybody, users] = SUMS;
        let mut rows = vec![self.client(crawlers, "crawlers", sum(is_crawler), &self.of_clients(is_crawler))?];
        for one in all.iter().take(CLIENTS) {
            let sort = match one.sort {
                ClientSort::Crawler => "crawler",
                ClientSort::Network => "network",
                ClientSort::OtherCrawlers | ClientSort::Everybody => continue,
            };
            rows.push(self.client(&one.name, sort, one.requests, &self.of_clients(|other| other == one))?);
        }
        let rest = self.of_clients(is_everybody);
        rows.push(self.client(everybody, everybody, sum(is_everybody), &rest)?);
        let part = self.signed_in();
        let signed_in = self.traffic.kinds.iter().map(|kind| kind.signed_in).sum();
        rows.push(self.client(users, users, signed_in, &part)?);
        // Of clients whose requests were not weighed, nothing is known.
        rows.retain(|row| row.requests > 0 && row.cpu_share.high > 0.0);
        Ok(rows)
    }

    /// What it would free to close kinds to crawlers.
    fn closed(&self) -> Result<Vec<Frees>, TooFew> {
        let mut frees = Vec::new();
        for (at, requests) in self.of_clients(is_crawler).into_iter().enumerate() {
            let cpu_share = self.share(&self.only(at, requests))?;
            let what = format!("no {} for crawlers", self.plan.kinds[at].name);
            frees.push(Frees { what, cpu_share, is_bound: false });
        }
        frees.retain(|one| one.cpu_share.low >= LEAST);
        frees.sort_by(|a, b| b.cpu_share.value.total_cmp(&a.cpu_share.value));
        frees.truncate(CLOSED);
        Ok(frees)
    }
}

/// What a cache took off in the log, and may not have taken off here.
fn cache_warning(kinds: &[BilledKind]) -> Option<String> {
    let requests: u64 = kinds.iter().map(|kind| kind.requests).sum();
    let hits: f64 = kinds.iter().filter_map(|kind| Some(kind.cached_share? * kind.requests as f64)).sum();
    (hits > 0.0).then(|| {
        format!(
            "In the log a cache answered {} % of these requests. The bill has what they cost as they were answered here: if \
             the cache did not answer them here too, what they cost without it.",
            percent(hits / requests.max(1) as f64)
        )
    })
}

fn is_crawler(client: &Client) -> bool {
    matches!(client.sort, ClientSort::Crawler | ClientSort::OtherCrawlers)
}

fn log(traffic: &Traffic, files: &[String], seconds: Option<u64>) -> BilledLog {
    let time = |seconds: Option<i64>| seconds.map(|seconds| rfc3339(seconds.saturating_mul(1_000_000_000)));
    let passed_over = traffic.passed_over.iter().map(|(reason, lines)| {
        let reason_name = serde_json::to_value(reason).ok().and_then(|name| Some(name.as_str()?.to_owned()));
        LinesPassedOver { reason: reason_name.unwrap_or_default(), lines: *lines, about: reason.about().to_owned() }
    });
    BilledLog {
        files: files.to_vec(),
        lines: traffic.lines,
        entries: traffic.entries,
        passed_over: passed_over.collect(),
        from: time(traffic.from),
        to: time(traffic.to),
        seconds,
        networks: traffic.networks,
    }
}

/// A group's CPU for all of the traffic.
struct Tested<'a> {
    group: GroupId,
    name: &'a str,
    cpu: Estimate,
    /// Beyond chance and its noise floor, all groups considered together.
    follows: bool,
}

fn tested<'a>(measured: &'a Measured, factors: &[f64]) -> Result<Vec<Tested<'a>>, TooFew> {
    let (mut tested, mut p_values) = (Vec::new(), Vec::new());
    for (group, name) in &measured.groups {
        let cells = measured.cells(&[*group]);
        let bill = Bill::new(factors.len(), &cells);
        let cpu = bill.sum(factors)?;
        let floor = Bill::of_noise(factors.len(), &cells).sum(factors)?.half_width();
        p_values.push(bill.p_value(factors)?);
        tested.push(Tested { group: *group, name, cpu, follows: cpu.low > 0.0 && cpu.value > floor });
    }
    for (one, p) in tested.iter_mut().zip(benjamini_hochberg(&p_values)) {
        one.follows &= p <= FALSE_DISCOVERY_RATE;
    }
    Ok(tested)
}

/// What may be missing from the bill, as parts of it: noise hides it. The largest first.
fn hidden(tested: &[Tested<'_>], total: &Estimate) -> Vec<BilledGroup> {
    let is_large = |one: &&Tested<'_>| !one.follows && one.cpu.value > 0.0 && one.cpu.high > HIDDEN * total.value;
    let mut hidden = shares(tested.iter().filter(is_large), total);
    hidden.truncate(NAMED);
    hidden
}

fn hidden_warning(hidden: &[BilledGroup]) -> Option<String> {
    let name = |one: &BilledGroup| format!("{} (up to {} %)", one.group, percent(one.share.high));
    let names: Vec<String> = hidden.iter().map(name).collect();
    let text = "Not told from noise, and so not in the bill, as parts of it";
    let advice = "Measure longer (-t), or with less beside it";
    (!names.is_empty()).then(|| format!("{text}: {}. {advice}.", names.join(", ")))
}

/// Each group's part of the total, the largest first.
fn shares<'a>(groups: impl Iterator<Item = &'a Tested<'a>>, total: &Estimate) -> Vec<BilledGroup> {
    let share = |one: &Tested<'_>| span(one.cpu.scaled(1.0 / total.value));
    let mut rows: Vec<BilledGroup> =
        groups.map(|one| BilledGroup { group: one.name.to_owned(), share: share(one) }).collect();
    rows.sort_by(|a, b| b.share.value.total_cmp(&a.share.value));
    rows
}

/// `None` if the mix was not sent often enough.
fn together(cells: &[Cell], measured: &Measured, factors: &[f64]) -> Option<Together> {
    let bill = Bill::new(factors.len() + 1, cells);
    let requests: f64 = factors.iter().sum();
    let apart: Vec<f64> = factors.iter().map(|factor| factor / requests).chain([0.0]).collect();
    let mut at_once = vec![0.0; factors.len() + 1];
    at_once[measured.mixed] = 1.0;
    let ratio = bill.share(&at_once, &apart).ok()?;
    let verdict = if ratio.low > 1.0 + MARGIN || ratio.high < 1.0 - MARGIN {
        Together::DOES_NOT_ADD_UP
    } else if ratio.low >= 1.0 - MARGIN && ratio.high <= 1.0 + MARGIN {
        Together::ADDS_UP
    } else {
        Together::UNCLEAR
    };
    Some(Together { ratio: span(ratio), concurrency: measured.concurrency as u64, verdict: verdict.to_owned() })
}

fn span(estimate: Estimate) -> Span {
    Span { value: estimate.value, low: estimate.low, high: estimate.high }
}

#[cfg(test)]
mod tests;
