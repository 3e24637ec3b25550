//! The principal type is [`Promise`]: what a finding says that its fix saves, against what it saves.
//!
//! `make advice` proves fixes in turns: the page is requested without the fix and with it, again and again, and the
//! difference of the mean latencies is what the fix saves. A bound that the difference certainly exceeds is broken. Turns
//! are short, as a machine's speed drifts within seconds, and of the pairs a fifth at each end does not count, as what
//! disturbs one turn says nothing about a fix (Tukey and McLaughlin 1963: the trimmed mean, with the winsorized variance).
//!
//! A machine is slower in one minute than in another: a bound is compared as the part of the page's latency that it was
//! when it was said.

use std::fmt;
use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use unladen_tests::Call;

/// After so many pairs of turns, one with the fix and one without, a proof is looked at, and goes on if it is unclear;
/// with each, the quantile of Student's t (as many degrees of freedom as pairs that count, less one) by which three looks
/// together err in 5 % of proofs (Bonferroni).
const LOOKS: [(usize, f64); 3] = [(16, 2.933), (32, 2.625), (64, 2.502)];
/// The part of the pairs that does not count, at each end.
const TRIMMED: f64 = 0.2;
/// A turn lasts about so long, and has at least and at most so many requests.
const TURN_NS: f64 = 0.5e9;
const REQUESTS: (f64, f64) = (8.0, 600.0);
/// Requests before a turn: caches are empty after a restart.
const WARM_UP: usize = 8;
/// As `prove` waits for a service by itself.
const READY_WITHIN: Duration = Duration::from_secs(30);
/// A bound that is within a proof's interval is judged if half of that is at most this part of the page's latency, or
/// this part of the bound.
const SHARP: (f64, f64) = (0.03, 0.25);
/// The part of the judged bounds that has to hold, and how many bounds have to be judged.
const LEAST_HELD: f64 = 0.9;
const LEAST_PAIRS: usize = 40;

/// An estimate with its 95 % interval, ns a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Saving {
    /// The mean latency without the fix.
    latency: f64,
    /// The median latency without the fix, the mean of all turns.
    median: f64,
    value: f64,
    half_width: f64,
}

/// One finding, what it says, and what its fix was proved to save.
#[derive(Debug)]
pub(crate) struct Promise {
    pub(crate) subject: String,
    pub(crate) rule: String,
    /// What its calls take, ns: low, value, high. `None` where it says that this is not known.
    takes: Option<[f64; 3]>,
    /// What the fix saves at most, ns; likewise.
    bound: Option<f64>,
    /// The median latency when that was said, ns.
    median: Option<f64>,
    pub(crate) proved: Result<Saving, String>,
}

/// How a promise fared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Holds,
    Broken,
    /// The proof is too wide to say so.
    Unclear,
    /// No bound was said.
    NoBound,
}

#[derive(Debug, Default)]
pub(crate) struct Promises(Vec<Promise>);

impl Saving {
    /// In turns, until they judge the bound of `promise`. `turn` puts the page into a state, with the fix or without, and returns its
    /// URL.
    ///
    /// # Errors
    /// With what it says, if a turn fails.
    pub(crate) fn in_turns(
        request: &[&str],
        promise: &Promise,
        mut turn: impl FnMut(bool) -> Result<String, String>,
    ) -> Result<Self, String> {
        let mut requests = None;
        let (mut without, mut medians, mut saved) = (Vec::new(), Vec::new(), Vec::new());
        let mut looks = LOOKS.into_iter().peekable();
        loop {
            let pair = saved.len();
            let mut latency = [(0.0, 0.0); 2];
            // The order alternates: drift falls on both alike.
            for is_fixed in [pair % 2 == 1, pair % 2 == 0] {
                let url = turn(is_fixed)?;
                warm_up(&url, request)?;
                let count = match requests {
                    Some(count) => count,
                    None => {
                        let (once, _) = latencies(&url, WARM_UP, request)?;
                        *requests.insert((TURN_NS / once).clamp(REQUESTS.0, REQUESTS.1) as usize)
                    }
                };
                latency[usize::from(is_fixed)] = latencies(&url, count, request)?;
            }
            without.push(latency[0].0);
            medians.push(latency[0].1);
            saved.push(latency[0].0 - latency[1].0);
            let Some((_, quantile)) = looks.next_if(|(pairs, _)| *pairs == saved.len()) else { continue };
            let saving = Self::of(&without, &medians, &saved, quantile);
            if looks.peek().is_none() || promise.judged_by(&saving) != Verdict::Unclear {
                return Ok(saving);
            }
        }
    }

