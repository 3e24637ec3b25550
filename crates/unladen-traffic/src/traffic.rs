//! The principal type is [`Traffic`]: what logs say of a site's requests, in counts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::clients::{Clients, Who};
use crate::dialect;
use crate::entry::{Entry, Method, PassedOver};
use crate::files;
use crate::kind_list::KindList;
use crate::line::{LogLine, LogReader, beginning};
use crate::pattern;
use crate::sample::Sampler;
use crate::tally::{CacheCounts, LeftOut, MethodCounts, StatusCounts, Tally};
use crate::target::Target;
use crate::tree::{FAILED, NOT_FOUND, Tree};

/// Crawlers that are named, and networks: more would be a list of visitors.
const MOST_NAMED: usize = 50;

/// How the user agent of what Unladen sends begins.
const OWN: &[u8] = b"unladen/";

/// How logs are read.
pub struct Options {
    /// Kinds that have names; all others are learned.
    pub kinds: KindList,
    /// Share of all requests from which a network is named.
    pub network_share: f64,
    /// Share of all requests from which a crawler is named.
    pub crawler_share: f64,
    /// Of the samples of URLs.
    pub seed: u64,
}

impl Default for Options {
    /// Presets, networks from 1 % and crawlers from 0.1 %.
    fn default() -> Self {
        Self { kinds: KindList::presets(), network_share: 0.01, crawler_share: 0.001, seed: 0 }
    }
}

/// Requests of a site. Lines are the sum of entries and of what was passed over; entries are the sum of all kinds.
#[derive(Clone, Debug, Serialize)]
pub struct Traffic {
    pub lines: u64,
    pub entries: u64,
    /// Lines that are no entries, by reason, without zero counts.
    pub passed_over: Vec<(PassedOver, u64)>,
    /// Lines of more than 64 KiB, of which only the beginning was read.
    pub lines_cut: u64,
    /// Seconds since 1970 of the first and the last request.
    pub from: Option<i64>,
    pub to: Option<i64>,
    /// The most frequent first.
    pub kinds: Vec<Kind>,
    /// Each request is of one of them: crawlers with names, all others, networks with names, everybody else.
    pub clients: Vec<Client>,
    /// How many networks there were; at least, if rare ones were dropped.
    pub networks: u64,
    pub is_networks_complete: bool,
    /// What was not sampled as it looks like a change, by reason.
    pub changes: Vec<Change>,
}

/// Requests that cost alike.
#[derive(Clone, Debug, Serialize)]
pub struct Kind {
    /// A pattern that matches its targets, the name that was given to it, `static .css`, `not found` or `everything else`.
    pub name: String,
    pub requests: u64,
    pub bytes: u64,
    pub statuses: StatusCounts,
    pub methods: MethodCounts,
    pub cache: CacheCounts,
    pub signed_in: u64,
    /// Requests of each of [`Traffic::clients`], in their order.
    pub clients: Vec<u64>,
    /// Requests with a duration in the log, and the sum of these, ns.
    pub timed: u64,
    pub elapsed_ns: u64,
    /// Requests with CPU time and its sum, ns: by PHP-FPM's log alone, in ticks of 10 ms.
    pub cpu_counted: u64,
    pub cpu_ns: u64,
    /// GET requests, answered 2xx or 3xx (404 or 410, for what was not found), that URLs were drawn from: those of the head
    /// and of the tail.
    pub sampled: u64,
    /// The most frequent URLs.
    pub head: Vec<UrlCount>,
    /// URLs of requests that are not in the head, drawn uniformly: frequent ones may be there twice.
    pub tail: Vec<String>,
    pub tail_requests: u64,
    pub left_out: LeftOut,
    /// Why its URLs look like changes, if any does.
    pub change: Option<&'static str>,
}

/// A URL's path and query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UrlCount {
    pub url: String,
    pub requests: u64,
}

/// What clients have in common.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Client {
    /// Name of a crawler, or prefix of a network.
    pub name: String,
    pub sort: ClientSort,
    /// What a crawler is for.
    pub tag: Option<&'static str>,
    pub requests: u64,
}

/// What a kind of client is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientSort {
    Crawler,
    /// All crawlers that are not named.
    OtherCrawlers,
    Network,
    Everybody,
}

/// Targets that look like a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    pub reason: &'static str,
    pub requests: u64,
    /// Path of the first; queries may have secrets.
    pub example: String,
}

