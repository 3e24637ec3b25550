//! The principal type is [`Discipline`]: who waits for the application, who is next, and who waits no longer.
//!
//! - In ordinary times clients take turns with their oldest requests ([`FairQueue`]); a request that has waited for
//!   `wait` is refused.
//! - Under overload ([`Standing`]) requests are refused after a tenth of that, the oldest first: making them wait
//!   answers no more of them. Each client's newest request is next (adaptive LIFO, Maurer 2015), as a user who pressed
//!   "reload" has given up the one before. As many as there are places stay however old they are, so that no place
//!   stays empty for want of a request (RFC 8289, section 4.4, does not drop the last packet either).
//! - At the bound on length, the client with most requests gives one up for a client that has fewer (RFC 8290, section
//!   4.1.3); the client with most is refused.
//!
//! Nothing here waits, wakes, or looks at a clock.

use std::time::{Duration, Instant};

use unladen_observability::HistogramTotals;

use super::fair::FairQueue;
use super::{Flow, Refusal, Why};

/// Shortest `Retry-After` …
const SOONEST: Duration = Duration::from_secs(1);
/// … and longest, before spreading.
const LATEST: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Discipline<T> {
    queue: FairQueue<T>,
    standing: Standing,
    pub(super) length: usize,
    pub(super) wait: Duration,
    pub(super) places: usize,
    pub(super) counts: Counts,
}

impl<T> Discipline<T> {
    /// `length`: requests that may wait, each for up to `wait`.
    pub(super) fn new(places: usize, length: usize, wait: Duration) -> Self {
        let (queue, standing, counts) = Default::default();
        Self { queue, standing, length, wait, places, counts }
    }

    /// Changes the bounds; those waiting already go on waiting.
    pub(super) fn set(&mut self, places: usize, length: usize, wait: Duration) {
        (self.places, self.length, self.wait) = (places, length, wait);
    }

    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn is_overload(&self, now: Instant) -> bool {
        self.standing.is_overload(now, self.wait, self.places)
    }

    /// Enqueues a request, and returns its number. Others may be refused in its place, or for their age.
    pub(super) fn push(
        &mut self,
        now: Instant,
        flow: Flow,
        key: Option<&[u8]>,
        item: T,
        refused: &mut Vec<(T, Refusal)>,
    ) -> Result<u64, Refusal> {
        self.shed(now, refused);
        if self.queue.len() >= self.length {
            let Some(number) = self.queue.surplus(flow) else { return Err(self.refusal(now, Why::Full, true)) };
            self.refuse(now, number, Why::Full, refused);
        }
        self.standing.begin(now);
        Ok(self.queue.push(now, flow, key, item))
    }

    pub(super) fn join(&mut self, key: &[u8], flow: Flow) {
        self.queue.join(key, flow);
    }

    /// Takes the next request for a free place. Others may be refused for their age.
    pub(super) fn next(&mut self, now: Instant, refused: &mut Vec<(T, Refusal)>) -> Option<T> {
        self.shed(now, refused);
        let taken = self.queue.take(self.is_overload(now));
        if let Some((_, since)) = &taken {
            self.standing.served();
            self.counts.waited(now.saturating_duration_since(*since));
        }
        self.rest();
        taken.map(|(item, _)| item)
    }

    /// Removes it, by its own will or as its time is over; whether it was waiting.
    pub(super) fn leave(&mut self, number: u64) -> bool {
        let was_waiting = self.queue.remove(number).is_some();
        self.rest();
        was_waiting
    }

    /// Refuses a request, and says when its client may come again. A queue that has stood for a while will stand on:
    /// the best guess for what remains is the time it has lasted, and at least what draining it takes. Spread over as
    /// long again, so that those refused together do not come together.
    pub(super) fn refusal(&mut self, now: Instant, why: Why, counts: bool) -> Refusal {
        if counts {
            self.counts.refused(why);
            self.standing.refused();
        }
        let drain = self.standing.drain(now, self.queue.len()).unwrap_or(self.wait);
        let base = drain.max(self.standing.lasted(now)).clamp(SOONEST, LATEST);
        // Multiples of the golden ratio spread evenly, however many there are.
        let spread = (self.counts.refusals() as f64 * 0.618_033_988_749_895).fract();
        Refusal { why, after: base.mul_f64(1.0 + spread) }
    }