    fn of(without: &[f64], medians: &[f64], saved: &[f64], quantile: f64) -> Self {
        let mut sorted = saved.to_vec();
        sorted.sort_by(f64::total_cmp);
        let trimmed = (TRIMMED * sorted.len() as f64) as usize;
        let counts = &sorted[trimmed..sorted.len() - trimmed];
        let value = average(counts);
        let winsorized: Vec<f64> = sorted.iter().map(|one| one.clamp(counts[0], counts[counts.len() - 1])).collect();
        let centre = average(&winsorized);
        let n = sorted.len() as f64;
        let variance = winsorized.iter().map(|one| (one - centre).powi(2)).sum::<f64>() / (n - 1.0);
        let kept = counts.len() as f64 / n;
        let half_width = quantile * (variance / n).sqrt() / kept;
        Self { latency: average(without), median: average(medians), value, half_width }
    }

    fn verdict(&self, bound: f64) -> Verdict {
        let is_sharp = self.half_width <= (SHARP.0 * self.latency).max(SHARP.1 * bound);
        match (self.value - self.half_width, self.value + self.half_width) {
            (low, _) if low > bound => Verdict::Broken,
            (_, high) if high <= bound || is_sharp => Verdict::Holds,
            _ => Verdict::Unclear,
        }
    }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Until the page is answered as it should be: what a service was told takes effect while it goes on.
fn warm_up(url: &str, request: &[&str]) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match latencies(url, WARM_UP, request) {
            Err(_) if begun.elapsed() < READY_WITHIN => std::thread::sleep(Duration::from_millis(200)),
            done => return done.map(drop),
        }
    }
}

/// The mean and the median latency of so many requests, one after the other, ns.
fn latencies(url: &str, requests: usize, more: &[&str]) -> Result<(f64, f64), String> {
    let requests = requests.to_string();
    let call = Call::load(["--json", "--concurrency", "1", "--requests", requests.as_str()]);
    let done = call.args(more).args([url]).run();
    if done.code != Some(0) {
        return Err(format!("load ended with {:?}: {}", done.code, done.stderr));
    }
    let document: Value = serde_json::from_str(&done.stdout).map_err(|error| error.to_string())?;
    let latency = |name: &str| document["latency_ns"][name].as_f64();
    latency("mean").zip(latency("p50")).ok_or_else(|| "load tells no latency".to_owned())
}

// === impl Promise ===

impl Promise {
    /// What a finding of a document of `unladen weigh --json` says.
    pub(crate) fn of(subject: &str, document: &Value, finding: &Value) -> Self {
        let number = |value: &Value| value.as_f64();
        let takes = &finding["takes_ns"];
        let takes = [&takes["low"], &takes["value"], &takes["high"]].map(number);
        Self {
            subject: subject.to_owned(),
            rule: finding["rule"].as_str().unwrap_or_default().to_owned(),
            takes: match takes {
                [Some(low), Some(value), Some(high)] => Some([low, value, high]),
                _ => None,
            },
            bound: number(&finding["saves_at_most_ns"]),
            median: number(&document["latency_ns"]["p50"]),
            proved: Err("not proved".to_owned()),
        }
    }

    /// What could not be tried.
    pub(crate) fn failed(subject: &str, why: String) -> Self {
        Self { proved: Err(why), ..Self::of(subject, &Value::Null, &Value::Null) }
    }

    /// The bound, at the speed that the machine had during the proof.
    fn bound_at(&self, saving: &Saving) -> Option<f64> {
        let speed = self.median.map_or(1.0, |median| saving.median / median);
        self.bound.map(|bound| bound * speed)
    }

    /// Whether the whole interval of the proof is below the bound, and not about it.
    fn is_below(&self) -> bool {
        let proved = self.proved.as_ref().ok().and_then(|saving| Some((saving, self.bound_at(saving)?)));
        proved.is_some_and(|(saving, bound)| saving.value + saving.half_width <= bound)
    }

    fn judged_by(&self, saving: &Saving) -> Verdict {
        self.bound_at(saving).map_or(Verdict::NoBound, |bound| saving.verdict(bound))
    }

    fn verdict(&self) -> Verdict {
        self.proved.as_ref().map_or(Verdict::Unclear, |saving| self.judged_by(saving))
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |ns: f64| format!("{:.2}", ns / 1e6);
        write!(f, "| {} | {} | ", self.subject, self.rule)?;
        match self.takes {
            Some([low, value, high]) => write!(f, "{} ({} to {}) | ", ms(value), ms(low), ms(high))?,
            None => f.write_str("not known | ")?,
        }
        match self.bound {
            Some(bound) => write!(f, "{} | ", ms(bound))?,
            None => f.write_str("not known | ")?,
        }
        match &self.proved {
            Ok(saving @ Saving { latency, value, half_width, .. }) => {
                match self.bound_at(saving) {
                    Some(bound) => write!(f, "{} | ", ms(bound))?,
                    None => f.write_str("– | ")?,
                }
                write!(f, "{} ± {} of {} | ", ms(*value), ms(*half_width), ms(*latency))?;
            }
            Err(why) => write!(f, "– | {} | ", why.lines().next().unwrap_or_default())?,
        }
        f.write_str(match self.verdict() {
            Verdict::Holds if self.is_below() => "holds |",
            Verdict::Holds => "not broken |",
            Verdict::Broken => "**broken** |",
            Verdict::Unclear => "unclear |",
            Verdict::NoBound => "no bound |",
        })
    }
}