/// Why logs cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    #[error("cannot read the access log {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    #[error("{file}:{line}: not an entry of an access log, like {count} of the {lines} lines: found `{found}`, expected \
        something like `203.0.113.7 - - [10/Oct/2026:13:55:36 +0000] \"GET /page HTTP/1.1\" 200 512 \"-\" \"-\"`, or \
        nginx' JSON", file = file.display())]
    NoLog { file: PathBuf, line: u64, found: String, count: u64, lines: u64 },
    #[error("no request in {files}{why}")]
    Empty { files: String, why: String },
}

impl Traffic {
    /// Reads files, each plain, gzip or zstd; `-` is the standard input.
    pub fn read<P: AsRef<Path>>(files: &[P], options: &Options) -> Result<Self, TrafficError> {
        let mut reading = Reading::new(options);
        for file in files.iter().map(AsRef::as_ref) {
            let failed = |source| TrafficError::Read { file: file.to_owned(), source };
            reading.file(files::open(file).map_err(failed)?, file)?;
        }
        let names: Vec<String> = files.iter().map(|file| file.as_ref().display().to_string()).collect();
        reading.finish(names.join(", "))
    }

    /// Reads one log from any input; `file` is named in errors.
    pub fn parse(log: impl BufRead, file: &Path, options: &Options) -> Result<Self, TrafficError> {
        let mut reading = Reading::new(options);
        reading.file(log, file)?;
        reading.finish(file.display().to_string())
    }

    /// Traffic that a list says, such as a sitemap's: paths with queries, and how often each is asked for. Nothing is
    /// known of clients and times. Fails without any request.
    pub fn of_list<'a>(
        requests: impl IntoIterator<Item = (Method, &'a str, u64)>,
        name: &str,
        options: &Options,
    ) -> Result<Self, TrafficError> {
        let mut reading = Reading::new(options);
        for (method, target, times) in requests {
            let entry = Entry { method, target: target.as_bytes(), status: Some(200), ..Entry::default() };
            (0..times).for_each(|_| reading.entry(&entry));
            reading.lines += times;
        }
        let traffic = reading.finish(name.to_owned())?;
        Ok(Self { clients: Vec::new(), ..traffic })
    }

    /// The kinds as a text that [`KindList`] reads, each with its counts and examples: to look at, and to adjust. Names
    /// that a list has given are no patterns, and so are comments there.
    pub fn kinds_text(&self) -> String {
        let mut text = String::from(
            "# Kinds of pages: the first pattern that matches counts. {n}, {date}, {hash}, {uuid} are such a text, any\n\
             # other {name} any text, {name*} any number of segments, <each> makes a kind of each text. A name may follow.\n",
        );
        let mut kinds: Vec<&Kind> = self.kinds.iter().collect();
        kinds.sort_by_key(|kind| pattern::order(&kind.name));
        for kind in kinds {
            let examples: Vec<&str> = kind.examples().take(3).collect();
            let share = 100.0 * kind.requests as f64 / self.entries as f64;
            let like = if examples.is_empty() { "" } else { ", such as " };
            let _ = writeln!(text, "\n# {} requests, {share:.1} %{like}{}", kind.requests, examples.join(" "));
            let is_pattern = kind.name.starts_with(['/', '*']);
            let _ = writeln!(text, "{}{}", if is_pattern { "" } else { "# " }, kind.name);
        }
        text
    }
}

/// Logs on the way.
struct Reading<'a> {
    options: &'a Options,
    lines: u64,
    lines_cut: u64,
    passed_over: [u64; PassedOver::ALL.len()],
    span: Option<(i64, i64)>,
    sampler: Sampler,
    tree: Tree,
    clients: Clients,
    changes: BTreeMap<&'static str, (u64, String)>,
}

impl<'a> Reading<'a> {
    fn new(options: &'a Options) -> Self {
        Self {
            options,
            lines: 0,
            lines_cut: 0,
            passed_over: Default::default(),
            span: None,
            sampler: Sampler::new(options.seed),
            tree: Tree::new(),
            clients: Clients::default(),
            changes: BTreeMap::new(),
        }
    }

