//! The principal type is [`Clients`]: whose requests they were: crawlers that say so, and networks of all others.
//!
//! Addresses are not kept: an IPv4 address counts as its /24, and an IPv6 address as its /48.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use rustc_hash::FxHashMap;

/// Tag, name and text of each: the list of the package crawler-user-agents (see its head).
static CRAWLERS: LazyLock<Crawlers> = LazyLock::new(|| Crawlers::parse(include_str!("clients/crawlers.txt")));

/// User agents whose crawler is remembered.
const MOST_AGENTS: usize = 1 << 16;

/// Counts of clients by kind that are kept: the table grows at seven eighths of a power of two.
const MOST_CELLS: usize = (1 << 20) / 8 * 7;

/// Who asked: a crawler of the list, a network, or nobody that could be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Who(u64);

const CRAWLER: u64 = 1 << 62;
const V4: u64 = 2 << 62;
const V6: u64 = 3 << 62;

#[derive(Default)]
pub(crate) struct Clients {
    agents: FxHashMap<u64, Option<u16>>,
    /// Requests by client and tally.
    cells: FxHashMap<(Who, u32), u64>,
    /// Whether rare ones were dropped.
    pub(crate) is_incomplete: bool,
}

struct Crawlers {
    list: Vec<Crawler>,
    /// Names and tags, each once; the last is that of crawlers beyond the list.
    names: Vec<(&'static str, &'static str)>,
    texts: Option<AhoCorasick>,
}

struct Crawler {
    name: u16,
    at_start: bool,
    at_end: bool,
    length: usize,
}

impl Who {
    pub(crate) fn is_crawler(self) -> bool {
        self.0 >> 62 == 1
    }

    pub(crate) fn is_network(self) -> bool {
        self.0 >> 62 > 1
    }

    fn network(address: IpAddr) -> Self {
        match address.to_canonical() {
            IpAddr::V4(address) => Self(V4 | u64::from(address.to_bits() >> 8)),
            IpAddr::V6(address) => Self(V6 | (address.to_bits() >> 80) as u64),
        }
    }

    /// Name of a crawler, or prefix of a network.
    pub(crate) fn name(self) -> String {
        let low = self.0 & !V6;
        match self.0 & V6 {
            CRAWLER => CRAWLERS.names.get(low as usize).map_or("", |(name, _)| name).to_owned(),
            V4 => format!("{}/24", Ipv4Addr::from_bits((low as u32) << 8)),
            V6 => format!("{}/48", Ipv6Addr::from_bits(u128::from(low) << 80)),
            _ => String::new(),
        }
    }

    /// What a crawler is for, as its list says.
    pub(crate) fn tag(self) -> Option<&'static str> {
        let at = (self.0 & !V6) as usize;
        CRAWLERS.names.get(at).filter(|_| self.is_crawler()).map(|(_, tag)| *tag)
    }

    /// Whether it is a crawler that is in no list, and only calls itself one.
    pub(crate) fn is_unlisted(self) -> bool {
        self.is_crawler() && (self.0 & !V6) as usize + 1 == CRAWLERS.names.len()
    }
}

impl Clients {
    pub(crate) fn who(&mut self, agent: &[u8], address: Option<IpAddr>) -> Who {
        let hash = xxhash_rust::xxh3::xxh3_64(agent);
        let crawler = match self.agents.get(&hash) {
            Some(known) => *known,
            None => {
                if self.agents.len() >= MOST_AGENTS {
                    self.agents.clear();
                }
                let crawler = CRAWLERS.find(agent);
                self.agents.insert(hash, crawler);
                crawler
            }
        };
        match crawler {
            Some(crawler) => Who(CRAWLER | u64::from(crawler)),
            None => address.map_or(Who(0), Who::network),
        }
    }

    pub(crate) fn add(&mut self, who: Who, tally: u32) {
        if let Some(count) = self.cells.get_mut(&(who, tally)) {
            *count += 1;
            return;
        }
        if self.cells.len() >= MOST_CELLS {
            self.drop_rare();
        }
        self.cells.insert((who, tally), 1);
    }

    /// Drops the least counts, until a half is left (lossy counting, after Manku and Motwani 2002): what has a share
    /// that matters is far above them.
    fn drop_rare(&mut self) {
        self.is_incomplete = true;
        let mut least = 1;
        while self.cells.len() > MOST_CELLS / 2 {
            self.cells.retain(|_, count| *count > least);
            least *= 2;
        }
    }

    /// Has counts of each tally count for another one.
    pub(crate) fn renumber(&mut self, of: impl Fn(u32) -> u32) {
        let cells = std::mem::take(&mut self.cells);
        self.cells.reserve(cells.len());
        for ((who, tally), count) in cells {
            *self.cells.entry((who, of(tally))).or_default() += count;
        }
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (Who, u32, u64)> {
        self.cells.iter().map(|((who, tally), count)| (*who, *tally, *count))
    }
}

impl Crawlers {
    fn parse(text: &'static str) -> Self {
        let (mut list, mut texts) = (Vec::new(), Vec::new());
        let mut names: Vec<(&str, &str)> = Vec::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut fields = line.split('\t');
            let (Some(tag), Some(name), Some(text)) = (fields.next(), fields.next(), fields.next()) else { continue };
            let (at_start, text) = text.strip_prefix('^').map_or((false, text), |text| (true, text));
            let (at_end, text) = text.strip_suffix('$').map_or((false, text), |text| (true, text));
            let known = names.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                names.push((name, tag));
                names.len() - 1
            });
            list.push(Crawler { name: known as u16, at_start, at_end, length: text.len() });
            texts.push(text);
        }
        names.push(("crawlers of no list", "unlisted"));
        Self { list, names, texts: AhoCorasick::new(texts).ok() }
    }

    /// The crawler whose text is the longest in a user agent.
    fn find(&self, agent: &[u8]) -> Option<u16> {
        let found = self.texts.iter().flat_map(|texts| texts.find_overlapping_iter(agent)).filter_map(|found| {
            let crawler = &self.list[found.pattern().as_usize()];
            let is_there = (!crawler.at_start || found.start() == 0) && (!crawler.at_end || found.end() == agent.len());
            is_there.then_some((crawler.length, std::cmp::Reverse(crawler.name)))
        });
        found.max().map(|(_, name)| name.0).or_else(|| calls_itself_one(agent).then(|| self.names.len() as u16 - 1))
    }
}

/// `ExampleBot/1.0`, `crawler`, `my-spider`; not `CUBOT`, which makes telephones.
fn calls_itself_one(agent: &[u8]) -> bool {
    let lower = agent[..agent.len().min(512)].to_ascii_lowercase();
    let has = |word: &[u8]| memchr::memmem::find(&lower, word).is_some();
    let is_bot = memchr::memmem::find_iter(&lower, b"bot").any(|at| {
        let is_end = lower.get(at + 3).is_none_or(|byte| !byte.is_ascii_lowercase());
        is_end && !lower[..at].ends_with(b"cu")
    });
    is_bot || has(b"crawl") || has(b"spider") || has(b"scraper") || has(b"+http://") || has(b"+https://")
}

#[cfg(test)]
mod tests;
