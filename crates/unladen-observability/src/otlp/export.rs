//! Exports spans and metrics, as long as it is polled: [`Observability::export`].

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use bytes::Bytes;
use serde_json::Value;
use tokio::sync::watch;

use crate::Observability;
use crate::families::families;
use crate::otlp::client::{Client, Destination};
use crate::otlp::metrics;
use crate::otlp::traces::{self, Span};
use crate::wall::Wall;

const LOOK: Duration = Duration::from_millis(250);

/// Spans that are sent at once …
const BATCH: usize = 512;

/// … or after this long.
const GATHER: Duration = Duration::from_secs(1);

const LAST: Duration = Duration::from_secs(5);

impl Observability {
    /// Sends spans and metrics to the collector, if the settings name one, until `stop` is ready, and then the rest,
    /// for at most 5 s. Needs a runtime with I/O and time; only one call at a time.
    pub async fn export(self: Arc<Self>, stop: impl Future<Output = ()>) {
        let _exporting = self.exporting();
        export(&self, stop).await;
    }
}

async fn export(observability: &Observability, stop: impl Future<Output = ()>) {
    let (tell, told) = watch::channel(false);
    let stopping = async {
        stop.await;
        // Fails if both have ended.
        let _ = tell.send(true);
    };
    let last = async {
        let mut told = told.clone();
        let _ = told.wait_for(|&stop| stop).await;
        tokio::time::sleep(LAST).await;
    };
    let work = async {
        tokio::join!(
            stopping,
            Sending::new(observability, told.clone()).spans(),
            Sending::new(observability, told.clone()).metrics()
        )
    };
    tokio::select! {
        _ = work => {}
        () = last => {}
    }
}

/// Sender of spans or of metrics, each over its own connection.
struct Sending<'a> {
    observability: &'a Observability,
    client: Client,
    stop: watch::Receiver<bool>,
    patience: Patience,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// Accepted, except for this number of parts.
    Taken(u64),
    Lost,
}

impl<'a> Sending<'a> {
    fn new(observability: &'a Observability, stop: watch::Receiver<bool>) -> Self {
        Self { observability, client: Client::default(), stop, patience: Patience::default() }
    }

    async fn spans(mut self) {
        let exporter = &self.observability.exporter;
        let mut spans = Vec::new();
        let mut since = Instant::now();
        loop {
            let stops = self.pause(LOOK).await;
            loop {
                if spans.is_empty() {
                    since = Instant::now();
                }
                exporter.take(&mut spans, BATCH);
                let is_due = spans.len() >= BATCH || since.elapsed() >= GATHER || stops;
                if spans.is_empty() || !is_due {
                    break;
                }
                self.send_spans(&mut spans).await;
            }
            if stops {
                return;
            }
        }
    }

    async fn send_spans(&mut self, spans: &mut Vec<Span>) {
        let counts = &self.observability.exporter.counts;
        let all = spans.len() as u64;
        let rejected = match self.observability.exporter.to() {
            Some(to) => {
                let body = traces::request(spans, &self.resource(&to), |name| self.observability.configured.at(name));
                match self.send(&to, "/v1/traces", &body).await {
                    Sent::Taken(rejected) => rejected.min(all),
                    Sent::Lost => all,
                }
            }
            None => all,
        };
        counts.spans_sent.fetch_add(all - rejected, Ordering::Relaxed);
        counts.spans_failed.fetch_add(rejected, Ordering::Relaxed);
        spans.clear();
    }

    async fn metrics(mut self) {
        let mut last = Instant::now();
        loop {
            let every = self.observability.exporter.to().map_or(LOOK, |to| to.every.max(LOOK));
            let stops = self.pause(every.saturating_sub(last.elapsed())).await;
            last = Instant::now();
            if let Some(to) = self.observability.exporter.to() {
                let snapshot = self.observability.snapshot();
                let body =
                    metrics::request(&families(&snapshot), &self.resource(&to), snapshot.started, snapshot.taken);
                self.send(&to, "/v1/metrics", &body).await;
            }
            if stops {
                return;
            }
        }
    }