    fn file(&mut self, log: impl BufRead, file: &Path) -> Result<(), TrafficError> {
        let failed = |source| TrafficError::Read { file: file.to_owned(), source };
        let mut log = LogReader::new(log);
        let (mut entries, mut others, mut last) = (0, 0, 0);
        let mut first: Option<(u64, String)> = None;
        let mut scratch = Vec::new();
        loop {
            let number = log.number() + 1;
            let Some(line) = log.next_line().map_err(failed)? else { break };
            let entry = match &line {
                LogLine::Empty => Err(PassedOver::Empty),
                LogLine::Entry(entry) => dialect::combined(entry),
                LogLine::Other(line) => dialect::other(line, &mut scratch),
            };
            match entry {
                Ok(entry) if entry.user_agent.starts_with(OWN) => {
                    entries += 1;
                    self.passed_over[PassedOver::Own as usize] += 1;
                }
                Ok(entry) => {
                    entries += 1;
                    self.entry(&entry);
                }
                Err(reason) => {
                    self.passed_over[reason as usize] += 1;
                    match (reason, line) {
                        (PassedOver::NoEntry, LogLine::Other(line)) => {
                            (others, last) = (others + 1, number);
                            first.get_or_insert_with(|| (number, beginning(line)));
                        }
                        // Noise that was asked for is in the format.
                        (PassedOver::NoRequest | PassedOver::NoPath | PassedOver::Diagnostic, _) => entries += 1,
                        _ => {}
                    }
                }
            }
        }
        self.lines += log.number();
        self.lines_cut += log.cut();
        let Some((line, found)) = first else { return Ok(()) };
        // The first and the last line do not count, since many logs are cut there.
        let ends = u64::from(line == 1) + u64::from(last == log.number() && last > 1);
        if entries > 0 && others - ends.min(others) <= entries {
            return Ok(());
        }
        Err(TrafficError::NoLog { file: file.to_owned(), line, found, count: others, lines: log.number() })
    }

    fn entry(&mut self, entry: &Entry<'_>) {
        if let Some(time) = entry.time {
            self.span = Some(self.span.map_or((time, time), |(from, to)| (from.min(time), to.max(time))));
        }
        let target = Target::parse(entry.target);
        let (tally, is_unknown) = self.tree.place(&target, entry.status, &self.options.kinds, &mut self.sampler);
        let who = self.clients.who(entry.user_agent, entry.address);
        self.clients.add(who, tally);
        if let Some(reason) = self.tree.tally(tally).add(entry, who.is_crawler(), is_unknown, &mut self.sampler) {
            let (count, example) = self.changes.entry(reason).or_default();
            *count += 1;
            if example.is_empty() {
                *example = beginning(target.path);
            }
        }
    }

    fn finish(mut self, files: String) -> Result<Traffic, TrafficError> {
        let entries = self.lines - self.passed_over.iter().sum::<u64>();
        if entries == 0 {
            let reasons = PassedOver::ALL.into_iter().zip(self.passed_over).filter(|(_, count)| *count > 0);
            let reasons: Vec<String> = reasons.map(|(reason, count)| format!("{count} {}", reason.about())).collect();
            let why = match self.lines {
                0 => ": nothing is there".to_owned(),
                lines => format!(": of {lines} lines are {}", reasons.join(", ")),
            };
            return Err(TrafficError::Empty { files, why });
        }
        let (kinds, of_tally) = self.tree.kinds(&mut self.sampler);
        self.clients.renumber(|tally| of_tally[tally as usize]);
        let (clients, of_kind) = self.options.clients(&self.clients, &kinds, entries);
        let kinds =
            kinds.into_iter().zip(of_kind).map(|((name, tally), clients)| Kind::new(name, tally, clients)).collect();
        let mut networks: Vec<Who> = self.clients.cells().map(|(who, ..)| who).filter(|who| who.is_network()).collect();
        networks.sort_unstable();
        networks.dedup();
        let passed_over = PassedOver::ALL.into_iter().zip(self.passed_over).filter(|(_, count)| *count > 0).collect();
        let changes =
            self.changes.into_iter().map(|(reason, (requests, example))| Change { reason, requests, example });
        Ok(Traffic {
            lines: self.lines,
            entries,
            passed_over,
            lines_cut: self.lines_cut,
            from: self.span.map(|(from, _)| from),
            to: self.span.map(|(_, to)| to),
            kinds,
            clients,
            networks: networks.len() as u64,
            is_networks_complete: !self.clients.is_incomplete,
            changes: changes.collect(),
        })
    }
}

