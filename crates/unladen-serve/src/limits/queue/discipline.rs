//! The principal type is [`Discipline`]: who waits for the application, who is next, and who waits no longer.
//!
//! - In ordinary times each client's oldest request is next, the clients taking turns ([`FairQueue`]); a request that
//!   has waited for `wait` is refused.
//! - Under overload ([`Standing`]) a request is refused as soon as it has waited for a tenth of that, the oldest first:
//!   no more are answered by having them wait. Then each client's newest request is next (adaptive LIFO, Maurer 2015):
//!   whoever has pressed "reload" has given up the one before. As many as there are places are left waiting however old
//!   they are, so that no place stays empty for want of a request (RFC 8289, section 4.4, does not drop the last packet
//!   either).
//! - If as many wait as may, the client that has most of them gives one up for a client that has fewer (RFC 8290,
//!   section 4.1.3); whoever has most is refused.
//!
//! Nothing here waits, wakes, or looks at a clock.

use std::time::{Duration, Instant};

use super::counts::Counts;
use super::fair::FairQueue;
use super::flow::Flow;
use super::refusal::{Refusal, Why};
use super::standing::Standing;

/// Nobody is told to come again sooner …
const SOONEST: Duration = Duration::from_secs(1);
/// … or later, but for the spread.
const LATEST: Duration = Duration::from_secs(60);

/// Who waits for the application, who is next, and who waits no longer.
#[derive(Debug)]
pub(super) struct Discipline<T> {
    queue: FairQueue<T>,
    standing: Standing,
    /// Requests that may wait.
    length: usize,
    /// How long one may.
    wait: Duration,
    /// At the application at a time.
    places: usize,
    pub(super) counts: Counts,
}

impl<T> Discipline<T> {
    /// Of this many places, for this many to wait, each for so long.
    pub(super) fn new(places: usize, length: usize, wait: Duration) -> Self {
        let (queue, standing, counts) = Default::default();
        Self { queue, standing, length, wait, places, counts }
    }

    /// Others from now on. Those who wait already, wait on.
    pub(super) fn set(&mut self, places: usize, length: usize, wait: Duration) {
        (self.places, self.length, self.wait) = (places, length, wait);
    }

    pub(super) fn places(&self) -> usize {
        self.places
    }

    pub(super) fn length(&self) -> usize {
        self.length
    }

    pub(super) fn wait(&self) -> Duration {
        self.wait
    }

    /// How many wait.
    pub(super) fn len(&self) -> usize {
        self.queue.len()
    }

    /// Whether there is overload.
    pub(super) fn is_overload(&self, now: Instant) -> bool {
        self.standing.is_overload(now, self.wait, self.places)
    }

    /// One more waits: its number. Others may be refused in its place, and for their age.
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

    /// Another client waits for what is found by this key.
    pub(super) fn join(&mut self, key: &[u8], flow: Flow) {
        self.queue.join(key, flow);
    }

    /// A place is free: whose it is. Others may be refused for their age.
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

    /// It waits no more, by its own will or because its time is over: whether it did.
    pub(super) fn leave(&mut self, number: u64) -> bool {
        let was_waiting = self.queue.remove(number).is_some();
        self.rest();
        was_waiting
    }

    /// A request is refused: when its client may come again. A queue that has stood for a while is not gone in a moment:
    /// what is best assumed of how long something will yet last is how long it has; at least it takes as long as those
    /// take who wait. Spread over as long again, so that those who are refused together do not come together.
    pub(super) fn refusal(&mut self, now: Instant, why: Why, counts: bool) -> Refusal {
        if counts {
            self.counts.refused(why);
            self.standing.refused();
        }
        let drain = self.standing.drain(now, self.queue.len()).unwrap_or(self.wait);
        let base = drain.max(self.standing.lasted(now)).clamp(SOONEST, LATEST);
        // The golden ratio's multiples are spread evenly, however many there are.
        let spread = (self.counts.refusals() as f64 * 0.618_033_988_749_895).fract();
        Refusal { why, after: base.mul_f64(1.0 + spread) }
    }

    /// Refuses who has waited for too long.
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
