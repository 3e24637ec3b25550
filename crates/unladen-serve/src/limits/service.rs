//! The principal type is [`RateService`]: a service that keeps rate bounds for all who ask it
//! (`envoy.service.ratelimit.v3`).
//!
//! Each thread has a connection of its own, so that a request is no other thread's work. Nobody waits longer than the
//! deadline, connecting included; then the caller decides by itself.

mod link;

use std::collections::HashSet;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use http::Uri;
use unladen_observability::{RateServiceState, RateServiceView};
use unladen_pool::Resolver;
use unladen_serve_config::RateServiceSettings;

use self::link::Link;
use crate::say::say;

pub(crate) use self::link::{Descriptor, Entry, RateLimitRequest, Verdict};

const METHOD: &str = "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";
/// Threads beyond share connections.
const LINKS: usize = 64;
/// Most questions without an answer yet, of all threads: bounds the memory a slow service takes.
const IN_FLIGHT: usize = 4096;
/// Least time between reports that it does not answer.
const EVERY: Duration = Duration::from_secs(60);
const LONGEST_CAUSE: usize = 300;

#[derive(Debug)]
pub(crate) struct RateService {
    pub(super) settings: RateServiceSettings,
    uri: Uri,
    resolver: Arc<Resolver>,
    links: [Mutex<Option<Link>>; LINKS],
    circuit: Mutex<Circuit>,
    /// Times it was given up: connections from before are not used again.
    generation: AtomicU64,
    in_flight: AtomicUsize,
    within: AtomicU64,
    over: AtomicU64,
    /// Unanswered questions: too late, failed, circuit open, too many waiting.
    unanswered: [AtomicU64; 4],
    told: Mutex<Told>,
}

#[derive(Debug, Default)]
struct Told {
    at: Option<Instant>,
    untold: u64,
    latest: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unanswered {
    Late,
    Failed,
    Open,
    Busy,
}

struct InFlight<'s>(&'s RateService);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All services: rate bounds share them, across listeners and reloads.
static ALL: Mutex<Vec<Weak<RateService>>> = Mutex::new(Vec::new());

impl RateService {
    /// The shared service with these settings.
    pub(crate) fn of(settings: &RateServiceSettings) -> Arc<Self> {
        let mut all = locked(&ALL);
        all.retain(|service| service.strong_count() > 0);
        let known = all.iter().filter_map(Weak::upgrade).find(|service| service.settings == *settings);
        known.unwrap_or_else(|| {
            let service = Arc::new(Self::new(settings.clone()));
            all.push(Arc::downgrade(&service));
            service
        })
    }

    fn new(settings: RateServiceSettings) -> Self {
        let scheme = if settings.tls { "https" } else { "http" };
        // Its parts were validated; were it no URI, asking would fail.
        let uri = format!("{scheme}://{}{METHOD}", settings.authority()).parse().unwrap_or_default();
        Self {
            settings,
            uri,
            resolver: Arc::new(Resolver::system()),
            links: std::array::from_fn(|_| Mutex::default()),
            circuit: Mutex::default(),
            generation: AtomicU64::new(0),
            in_flight: AtomicUsize::new(0),
            within: AtomicU64::new(0),
            over: AtomicU64::new(0),
            unanswered: Default::default(),
            told: Mutex::default(),
        }
    }

    /// Asks whether one more request is within the bounds of these descriptors, on this thread's connection.
    pub(crate) async fn ask(
        &self,
        thread: usize,
        question: &RateLimitRequest,
        deadline: Duration,
    ) -> Result<Verdict, Unanswered> {
        if !locked(&self.circuit).lets_through(Instant::now()) {
            return Err(self.count(Unanswered::Open));
        }
        if self.in_flight.fetch_add(1, Ordering::Relaxed) >= IN_FLIGHT {
            self.in_flight.fetch_sub(1, Ordering::Relaxed);
            return Err(self.count(Unanswered::Busy));
        }
        let in_flight = InFlight(self);
        let sender = self.link(thread);
        let asked = async {
            let sender = sender.await.map_err(|why| why.to_string())?;
            link::call(sender, self.uri.clone(), question).await
        };
        let answered = tokio::time::timeout(deadline, asked).await;
        drop(in_flight);
        match answered {
            Ok(Ok(verdict)) => {
                let counter = if verdict == Verdict::Within { &self.within } else { &self.over };
                counter.fetch_add(1, Ordering::Relaxed);
                if locked(&self.circuit).succeeded() {
                    locked(&self.told).latest = None;
                }
                Ok(verdict)
            }
            Ok(Err(cause)) => Err(self.failed(Unanswered::Failed, cause)),
            Err(_) => Err(self.failed(Unanswered::Late, format!("no answer within {deadline:?}"))),
        }
    }