// === impl Promises ===

impl Promises {
    /// Shown as it comes, too: the whole takes long.
    pub(crate) fn push(&mut self, promise: Promise) {
        eprintln!("{promise}");
        self.0.push(promise);
    }

    fn count(&self, verdict: Verdict) -> usize {
        self.0.iter().filter(|promise| promise.verdict() == verdict).count()
    }

    /// How often the promises held, as docs/reference/accuracy.md has it.
    pub(crate) fn table(&self) -> String {
        let mut text = "| application | finding | takes, ms | saves at most, ms | at the proof's speed, ms | proved, ms | the bound |\n\
                        |---|---|---:|---:|---:|---:|---|\n"
            .to_owned();
        for promise in &self.0 {
            let _ = writeln!(text, "{promise}");
        }
        let (holds, broken) = (self.count(Verdict::Holds), self.count(Verdict::Broken));
        let below = self.0.iter().filter(|one| one.verdict() == Verdict::Holds && one.is_below()).count();
        let mut tightness: Vec<f64> = self.0.iter().filter_map(Promise::tightness).collect();
        tightness.sort_by(f64::total_cmp);
        let _ = write!(
            text,
            "\n{} pairs: of {} bounds that a sharp proof judged, {below} hold, {} are not broken, as they are within its interval \
             ({:.0} % in all), and {broken} are broken; {} proofs are unclear, {} findings say no bound.",
            self.0.len(),
            holds + broken,
            holds - below,
            100.0 * holds as f64 / (holds + broken).max(1) as f64,
            self.count(Verdict::Unclear),
            self.count(Verdict::NoBound),
        );
        if let Some(median) = tightness.get(tightness.len() / 2) {
            let _ = write!(text, " Where a saving was proved, the median bound is {median:.1} times what was proved.");
        }
        text
    }

    /// Puts the table into a document, between its markers.
    ///
    /// # Panics
    /// If the document cannot be written, or has no markers.
    pub(crate) fn write(&self, document: &Path) {
        const BEGIN: &str = "<!-- begin promises -->\n";
        let text = std::fs::read_to_string(document).expect("the document can be read");
        let from = text.find(BEGIN).expect("the document has a place for the table") + BEGIN.len();
        let to = from + text[from..].find("<!-- end promises -->").expect("the place has an end");
        let text = format!("{}{}\n{}", &text[..from], self.table(), &text[to..]);
        std::fs::write(document, text).expect("the document can be written");
    }

    /// Whether so many bounds were judged that they say something of all.
    pub(crate) fn are_enough(&self) -> bool {
        self.count(Verdict::Holds) + self.count(Verdict::Broken) >= LEAST_PAIRS
    }

    /// # Panics
    /// If too few bounds hold, or, of all subjects, too few were judged.
    pub(crate) fn assert_hold(&self, is_whole: bool) {
        let (holds, broken) = (self.count(Verdict::Holds), self.count(Verdict::Broken));
        assert!(!self.0.is_empty(), "nothing was proved");
        assert!(!is_whole || self.are_enough(), "only {} bounds were judged", holds + broken);
        let held = holds as f64 / (holds + broken).max(1) as f64;
        assert!(held >= LEAST_HELD, "{broken} of {} bounds are broken\n{}", holds + broken, self.table());
    }
}

impl Promise {
    /// The bound over what was proved, where that is certainly more than nothing.
    fn tightness(&self) -> Option<f64> {
        let saving = self.proved.as_ref().ok()?;
        (saving.value > saving.half_width).then(|| self.bound_at(saving).map(|bound| bound / saving.value))?
    }
}

#[test]
fn a_bound_is_broken_only_where_the_saving_certainly_exceeds_it() {
    let promise = |bound: Option<f64>, value: f64, half_width: f64| Promise {
        subject: String::new(),
        rule: String::new(),
        takes: None,
        bound,
        median: Some(9e6),
        proved: Ok(Saving { latency: 10e6, median: 9e6, value, half_width }),
    };
    assert_eq!(promise(Some(2e6), 1e6, 0.1e6).verdict(), Verdict::Holds);
    assert_eq!(promise(Some(2e6), 2.2e6, 0.1e6).verdict(), Verdict::Broken);
    assert_eq!(promise(Some(2e6), 2.2e6, 0.25e6).verdict(), Verdict::Holds);
    // Nearly anything is within so wide an interval …
    assert_eq!(promise(Some(2e6), 2.2e6, 3e6).verdict(), Verdict::Unclear);
    // … unless all of it is within the bound.
    assert_eq!(promise(Some(2e6), 0.6e6, 1.3e6).verdict(), Verdict::Holds);
    assert_eq!(promise(None, 2.2e6, 0.1e6).verdict(), Verdict::NoBound);
    // It was said when the machine was faster by a fifth.
    let said_before = Promise { median: Some(7.5e6), ..promise(Some(2e6), 2.2e6, 0.1e6) };
    assert_eq!(said_before.verdict(), Verdict::Holds);
}