    async fn pause(&mut self, wait: Duration) -> bool {
        let mut to = self.observability.exporter.to.subscribe();
        let until_told = async {
            tokio::time::sleep(wait).await;
            // Fails when the settings are gone, and with them all counting.
            let _ = to.wait_for(Option::is_some).await;
        };
        tokio::select! {
            _ = self.stop.wait_for(|&stop| stop) => true,
            () = until_told => false,
        }
    }

    /// Sends until it is accepted or hopeless; only once while stopping.
    async fn send(&mut self, to: &Destination, path: &str, body: &Value) -> Sent {
        let counts = &self.observability.exporter.counts;
        let body = Bytes::from(body.to_string());
        let start = Instant::now();
        for times in 1.. {
            let asked_for = match self.client.post(&to.target, path, body.clone()).await {
                Ok(answer) if (200..300).contains(&answer.status) => {
                    counts.taken.fetch_add(1, Ordering::Relaxed);
                    return Sent::Taken(rejected(&answer.body));
                }
                Ok(answer) if !is_worth_it(answer.status) => break,
                Ok(answer) => asked_for(answer.retry_after.as_deref(), Wall::now()),
                Err(_) => None,
            };
            let Some(wait) = self.patience.wait(times, start.elapsed(), asked_for) else { break };
            if *self.stop.borrow() || tokio::time::timeout(wait, self.stop.wait_for(|&stop| stop)).await.is_ok() {
                break;
            }
            counts.retried.fetch_add(1, Ordering::Relaxed);
        }
        counts.given_up.fetch_add(1, Ordering::Relaxed);
        Sent::Lost
    }

    fn resource(&self, to: &Destination) -> Value {
        let node = self.observability.fleet().map(|fleet| fleet.settings().bus.node.clone());
        traces::resource(to, &self.observability.exporter.instance, node.as_deref())
    }
}

/// Spans or points permanently rejected from an accepted request ("Partial Success").
fn rejected(answer: &[u8]) -> u64 {
    let Ok(answer) = serde_json::from_slice::<Value>(answer) else { return 0 };
    let partial = &answer["partialSuccess"];
    let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    number(&partial["rejectedSpans"]).unwrap_or(0)
}

#[derive(Clone, Copy, Debug)]
struct Patience {
    /// Pause before the second attempt; doubled each time, then multiplied by a random factor from 0.5 to 1.5.
    pub(super) first: Duration,
    /// Maximum pause, unless the collector asks for a longer one.
    pub(super) longest: Duration,
    /// No pause may end later than this after the first attempt.
    pub(super) whole: Duration,
}

fn is_worth_it(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// `Retry-After` (RFC 9110, section 10.2.3); `None` if it is missing or malformed.
fn asked_for(retry_after: Option<&str>, now: Wall) -> Option<Duration> {
    let said = retry_after?.trim();
    said.parse().map(Duration::from_secs).ok().or_else(|| now.until(said))
}

// === impl Patience ===

impl Default for Patience {
    fn default() -> Self {
        Self { first: Duration::from_secs(1), longest: Duration::from_secs(30), whole: Duration::from_secs(60) }
    }
}

impl Patience {
    /// Pause after `times` attempts, `spent` after the first; `None` to give up.
    pub(super) fn wait(&self, times: u32, spent: Duration, asked_for: Option<Duration>) -> Option<Duration> {
        let wait = asked_for.unwrap_or_else(|| {
            let doubled = self.first.saturating_mul(1_u32.checked_shl(times.saturating_sub(1)).unwrap_or(u32::MAX));
            doubled.min(self.longest).mul_f64(0.5 + fastrand::f64())
        });
        (spent.saturating_add(wait) <= self.whole).then_some(wait)
    }
}

#[cfg(test)]
mod tests;
