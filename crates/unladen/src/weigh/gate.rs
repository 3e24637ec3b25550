//! The principal type is [`WeightGate`]: what a page may cost or do before a weighing fails.

use unladen_document::{Gate, NotJudged, Span, Weight};
use unladen_probe::{PROBES, Unit};
use unladen_quantity::{Kind, Quantity};
use unladen_report::{WARM, Weigh, WeighedPage};
use unladen_trace::Total;

use crate::condition::bytes;

/// `cpu > 40ms`: the CPU of all groups that follow; `cpu www-data php-fpm8.2 > 30ms`: a counter of one group;
/// `files.checked > 100`: a count of traced requests, of all groups on their path. Each is of one request.
#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display("{text}")]
pub(crate) struct WeightGate {
    text: String,
    metric: Metric,
    /// In the unit of the metric.
    bound: f64,
}

#[derive(Debug, Clone, PartialEq)]
enum Metric {
    Cpu,
    Weight { counter: &'static str, group: String, kind: Kind },
    Counted(String),
}

const EXPECTED: &str = "expected what a request may cost or do, and a bound, such as 'cpu > 40ms', 'cpu www-data \
     php-fpm8.2 > 30ms', 'files.checked > 100' or 'sql.statements > 20'; latencies and errors are conditions of `unladen \
     load` and `unladen prove`";

impl WeightGate {
    /// `None` for what is no condition, but perhaps a rule's name. Fails, in words, for a wrong one.
    pub(crate) fn read(text: &str) -> Result<Option<Self>, String> {
        let wrong = |why: &str| format!("`{text}` is not a condition: {why}");
        if text.contains('<') {
            return Err(wrong(&format!("more work fails, not less: {EXPECTED}")));
        }
        let Some((name, bound)) = text.rsplit_once('>') else { return Ok(None) };
        let metric = Metric::named(name.trim()).ok_or_else(|| wrong(EXPECTED))?;
        let bound = metric.bound(bound.trim()).ok_or_else(|| wrong(EXPECTED))?;
        Ok(Some(Self { text: text.to_owned(), metric, bound }))
    }

    /// Whether it takes traced requests.
    pub(crate) fn is_counted(&self) -> bool {
        matches!(self.metric, Metric::Counted(_))
    }

    /// One gate for each page: broken if the whole interval is above the bound, or if there is nothing to judge by, or
    /// not all that the figure is the sum of.
    pub(crate) fn judge<'a>(&'a self, result: &'a Weigh) -> impl Iterator<Item = Gate> + 'a {
        result.pages.iter().map(|page| {
            let of = |figure: Result<Span, String>| match figure {
                Ok(figure) => {
                    let (broken, kind) = (figure.low > self.bound, self.metric.kind());
                    let found = Quantity { kind, value: figure.value, margin: figure.margin() }.to_string();
                    let most = figure.high + self.metric.beyond(page);
                    match self.metric.unseen(page).filter(|_| !broken) {
                        Some(why) => Gate { broken: true, found: format!("{found}, but {why}"), ..Gate::default() },
                        None => Gate { broken, untold: !broken && most > self.bound, found, ..Gate::default() },
                    }
                }
                Err(why) => Gate { broken: true, found: why, ..Gate::default() },
            };
            Gate { condition: self.text.clone(), url: page.url.url.clone(), ..of(self.metric.of(page)) }
        })
    }
}

impl Metric {
    fn named(name: &str) -> Option<Self> {
        if name == "cpu" {
            return Some(Self::Cpu);
        }
        if let Some((counter, group)) = name.strip_prefix("weight.").unwrap_or(name).split_once(' ') {
            let counter = PROBES.iter().flat_map(|probe| probe.counters).find(|known| known.name == counter)?;
            let kind = match counter.unit {
                Unit::Nanoseconds => Kind::Time,
                Unit::Bytes => Kind::Bytes,
                Unit::Count => Kind::Count,
            };
            return Some(Self::Weight { counter: counter.name, group: group.trim().to_owned(), kind });
        }
        let is_counted =
            Total::title_of(name).is_some() || name.strip_prefix("syscall.").is_some_and(|of| !of.is_empty());
        is_counted.then(|| Self::Counted(name.to_owned()))
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Cpu => Kind::Time,
            Self::Weight { kind, .. } => *kind,
            Self::Counted(_) => Kind::Count,
        }
    }