impl Options {
    /// Clients with names, and the requests of each by kind.
    fn clients(&self, all: &Clients, kinds: &[(String, Tally)], entries: u64) -> (Vec<Client>, Vec<Vec<u64>>) {
        let mut sums: BTreeMap<Who, u64> = BTreeMap::new();
        for (who, _, count) in all.cells() {
            *sums.entry(who).or_default() += count;
        }
        let named = |is_of: fn(&Who) -> bool, share: f64| {
            let is_large = |count: u64| count as f64 >= share * entries as f64;
            let mut named: Vec<(Who, u64)> = sums
                .iter()
                .map(|(who, count)| (*who, *count))
                .filter(|(who, count)| is_of(who) && is_large(*count))
                .collect();
            named.sort_by_key(|(who, count)| (std::cmp::Reverse(*count), *who));
            named.truncate(MOST_NAMED);
            named
        };
        let crawlers = named(|who| who.is_crawler() && !who.is_unlisted(), self.crawler_share);
        let networks = named(|who| who.is_network(), self.network_share);
        let other_crawlers = crawlers.len();
        let everybody = other_crawlers + 1 + networks.len();
        let columns = crawlers
            .iter()
            .map(|(who, _)| *who)
            .zip(0..)
            .chain(networks.iter().map(|(who, _)| *who).zip(other_crawlers + 1..));
        let columns: BTreeMap<Who, usize> = columns.collect();
        let mut of_kind = vec![vec![0; everybody + 1]; kinds.len()];
        for (who, kind, count) in all.cells() {
            if let Some(column) = columns.get(&who) {
                of_kind[kind as usize][*column] += count;
            }
        }
        // The rest is exact, also where rare counts were dropped.
        for (counts, (_, tally)) in of_kind.iter_mut().zip(kinds) {
            let named_crawlers: u64 = counts[..other_crawlers].iter().sum();
            let named_networks: u64 = counts[other_crawlers + 1..].iter().sum();
            counts[other_crawlers] = tally.crawlers - named_crawlers;
            counts[everybody] = tally.requests - tally.crawlers - named_networks;
        }
        let requests = |column: usize| of_kind.iter().map(|counts| counts[column]).sum();
        let client = |name: String, sort, tag, column| Client { name, sort, tag, requests: requests(column) };
        let mut clients = Vec::new();
        for (column, (who, _)) in crawlers.iter().enumerate() {
            clients.push(client(who.name(), ClientSort::Crawler, who.tag(), column));
        }
        clients.push(client("other crawlers".to_owned(), ClientSort::OtherCrawlers, None, other_crawlers));
        for (column, (who, _)) in (other_crawlers + 1..).zip(&networks) {
            clients.push(client(who.name(), ClientSort::Network, None, column));
        }
        clients.push(client("everybody else".to_owned(), ClientSort::Everybody, None, everybody));
        (clients, of_kind)
    }
}

impl Kind {
    fn new(name: String, tally: Tally, clients: Vec<u64>) -> Self {
        let sampled = tally.sample.seen();
        let (head, tail, tail_requests) = tally.sample.finish();
        Self {
            name,
            requests: tally.requests,
            bytes: tally.bytes,
            statuses: tally.statuses,
            methods: tally.methods,
            cache: tally.cache,
            signed_in: tally.signed_in,
            clients,
            timed: tally.elapsed.0,
            elapsed_ns: tally.elapsed.1,
            cpu_counted: tally.cpu.0,
            cpu_ns: tally.cpu.1,
            sampled,
            head: head.into_iter().map(|(url, requests)| UrlCount { url, requests }).collect(),
            tail,
            tail_requests,
            left_out: tally.left_out,
            change: tally.change,
        }
    }

    /// URLs of it, the most frequent first.
    pub fn examples(&self) -> impl Iterator<Item = &str> {
        self.head.iter().map(|head| head.url.as_str()).chain(self.tail.iter().map(String::as_str))
    }

    /// Whether it is of targets that were not found; its URLs are answered by 404 or 410.
    pub fn is_not_found(&self) -> bool {
        self.name == NOT_FOUND
    }

    /// Whether it is of requests that failed, for whatever page.
    pub fn is_failed(&self) -> bool {
        self.name == FAILED
    }

    /// Whether it is of files that no application makes.
    pub fn is_static(&self) -> bool {
        self.name.starts_with("static .")
    }
}

#[cfg(test)]
mod tests;