    fn shed(&mut self, now: Instant, refused: &mut Vec<(T, Refusal)>) {
        let (is_overload, target) = (self.is_overload(now), Standing::target(self.wait));
        while let Some((number, since)) = self.queue.oldest() {
            let age = now.saturating_duration_since(since);
            let why = match age {
                age if age >= self.wait => Why::Timeout,
                age if is_overload && age >= target && self.queue.len() > self.places => Why::Overloaded,
                _ => break,
            };
            self.refuse(now, number, why, refused);
        }
        self.rest();
    }

    fn refuse(&mut self, now: Instant, number: u64, why: Why, refused: &mut Vec<(T, Refusal)>) {
        if let Some((item, _)) = self.queue.remove(number) {
            refused.push((item, self.refusal(now, why, true)));
        }
    }

    fn rest(&mut self) {
        if self.queue.len() == 0 {
            self.standing.end();
        }
    }
}

/// What has become of those who had to wait.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    /// By [`Why`].
    refused: [u64; 3],
    pub(super) left: u64,
    pub(super) waited: HistogramTotals,
}

impl Counts {
    pub(super) fn waited(&mut self, after: Duration) {
        self.waited.record(after);
    }

    pub(super) fn refused(&mut self, why: Why) {
        self.refused[why as usize] += 1;
    }

    pub(super) fn refusals(&self) -> u64 {
        self.refused.iter().sum()
    }

    pub(super) fn by_reason(&self) -> [(&'static str, u64); 3] {
        Why::ALL.map(|why| (why.reason().as_str(), self.refused[why as usize]))
    }
}

/// Requests served for each place while the queue was never empty.
///
/// With Poisson arrivals at four places that take 300 ms each, less than one request in a hundred is refused for it at
/// 90 % load, and next to none at 80 % (see the simulation).
const ROUNDS: u64 = 100;
/// Divisor of the longest wait under overload: CoDel's target is 5 to 10 % of its interval (RFC 8289, section 4.3).
const TARGET: u32 = 10;

/// Whether a queue is a passing burst or standing.
///
/// A queue is there to carry a burst. If it never becomes empty, it carries nothing: everybody waits as long as it is,
/// and no more are answered than without it (CoDel, RFC 8289, section 3). RFC 8289 goes by the least wait within an
/// interval. With a line for each client that does not do: a client that asks seldom never waits for long. The sign
/// here is that of Maurer's variant for requests ("Fail at Scale", ACM Queue 13(8), 2015): for an interval, the queue
/// has not been empty.
///
/// RFC 8289's interval is at least a round trip, in which a sender could have reacted to a loss. Here it is the longest
/// wait of a request: a burst worth waiting for is over by then. But the queue of a slow application is seldom empty
/// even at a load it can carry. So besides, either a request must have been refused meanwhile, for the queue's length
/// or its wait, or [`ROUNDS`] requests for each worker been served.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    since: Option<Instant>,
    served: u64,
    has_refused: bool,
}

impl Standing {
    pub(super) fn begin(&mut self, now: Instant) {
        if self.since.is_none() {
            *self = Self { since: Some(now), ..Self::default() };
        }
    }

    pub(super) fn end(&mut self) {
        *self = Self::default();
    }

    pub(super) fn served(&mut self) {
        self.served += 1;
    }

    pub(super) fn refused(&mut self) {
        self.has_refused = true;
    }

    /// Whether there is overload, given the longest wait and the number of places.
    pub(super) fn is_overload(&self, now: Instant, wait: Duration, places: usize) -> bool {
        let is_proven = self.has_refused || self.served >= ROUNDS.saturating_mul(places as u64);
        is_proven && self.lasted(now) >= wait
    }

    pub(super) fn target(wait: Duration) -> Duration {
        wait / TARGET
    }

    pub(super) fn lasted(&self, now: Instant) -> Duration {
        self.since.map_or(Duration::ZERO, |since| now.saturating_duration_since(since))
    }

    /// How long `waiting` requests will take at the pace so far; `None` if nothing has been done yet.
    pub(super) fn drain(&self, now: Instant, waiting: usize) -> Option<Duration> {
        let each = self.lasted(now).as_secs_f64() / self.served as f64;
        (self.served > 0).then(|| Duration::try_from_secs_f64(each * waiting as f64).unwrap_or(Duration::MAX))
    }
}
