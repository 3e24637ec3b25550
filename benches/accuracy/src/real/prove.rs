//! Runs `unladen prove`, and reads what it says. The principal type is [`Experiment`].

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use serde::Deserialize;

use crate::real::binaries::Binaries;
use crate::real::burn::Burn;
use crate::real::disturbance::{Disturbance, Neighbour};
use crate::real::error::RealError;

/// Phases of equal arms: short, so that there can be hundreds of experiments.
const SHORT_PHASE: &str = "100ms";
/// The time that is asked for; what comes of it is the fewest blocks that there may be, six.
const SHORT_TIME: &str = "5s";

/// One experiment of two arms, beside something.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// What else the machine does.
    pub beside: Neighbour,
    /// Of the order of the arms and of the background.
    pub seed: u64,
}

/// What an experiment said of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub struct Proved {
    /// What one request of the candidate costs, as a ratio of what one of the baseline does: by the server's own
    /// account.
    pub truth: f64,
    /// What is said of the first quantile's ratio.
    pub ratio: f64,
    pub low: f64,
    pub high: f64,
    /// The word on the first quantile.
    pub verdict: String,
    /// Metrics of latency that are said to differ.
    pub latencies: Vec<String>,
    /// Counters that are said to differ.
    pub weights: Vec<String>,
    pub elapsed: Duration,
}

/// The document of `unladen prove --json`, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Document {
    elapsed_ns: u64,
    comparisons: Vec<Comparison>,
}

#[derive(Debug, Deserialize)]
struct Comparison {
    metric: String,
    ratio: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    verdict: String,
}

impl Experiment {
    /// A server against itself, for seven seconds or so; a request costs 3 ms in the server and 2 ms in a child of it.
    pub fn of_equals(&self, binaries: &Binaries) -> Result<Proved, RealError> {
        let subject = Burn::costing(binaries, (3.0, 2.0), Duration::from_secs(120))?;
        let folder = std::env::temp_dir().join(format!("unladen-accuracy-{}-{}", std::process::id(), self.seed));
        std::fs::create_dir_all(&folder).map_err(RealError::of("a folder for the experiment"))?;
        let file = folder.join("equals.toml");
        let text = format!(
            "url = \"{url}\"\n[load]\nconcurrency = 1\ntime = \"{SHORT_TIME}\"\nphase = \"{SHORT_PHASE}\"\nwarmup = \
             \"{SHORT_PHASE}\"\n[[knob]]\nname = \"the same\"\non = {{ url = \"{url}\" }}\n",
            url = subject.url()
        );
        let written = std::fs::write(&file, text).map_err(RealError::of("the experiment"));
        let disturbance = Disturbance::start(self.beside, self.seed, &(&subject).into())?;
        let said = written.and_then(|()| self.unladen(binaries, [file.as_os_str()]));
        drop(disturbance);
        // It is in the folder for what is temporary: whoever cleans that cleans this too.
        let _ = std::fs::remove_dir_all(&folder);
        said?.proved(1.0)
    }

    /// A page of 20 ms against one of 20.4 ms; the time is for the whole experiment.
    pub fn of_two_percent(&self, binaries: &Binaries, time: Duration) -> Result<Proved, RealError> {
        let lifetime = time * 3 + Duration::from_secs(60);
        let (a, b) = (Burn::costing(binaries, (12.0, 8.0), lifetime)?, Burn::costing(binaries, (12.4, 8.0), lifetime)?);
        let disturbance = Disturbance::start(self.beside, self.seed, &(&a).into())?;
        let before = (a.truth()?, b.truth()?);
        let time = humantime::format_duration(time).to_string();
        let said = self.unladen(binaries, ["--a", &a.url(), "--b", &b.url(), "--time", &time])?;
        let after = (a.truth()?, b.truth()?);
        drop(disturbance);
        let of = |(own, children): (f64, f64)| own + children;
        said.proved(of(after.1.per_request_since(&before.1)) / of(after.0.per_request_since(&before.0)))
    }

    fn unladen<S: AsRef<OsStr>>(
        &self,
        binaries: &Binaries,
        arguments: impl IntoIterator<Item = S>,
    ) -> Result<Document, RealError> {
        let mut all = vec![OsString::from("prove")];
        all.extend(arguments.into_iter().map(|argument| argument.as_ref().to_owned()));
        all.extend(["--json", "--quiet", "--seed", &self.seed.to_string()].map(OsString::from));
        serde_json::from_slice(&binaries.unladen(all)?).map_err(RealError::of("unladen prove"))
    }
}

impl Document {
    fn proved(self, truth: f64) -> Result<Proved, RealError> {
        let is_called = |comparison: &&Comparison| is_told(&comparison.verdict);
        let called = |is_weight: bool| -> Vec<String> {
            let of = self.comparisons.iter().filter(|one| one.metric.starts_with("weight.") == is_weight);
            of.filter(is_called).map(|comparison| comparison.metric.clone()).collect()
        };
        let headline = self.comparisons.iter().find(|comparison| comparison.metric == "latency.p50");
        let Some((headline, ratio, low, high)) = headline.and_then(|one| Some((one, one.ratio?, one.low?, one.high?)))
        else {
            return Err(RealError::failed("unladen prove says nothing of p50"));
        };
        Ok(Proved {
            truth,
            ratio,
            low,
            high,
            verdict: headline.verdict.clone(),
            latencies: called(false),
            weights: called(true),
            elapsed: Duration::from_nanos(self.elapsed_ns),
        })
    }
}

impl Proved {
    /// Whether the interval of the first quantile's ratio holds the truth.
    pub fn covers(&self) -> bool {
        self.low <= self.truth && self.truth <= self.high
    }

    /// Whether the first quantile is said to differ.
    pub fn is_called(&self) -> bool {
        is_told(&self.verdict)
    }
}

/// Whether a verdict says that something differs.
fn is_told(verdict: &str) -> bool {
    !["no measurable difference", "unclear"].contains(&verdict)
}
