//! The principal type is [`Plan`]: which kinds are weighed, by which URLs, and how long that takes.

use std::time::Duration;

use unladen_document::NotWeighed;
use unladen_lockin::MIN_CELLS;
use unladen_traffic::{Kind, Traffic};

/// Kinds with less of the requests are left out, once there are more than a few: each takes its cells.
const LEAST_SHARE: f64 = 0.002;
const OTHER: &str = "GET alone is sent";
/// URLs of a kind, the most frequent ones and a sample of the rest.
const HEAD: usize = 8;
const TAIL: usize = 24;
/// URLs that the plan shows of a kind.
const EXAMPLES: usize = 2;
/// Kinds that are named where nothing can be weighed.
const NAMED: usize = 5;
/// Cells of each kind that a run without a set time aims at.
const CELLS: usize = 10;
/// Bounds of a run without a set time.
const TIMES: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(180));
/// Shortest phase with requests.
pub(crate) const PHASE: Duration = Duration::from_millis(300);
/// A phase has room for so many of a kind's requests.
pub(crate) const REQUESTS: u32 = 3;

/// A kind that is weighed.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    /// Place in [`Traffic::kinds`].
    pub(crate) kind: usize,
    pub(crate) name: String,
    pub(crate) requests: u64,
    /// Number of its first URL among those of all kinds that were planned.
    pub(crate) first: usize,
    /// Whether 404 or 410 is its answer.
    pub(crate) is_not_found: bool,
    pub(crate) way: Way,
    /// Paths with queries, and how much of the traffic each stands for.
    pub(crate) urls: Vec<(String, f64)>,
}

/// Which of a kind's requests are weighed, by who answered them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    All,
    FromCache,
    PastCache,
}

impl Way {
    fn suffix(self) -> &'static str {
        match self {
            Self::All => "",
            Self::FromCache => ", from the cache",
            Self::PastCache => ", past the cache",
        }
    }
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Plan {
    pub(crate) kinds: Vec<Planned>,
    pub(crate) not_weighed: Vec<NotWeighed>,
    /// Requests of these kinds by other methods.
    other: u64,
}

impl Plan {
    /// At most so many kinds, the most frequent first; `is_apart` separates a cache's hits and misses.
    pub(crate) fn of(traffic: &Traffic, most: usize, is_apart: bool) -> Self {
        let mut plan = Self::default();
        let mut rest = (0, 0);
        for (at, kind) in traffic.kinds.iter().enumerate() {
            let is_rare = kind.requests as f64 <= LEAST_SHARE * traffic.entries as f64 && plan.kinds.len() >= CELLS;
            if let Some(why) = why_not(kind) {
                let (what, why, requests) = (kind.name.clone(), why.to_owned(), kind.requests);
                plan.not_weighed.push(NotWeighed { what, why, requests });
            } else if is_rare || plan.kinds.len() >= most {
                rest = (rest.0 + 1, rest.1 + kind.requests);
            } else {
                plan.add(at, kind, is_apart);
            }
        }
        if rest.0 > 0 {
            let what = if rest.0 == 1 { "1 further kind".to_owned() } else { format!("{} further kinds", rest.0) };
            let why = "rare, or beyond --most-kinds".to_owned();
            plan.not_weighed.push(NotWeighed { what, why, requests: rest.1 });
        }
        if plan.other > 0 {
            let what = "POST and other methods, to these kinds".to_owned();
            plan.not_weighed.push(NotWeighed { what, why: OTHER.to_owned(), requests: plan.other });
        }
        plan.not_weighed.sort_by_key(|row| std::cmp::Reverse(row.requests));
        plan
    }

