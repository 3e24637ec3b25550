//! The principal type is [`Fetch`]: asks an exporter, and parses its answer.
#![allow(clippy::disallowed_types, reason = "an exporter tells the times of its values as wall time")]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use unladen_agent::shown;
use unladen_exporter::{Exposition, Format, Growth, LeftOut, Series, Watch, limits};
use unladen_load::{Cancel, Driver, DriverConfig, HttpVersion, LoadError, Sample, TlsOptions};
use unladen_trace::without_secrets;

use crate::weigh::exporter::named::{Exporter, ExporterError};

/// Limit of an answer, with its connection: exporters that ask others (a database, a kubelet) take seconds.
pub(super) const TIMEOUT: Duration = Duration::from_secs(10);

pub(super) struct Fetch {
    name: String,
    driver: Driver,
    cancel: Cancel,
    pub(super) growth: Growth,
    /// Zero of its clock.
    started: Instant,
    /// Number of series passed on so far.
    told: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Fetched {
    /// When it was asked for, and when it arrived.
    pub(super) asked: Duration,
    pub(super) at: Duration,
    /// The exporter's own time (`Date`), else this machine's, in ms since 1970.
    pub(super) server_ms: Option<i64>,
    pub(super) grown: Vec<(usize, f64)>,
    /// Series that no earlier answer had.
    pub(super) new: Vec<Series>,
    /// Total of series that turned out to be no counters.
    pub(super) refuted: usize,
    /// Lines of the answer that could not be read.
    pub(super) left_out: Option<LeftOut>,
    /// How often counters have been reset.
    pub(super) resets: u64,
    /// There were further series that are not kept.
    pub(super) is_full: bool,
}

impl Fetch {
    pub(super) fn new(exporter: &Exporter, tls: &TlsOptions, cancel: Cancel) -> Result<Self, ExporterError> {
        let name = exporter.name.clone();
        let config = DriverConfig {
            keep_cookies: false,
            http: HttpVersion::Http1,
            timeout: TIMEOUT,
            connect_timeout: TIMEOUT,
            tls: tls.clone(),
            max_body: limits::BODY as u64,
            ..DriverConfig::new(vec![exporter.request.clone()])
        };
        let driver = Driver::start(config)
            .map_err(|source| ExporterError::Load { name: name.clone(), source: Box::new(source) })?;
        Ok(Self { name, driver, cancel, growth: Growth::default(), started: Instant::now(), told: 0 })
    }

    /// Fails if it does not answer in time, or not with metrics.
    pub(super) fn ask(&mut self) -> Result<Fetched, ExporterError> {
        let name = || self.name.clone();
        let asked = self.started.elapsed();
        let sample = match self.driver.fetch(0, limits::BODY, &self.cancel) {
            Ok(sample) => sample,
            Err(LoadError::UnexpectedStatus { sample, .. }) => {
                return Err(ExporterError::Status {
                    name: name(),
                    status: sample.status.as_u16(),
                    next: next(&sample),
                });
            }
            Err(source) => return Err(ExporterError::Load { name: name(), source: Box::new(source) }),
        };
        let at = self.started.elapsed();
        let header = |name: &str| sample.headers.get(name).and_then(|value| value.to_str().ok());
        if let Some(coding) = header("content-encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity")) {
            return Err(ExporterError::Coded { name: name(), coding: coding.chars().take(20).collect() });
        }
        let server_ms = header("date").and_then(|date| httpdate::parse_http_date(date).ok());
        let server_ms = server_ms
            .unwrap_or_else(std::time::SystemTime::now)
            .duration_since(std::time::UNIX_EPOCH)
            .ok()
            .and_then(|since| i64::try_from(since.as_millis()).ok());
        let exposition = Exposition::parse(&sample.body_start, Format::of(header("content-type")))
            .map_err(|source| ExporterError::Text { name: name(), source })?;
        let grown = self.growth.advance_at(&exposition, server_ms.map(|ms| ms as f64 / 1e3));
        let new = self.growth.series()[self.told..].to_vec();
        self.told += new.len();
        let refuted = self.growth.series().iter().filter(|series| series.is_refuted).count();
        Ok(Fetched {
            asked,
            at,
            server_ms,
            grown,
            new,
            refuted,
            left_out: exposition.left_out,
            resets: self.growth.resets(),
            is_full: self.growth.is_full(),
        })
    }
}

fn next(sample: &Sample) -> String {
    match (sample.location(), sample.status.as_u16()) {
        (Some(location), _) => {
            let location = shown(&without_secrets(location), 200);
            format!("it redirects to {location}, but redirects are not followed: use that URL")
        }
        (None, 401 | 403) => "add the login to its URL, http://USER:PASSWORD@…".to_owned(),
        (None, 404) => "check the path, which usually is /metrics".to_owned(),
        (None, _) => "see the exporter's log".to_owned(),
    }
}

/// What is seen of an exporter while it is watched; the asking thread and the measuring one share it.
#[derive(Debug)]
pub(super) struct Poll {
    begun: Instant,
    state: Mutex<State>,
    /// Cancelled when the watch is over.
    pub(super) over: Cancel,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) watch: Watch,
    failed: bool,
}

impl Poll {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), state: Mutex::default(), over: Cancel::new() }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        // Counts are still good after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wants(&self, is_sending: bool) -> bool {
        let now = self.begun.elapsed();
        let mut state = self.state();
        if state.failed {
            return false;
        }
        if is_sending {
            return !state.watch.has_stopped() && state.watch.wants_requests(now);
        }
        state.watch.stopped_sending(now);
        state.watch.wants_quiet(now)
    }

    /// Asks until ended; passes new series to `fetched`. The error is that of the first failed answer.
    pub(super) fn run(&self, fetch: &mut Fetch, mut fetched: impl FnMut(Fetched)) -> Result<(), ExporterError> {
        while !self.over.is_cancelled() {
            let asked = self.begun.elapsed();
            let answer = fetch.ask().inspect_err(|_| self.state().failed = true)?;
            let at = self.begun.elapsed();
            let pause = {
                let mut state = self.state();
                state.watch.answered(asked, at, answer.server_ms, &fetch.growth, &answer.grown);
                state.watch.pause(at, at.saturating_sub(asked))
            };
            fetched(answer);
            self.over.wait(pause);
        }
        Ok(())
    }
}