    /// Connects and asks about a descriptor that nobody configures, so that no bound is used up. For checks of a
    /// configuration.
    pub(crate) async fn try_once(settings: &RateServiceSettings, longest: Duration) -> Result<(), String> {
        let service = Self::new(settings.clone());
        let entries = vec![Entry { key: "unladen".to_owned(), value: "--check --connect".to_owned() }];
        let domain = settings.domain.clone();
        let question = RateLimitRequest { domain, descriptors: vec![Descriptor { entries }], hits_addend: 1 };
        let asked = async {
            let sender = service.link(0).await.map_err(|why| why.to_string())?;
            link::call(sender, service.uri.clone(), &question).await.map(drop)
        };
        tokio::time::timeout(longest, asked).await.unwrap_or_else(|_| Err(format!("no answer within {longest:?}")))
    }

    fn link(&self, thread: usize) -> impl Future<Output = Result<h2::client::SendRequest<bytes::Bytes>, Arc<str>>> {
        let generation = self.generation.load(Ordering::Relaxed);
        let mut slot = locked(&self.links[thread % LINKS]);
        if slot.as_ref().is_some_and(|link| link.generation != generation || link.is_over()) {
            *slot = None;
        }
        slot.get_or_insert_with(|| Link::begin(&self.settings, &self.resolver, generation)).sender()
    }

    fn count(&self, unanswered: Unanswered) -> Unanswered {
        self.unanswered[unanswered as usize].fetch_add(1, Ordering::Relaxed);
        unanswered
    }

    #[cold]
    fn failed(&self, unanswered: Unanswered, cause: String) -> Unanswered {
        let now = Instant::now();
        if locked(&self.circuit).failed(now) {
            // The connection may be silently dead.
            self.generation.fetch_add(1, Ordering::Relaxed);
        }
        self.report(cause, now);
        self.count(unanswered)
    }

    fn report(&self, cause: String, now: Instant) {
        let cause: String = cause.chars().take(LONGEST_CAUSE).map(|c| if c.is_control() { ' ' } else { c }).collect();
        let mut told = locked(&self.told);
        told.untold += 1;
        told.latest = Some(cause.clone());
        if told.at.is_some_and(|at| now.saturating_duration_since(at) < EVERY) {
            return;
        }
        let (again, times) = (told.at.is_some(), std::mem::take(&mut told.untold));
        told.at = Some(now);
        drop(told);
        let times = if again { format!(" ({times} times since the last message)") } else { String::new() };
        let service = self.settings.to_string();
        // Writing to the terminal may block: no request waits for that.
        tokio::task::spawn_blocking(move || {
            say!(
                "unladen: rate limit service {service}: {cause}{times} [rate_limit_service]; until it answers, each \
                 process applies the limits by itself"
            );
        });
    }
}

impl RateServiceView for RateService {
    fn state(&self) -> RateServiceState {
        let [late, failed, open, busy] = self.unanswered.each_ref().map(|counter| counter.load(Ordering::Relaxed));
        RateServiceState {
            service: self.settings.to_string(),
            is_open: locked(&self.circuit).is_open(),
            in_flight: self.in_flight.load(Ordering::Relaxed) as u64,
            within: self.within.load(Ordering::Relaxed),
            over: self.over.load(Ordering::Relaxed),
            late,
            failed,
            open,
            busy,
            error: locked(&self.told).latest.clone(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn distinct(services: impl Iterator<Item = Arc<RateService>>) -> Vec<Arc<RateService>> {
    let mut seen = HashSet::new();
    services.filter(|service| seen.insert(Arc::as_ptr(service))).collect()
}

/// Failures in a row after which it is not asked …
const FAILURES: u32 = 5;
/// … for this long at first, doubled each time that it still fails …
const FIRST: Duration = Duration::from_millis(500);
/// … up to this.
const LONGEST: Duration = Duration::from_secs(30);

/// Whether a failing service is asked at all.
#[derive(Clone, Debug, Default)]
struct Circuit {
    /// In a row.
    failures: u32,
    /// When it may be asked again; `None` while it answers.
    until: Option<Instant>,
    /// Failed trials in a row.
    trials: u32,
}

impl Circuit {
    /// Whether it is asked now. While it fails, one request each time is let through.
    fn lets_through(&mut self, now: Instant) -> bool {
        match self.until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                // Counted as failed in advance: no other is let through meanwhile.
                self.trials = self.trials.saturating_add(1);
                self.open(now);
                true
            }
        }
    }

    /// Records a success; whether it had failed before.
    fn succeeded(&mut self) -> bool {
        let was_open = self.until.is_some();
        *self = Self::default();
        was_open
    }

    /// Records a failure; whether it is not asked any more from now on.
    fn failed(&mut self, now: Instant) -> bool {
        if self.until.is_some() {
            return false;
        }
        self.failures = self.failures.saturating_add(1);
        if self.failures < FAILURES {
            return false;
        }
        self.open(now);
        true
    }

    fn is_open(&self) -> bool {
        self.until.is_some()
    }

    fn open(&mut self, now: Instant) {
        let most = FIRST.saturating_mul(1 << self.trials.min(10)).min(LONGEST);
        // Between half and all of it, so that not all nodes ask at once.
        self.until = Some(now + most.mul_f64(0.5 + 0.5 * fastrand::f64()));
    }
}

#[cfg(test)]
mod tests;