    fn add(&mut self, at: usize, kind: &Kind, is_apart: bool) {
        // What is sent is GET: requests by other methods may cost something else.
        let other = kind.methods.other.min(kind.requests);
        self.other += other;
        let head: Vec<(String, f64)> =
            kind.head.iter().take(HEAD).map(|url| (url.url.clone(), url.requests as f64)).collect();
        let rest = kind.sampled as f64 - head.iter().map(|(_, requests)| requests).sum::<f64>();
        let further = kind.head.iter().skip(HEAD).map(|url| url.url.clone());
        let tail: Vec<String> = kind.tail.iter().cloned().chain(further).take(TAIL).collect();
        let each = rest.max(0.0) / tail.len().max(1) as f64;
        let urls = head.into_iter().chain(tail.into_iter().map(|url| (url, each))).filter(|(_, weight)| *weight > 0.0);
        let urls: Vec<(String, f64)> = urls.collect();
        let requests = kind.requests - other;
        let hits = (requests as f64 * kind.cache.hits as f64 / kind.requests.max(1) as f64).round() as u64;
        let ways = match is_apart && kind.cache.hits + kind.cache.misses > 0 {
            true => vec![(Way::PastCache, requests - hits), (Way::FromCache, hits)],
            false => vec![(Way::All, requests)],
        };
        for (way, requests) in ways.into_iter().filter(|(_, requests)| *requests > 0) {
            let first = self.kinds.last().map_or(0, |last| last.first + last.urls.len());
            let (name, is_not_found) = (kind.name.clone() + way.suffix(), kind.is_not_found());
            self.kinds.push(Planned { kind: at, name, requests, first, is_not_found, way, urls: urls.clone() });
        }
    }

    /// Whether a cache's hits and misses are weighed apart.
    pub(crate) fn is_apart(&self) -> bool {
        self.kinds.iter().any(|kind| kind.way != Way::All)
    }

    /// Takes a kind out, whose requests stay numbered.
    pub(crate) fn remove(&mut self, at: usize, why: String) {
        let Planned { name: what, requests, .. } = self.kinds.remove(at);
        self.not_weighed.push(NotWeighed { what, why, requests });
        self.not_weighed.sort_by_key(|row| std::cmp::Reverse(row.requests));
    }

    /// What is not weighed, in a line.
    pub(crate) fn left_out(&self) -> String {
        let rows: Vec<String> =
            self.not_weighed.iter().take(NAMED).map(|row| format!("{} ({})", row.what, row.why)).collect();
        rows.join("; ")
    }

    /// What would be sent, for people.
    pub(crate) fn text(&self, traffic: &Traffic, load: f64) -> String {
        let share = |requests: u64| 100.0 * requests as f64 / traffic.entries.max(1) as f64;
        let mut text = format!(
            "{} requests. Of each of {} kinds some hundred GET requests would be sent, one at a time and with \
             nobody's cookies; they take {:.0} % of one core at most (--load), for 1 to 3 min, or as long as six \
             stretches of each kind need.\n\n",
            traffic.entries,
            self.kinds.len(),
            100.0 * load,
        );
        for kind in &self.kinds {
            text += &format!("{:>5.1} %  {}\n", share(kind.requests), kind.name);
            for (url, _) in kind.urls.iter().take(EXAMPLES) {
                text += &format!("            {url}\n");
            }
        }
        if !self.not_weighed.is_empty() {
            text += "\nnot weighed\n";
        }
        for row in &self.not_weighed {
            text += &format!("{:>5.1} %  {}: {}\n", share(row.requests), row.what, row.why);
        }
        if !traffic.changes.is_empty() {
            text += "\nnever sent, as it looks like a change\n";
        }
        for change in &traffic.changes {
            text += &format!("{:>5.1} %  {}: {}\n", share(change.requests), change.reason, change.example);
        }
        text
    }

    /// Without a set time, and before the site's speed is known; a bound of the load makes it longer.
    pub(crate) fn time(&self, cell: Duration) -> Duration {
        self.cells(CELLS, cell).clamp(TIMES.0, TIMES.1).max(self.least_time(cell))
    }

    /// With the fewest cells that carry intervals.
    pub(crate) fn least_time(&self, cell: Duration) -> Duration {
        self.cells(MIN_CELLS, cell)
    }

    /// Two kinds share a cell; the mix of all has its own.
    fn cells(&self, each: usize, cell: Duration) -> Duration {
        cell * u32::try_from((self.kinds.len() * each + MIN_CELLS).div_ceil(2)).unwrap_or(u32::MAX)
    }
}

/// Why a kind cannot be weighed at all.
fn why_not(kind: &Kind) -> Option<&'static str> {
    if kind.methods.get + kind.methods.head == 0 {
        return Some(OTHER);
    }
    if kind.is_failed() {
        return Some("answered 4xx (but 404 and 410), 5xx or 1xx, or without a status: what they cost is not known");
    }
    if let (Some(reason), true) = (kind.change, kind.sampled == 0) {
        return Some(reason);
    }
    (kind.head.is_empty() && kind.tail.is_empty())
        .then_some("no URL that can be sent again: they hold secrets or blanks, or are too long")
}

#[cfg(test)]
mod tests;
