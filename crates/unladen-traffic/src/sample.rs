//! The principal type is [`Sample`]: URLs of one kind, for measuring it.
//!
//! Traffic on pages follows Zipf's law: a few URLs have much of it, and the rest is a crowd. So the most frequent are
//! kept with their counts (the head), and of all requests a uniform sample (Vitter's algorithm R, 1985). What of it is not
//! in the head is a uniform sample of all requests to the rest (the tail).

use xxhash_rust::xxh3::xxh3_64;

use crate::sketch::Sketch;

const HEAD: usize = 16;
const TAIL: usize = 32;

/// Longest URL that is kept, bytes.
const LONGEST: usize = 1 << 10;

/// Bytes of all URLs that are kept, of all kinds.
const MOST_BYTES: usize = 48 << 20;

/// The head has what makes at least a hundredth of the kind.
const HEAD_SHARE: u64 = 100;

/// What all samples share.
pub(crate) struct Sampler {
    pub(crate) sketch: Sketch,
    pub(crate) rng: fastrand::Rng,
    bytes: usize,
}

#[derive(Default)]
pub(crate) struct Sample {
    seen: u64,
    head: Vec<Counted>,
    tail: Vec<(u64, Box<str>)>,
}

struct Counted {
    hash: u64,
    count: u64,
    url: Box<str>,
}

/// A sample that is complete: the head with counts, the tail, and the number of requests to the tail.
pub(crate) type Drawn = (Vec<(String, u64)>, Vec<String>, u64);

impl Sampler {
    pub(crate) fn new(seed: u64) -> Self {
        Self { sketch: Sketch::default(), rng: fastrand::Rng::with_seed(seed), bytes: 0 }
    }

    /// Counts a request for a URL that is in the head already; false if it is not.
    pub(crate) fn again(&mut self, sample: &mut Sample, url: &[u8]) -> bool {
        let hash = xxh3_64(url);
        let Some(known) = sample.head.iter_mut().find(|known| known.hash == hash) else { return false };
        known.count += 1;
        self.draw(sample, hash, url);
        true
    }

    /// Counts a request for another URL, and keeps it if it belongs to the sample; false if it is too long.
    pub(crate) fn add(&mut self, sample: &mut Sample, url: &str) -> bool {
        if url.len() > LONGEST {
            return false;
        }
        // The one that is kept may have lost a session's id.
        if !self.again(sample, url.as_bytes()) {
            let hash = xxh3_64(url.as_bytes());
            self.meet(sample, hash, url);
            self.draw(sample, hash, url.as_bytes());
        }
        true
    }

    /// Has a request take part in the uniform sample.
    fn draw(&mut self, sample: &mut Sample, hash: u64, url: &[u8]) {
        sample.seen += 1;
        let at = if sample.tail.len() < TAIL { sample.tail.len() } else { self.rng.u64(0..sample.seen) as usize };
        if at >= TAIL {
            return;
        }
        let Ok(url) = std::str::from_utf8(url) else { return };
        if let Some(drawn) = sample.tail.get_mut(at) {
            self.bytes = (self.bytes + url.len()).saturating_sub(drawn.1.len());
            *drawn = (hash, url.into());
        } else if self.has_room(url) {
            sample.tail.push((hash, url.into()));
        }
    }

    /// Takes a URL into the head, if it is more frequent than one there.
    fn meet(&mut self, sample: &mut Sample, hash: u64, url: &str) {
        let count = self.sketch.add(hash);
        if sample.head.len() < HEAD && self.has_room(url) {
            sample.head.push(Counted { hash, count, url: url.into() });
        } else if let Some(least) = sample.head.iter_mut().min_by_key(|known| known.count)
            && least.count < count
        {
            // While it was here, the sketch did not count it.
            self.sketch.raise(least.hash, least.count);
            self.bytes = (self.bytes + url.len()).saturating_sub(least.url.len());
            *least = Counted { hash, count, url: url.into() };
        }
    }

    fn has_room(&mut self, url: &str) -> bool {
        let has_room = self.bytes + url.len() <= MOST_BYTES;
        if has_room {
            self.bytes += url.len();
        }
        has_room
    }

    /// The sample of both kinds together.
    pub(crate) fn merge(&mut self, into: &mut Sample, from: Sample) {
        let before: usize = into.bytes() + from.bytes();
        for counted in from.head {
            match into.head.iter_mut().find(|known| known.hash == counted.hash) {
                Some(known) => known.count += counted.count,
                None => into.head.push(counted),
            }
        }
        into.head.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.url.cmp(&b.url)));
        into.head.truncate(HEAD);
        // Draws without replacement: each from one of the two by the requests that are left there.
        let (mut one, mut other) = (std::mem::take(&mut into.tail), from.tail);
        let (mut left, mut other_left) = (into.seen, from.seen);
        while into.tail.len() < TAIL && !(one.is_empty() && other.is_empty()) {
            let is_one = other.is_empty() || !one.is_empty() && self.rng.u64(0..(left + other_left).max(1)) < left;
            let (drawn, left) = if is_one { (&mut one, &mut left) } else { (&mut other, &mut other_left) };
            *left = left.saturating_sub(1);
            let at = self.rng.usize(0..drawn.len());
            into.tail.push(drawn.swap_remove(at));
        }
        into.seen += from.seen;
        self.bytes = (self.bytes + into.bytes()).saturating_sub(before);
    }
}

impl Sample {
    fn bytes(&self) -> usize {
        self.head.iter().map(|known| known.url.len()).chain(self.tail.iter().map(|(_, url)| url.len())).sum()
    }

    pub(crate) fn seen(&self) -> u64 {
        self.seen
    }

    pub(crate) fn finish(mut self) -> Drawn {
        self.head.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.url.cmp(&b.url)));
        let is_complete = self.head.iter().map(|known| known.count).sum::<u64>() == self.seen;
        let least = if is_complete { 1 } else { (self.seen / HEAD_SHARE).max(2) };
        self.head.retain(|known| known.count >= least);
        let mut rest = self.seen;
        for known in &mut self.head {
            // The sketch may have counted too many.
            known.count = known.count.min(rest);
            rest -= known.count;
        }
        let is_head = |hash: u64| self.head.iter().any(|known| known.hash == hash);
        let tail: Vec<String> =
            self.tail.into_iter().filter(|(hash, _)| !is_head(*hash)).map(|(_, url)| url.into()).collect();
        let head = self.head.into_iter().filter(|known| known.count > 0).map(|known| (known.url.into(), known.count));
        (head.collect(), tail, rest)
    }
}
