//! Runs `unladen bill` over 24 kinds of pages of `subjects/burn` whose costs are known. The principal type is [`Billed`],
//! what one run says, beside the truth.

use std::fmt::Write as _;
use std::time::Duration;

use fastrand::Rng;
use serde::Deserialize;

use super::binaries::Binaries;
use super::burn::Burn;
use super::disturbance::{Disturbance, Neighbour};
use super::error::RealError;

/// Kinds, of which so many are free.
pub(super) const KINDS: usize = 24;
const FREE: usize = 4;
/// Requests of the most frequent kind; the k-th has a k-th of it (Zipf).
const MOST: usize = 3_000;
/// Pages of each kind.
pub(super) const PAGES: usize = 20;
/// Every fourth request of the dearest kinds is a crawler's, every fortieth of the others.
const CRAWLER: &str = "Mozilla/5.0 (compatible; GPTBot/1.2; +https://openai.com/gptbot)";

/// A figure that was said, and the truth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Said {
    pub truth: f64,
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// What one run said.
#[derive(Debug, Clone)]
pub struct Billed {
    /// CPU of a request of each kind, ns.
    pub kinds: Vec<Said>,
    /// CPU of all, ns.
    pub total: Said,
    /// The crawlers' share.
    pub crawlers: Said,
    /// Cores that measuring added, and its bound.
    pub load: (f64, f64),
}

/// A kind, and its traffic.
pub(super) struct Kind {
    name: String,
    pub(super) microseconds: u64,
    pub(super) requests: usize,
    of_crawlers: usize,
    /// CPU of a request as it was sent, ns: by the server's own clock.
    truth: f64,
}

/// Runs it once. Whatever it starts is stopped, on failure too.
pub fn run(binaries: &Binaries, beside: Neighbour, time: Duration, seed: u64) -> Result<Billed, RealError> {
    let subject = Burn::costing(binaries, (0.0, 0.0), time * 4 + Duration::from_secs(300))?;
    let mut kinds = kinds();
    let folder = std::env::temp_dir().join(format!("unladen-bills-{}-{seed}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(RealError::of("a folder"))?;
    let document = bill(binaries, &subject, &kinds, &folder, (beside, time, seed));
    let _ = std::fs::remove_dir_all(&folder);
    let (document, truth) = (document?, subject.truth()?);
    for (at, kind) in kinds.iter_mut().enumerate() {
        let own = truth.kinds.get(&format!("k{at:02}")).filter(|own| own.requests > 0);
        let own = own.ok_or_else(|| RealError::failed(format!("{} was not asked for", kind.name)))?;
        kind.truth = own.cpu_ns as f64 / own.requests as f64;
    }
    said(&kinds, &document)
}

pub(super) fn kinds() -> Vec<Kind> {
    (0..KINDS).map(kind).collect()
}

/// Kinds of 0.3 to 40 ms in an order that has nothing to do with their traffic; the last but one of six are free.
fn kind(at: usize) -> Kind {
    let is_free = at % (KINDS / FREE) == KINDS / FREE - 2;
    let steepness = (at * 7 % KINDS) as f64 / (KINDS - 1) as f64;
    let microseconds = if is_free { 0 } else { (300.0 * (40_000.0_f64 / 300.0).powf(steepness)) as u64 };
    let requests = MOST / (at + 1);
    let of_crawlers = if microseconds > 10_000 { requests / 4 } else { requests / 40 };
    Kind { name: format!("/k{at:02}/{{page*}}"), microseconds, requests, of_crawlers, truth: 0.0 }
}

fn bill(
    binaries: &Binaries,
    subject: &Burn,
    kinds: &[Kind],
    folder: &std::path::Path,
    (beside, time, seed): (Neighbour, Duration, u64),
) -> Result<Bill, RealError> {
    let (mut log, mut rng) = (String::new(), Rng::with_seed(seed));
    for (at, kind) in kinds.iter().enumerate() {
        for request in 0..kind.requests {
            let agent = if request < kind.of_crawlers { CRAWLER } else { "Firefox" };
            let page = rng.usize(..PAGES);
            let _ = writeln!(
                log,
                "203.0.113.7 - - [10/Oct/2026:13:55:{:02} +0000] \"GET /k{at:02}/{}/page{page} HTTP/1.1\" 200 6 \"-\" \"{agent}\"",
                request % 60,
                kind.microseconds,
            );
        }
    }
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name.as_str()).collect();
    let (log_file, kinds_file) = (folder.join("access.log"), folder.join("kinds"));
    std::fs::write(&log_file, log).map_err(RealError::of("the log"))?;
    std::fs::write(&kinds_file, names.join("\n")).map_err(RealError::of("the kinds"))?;
    let _disturbance = Disturbance::start(beside, seed, &subject.into())?;
    let (time, seed) = (humantime::format_duration(time).to_string(), seed.to_string());
    let (log_file, kinds_file) = (log_file.display().to_string(), kinds_file.display().to_string());
    let url = subject.url();
    let text = binaries.unladen([
        "bill",
        "--json",
        "--quiet",
        "--no-findings",
        "--load",
        "100%",
        "--most-kinds",
        "24",
        "--time",
        &time,
        "--seed",
        &seed,
        "--access-log",
        &log_file,
        "--kinds",
        &kinds_file,
        &url,
    ])?;
    serde_json::from_slice(&text).map_err(RealError::of("unladen bill"))
}

fn said(kinds: &[Kind], bill: &Bill) -> Result<Billed, RealError> {
    let rows = kinds.iter().map(|kind| {
        let row = bill.kinds.iter().find(|row| row.kind == kind.name);
        row.map(|row| row.cpu_ns.beside(kind.truth))
            .ok_or_else(|| RealError::failed(format!("unladen bill says nothing of {}", kind.name)))
    });
    let sum = |requests: fn(&Kind) -> usize| kinds.iter().map(|kind| kind.truth * requests(kind) as f64).sum::<f64>();
    let total = sum(|kind| kind.requests);
    let crawlers = bill.clients.iter().find(|client| client.sort == "crawlers");
    let crawlers = crawlers.ok_or_else(|| RealError::failed("unladen bill says nothing of crawlers"))?;
    Ok(Billed {
        kinds: rows.collect::<Result<_, _>>()?,
        total: bill.cpu_ns.beside(total),
        crawlers: crawlers.cpu_share.beside(sum(|kind| kind.of_crawlers) / total),
        load: (bill.load_cores, bill.load_bound_cores),
    })
}

/// The document, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Bill {
    cpu_ns: Span,
    load_cores: f64,
    load_bound_cores: f64,
    kinds: Vec<KindRow>,
    clients: Vec<ClientRow>,
}

#[derive(Debug, Deserialize)]
struct KindRow {
    kind: String,
    cpu_ns: Span,
}

#[derive(Debug, Deserialize)]
struct ClientRow {
    sort: String,
    cpu_share: Span,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Span {
    value: f64,
    low: f64,
    high: f64,
}

impl Span {
    fn beside(self, truth: f64) -> Said {
        Said { truth, value: self.value, low: self.low, high: self.high }
    }
}