    fn bound(&self, text: &str) -> Option<f64> {
        let plain = |text: &str| text.trim().parse().ok().filter(|bound: &f64| bound.is_finite() && *bound >= 0.0);
        match self.kind() {
            Kind::Time => Some(humantime::parse_duration(text).ok()?.as_nanos() as f64),
            Kind::Bytes => bytes(text).and_then(|(digits, scale)| Some(plain(digits)? * scale)),
            _ => plain(text),
        }
    }

    /// What the figure may lack at most: CPU of groups on the path that was not told from their other work.
    fn beyond(&self, page: &WeighedPage) -> f64 {
        let most = |row: Option<&Weight>| row.map_or(f64::INFINITY, |row| row.high.max(0.0));
        if *self == Self::Cpu { page.untold().map(|(_, row)| most(row)).sum() } else { 0.0 }
    }

    /// Why not all on the page's path could be counted.
    fn unseen(&self, page: &WeighedPage) -> Option<String> {
        let Self::Counted(counter) = self else { return None };
        let (inside, rule) = (page.inside.as_ref()?, rule_on(counter));
        let has = |rules: &[String]| rules.iter().any(|name| name == rule);
        let is_of_here = |part: &&NotJudged| !part.elsewhere && !part.uncertain && has(&part.rules);
        let missing = inside.not_looked_for.iter().find(|part| has(&part.rules)).map(|part| part.why.clone());
        let part = inside.not_judged.iter().find(is_of_here).map(|part| format!("{}: {}", part.what, part.why));
        Some(format!("not all could be counted: {}", missing.or(part)?))
    }

    fn of(&self, page: &WeighedPage) -> Result<Span, String> {
        match self {
            Self::Cpu => page.url.total_cpu_ns.ok_or_else(|| "no group's CPU was told from its other work".to_owned()),
            Self::Weight { counter, group, .. } => match page.weight(group, counter) {
                Some(weight) => Ok(weight.span()),
                None => Err(format!("nothing called `{group}` was counted; {}", known(page, counter))),
            },
            Self::Counted(counter) => {
                let inside = page.inside.as_ref().filter(|inside| inside.requests > 0);
                let inside = inside.ok_or_else(|| "no request was traced".to_owned())?;
                let is_of_path =
                    |group: &String| page.url.path.groups.is_empty() || page.url.path.groups.contains(group);
                let own = inside.counts.iter().filter(|count| count.state == WARM && count.counter == *counter);
                let own: Vec<_> = own.filter(|count| is_of_path(&count.group)).collect();
                // What was lost may be what is above the bound.
                if inside.lost > 0 || own.iter().any(|count| count.invalid) {
                    return Err(format!("{} events were lost, so that the count is too low", inside.lost.max(1)));
                }
                let sum = |of: fn(&unladen_document::Count) -> f64| own.iter().map(|count| of(count)).sum();
                Ok(Span {
                    value: sum(|count| count.per_request),
                    low: sum(|count| count.low),
                    high: sum(|count| count.high),
                })
            }
        }
    }
}

/// A rule that looks where the counter counts: what it could not look at was not counted either.
fn rule_on(counter: &str) -> &'static str {
    match counter.split_once('.') {
        Some(("sql", _)) => "n-plus-one",
        Some(("connections", _)) => "unpooled-connection",
        _ => "stat-storm",
    }
}

/// The groups that a condition may name, those on the requests' path first.
fn known(page: &WeighedPage, counter: &str) -> String {
    let of = |on_path: bool| {
        let of_counter = move |weight: &&unladen_document::Weight| {
            weight.counter == counter && (weight.follows || weight.on_path) && weight.on_path == on_path
        };
        page.weights.iter().filter(of_counter).map(|weight| format!("`{}`", weight.group))
    };
    let names: Vec<String> = of(true).chain(of(false)).collect();
    if names.is_empty() {
        format!("no group has {counter}")
    } else {
        format!("groups with {counter}: {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests;
