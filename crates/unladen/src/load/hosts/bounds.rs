//! The principal type is [`Bounds`]: bounds that an agent's reports are checked against.

use std::time::{Duration, Instant};

use unladen_agent::ROOM;
use unladen_load::{LoadEnd, RecordSummary, RequestRecord};
use unladen_report::nanos;

/// Time for an agent's last reports after its load, beside what the way takes for what may be left …
const DRAIN: Duration = Duration::from_secs(10);

/// … and at most: after a minute an agent counts what is left, and reports that.
const LONGEST_DRAIN: Duration = Duration::from_secs(120);

/// Bytes that may be on the way: in the pipes, the window of an ssh connection and the sockets.
const ON_THE_WAY: u64 = 4 << 20;

/// More requests than one thread sends in a second.
const FASTEST: u64 = 200_000;

/// Ten thousand processors for a day.
const MOST_CPU: Duration = Duration::from_secs(10_000 * 86_400);

/// A closed loop plans a request when it sends it, which may be this much after the end.
const SLACK: Duration = Duration::from_secs(10);

/// Bounds of an agent's reports: an endless agent would hold a load for ever.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) started: Instant,
    /// Since the start, all requests are planned before this …
    pub(super) length: Duration,
    /// … and given up this much later.
    pub(super) grace: Duration,
    /// Limit of a request, with its connection.
    pub(super) timeout: Duration,
    pub(super) records: Option<u64>,
    pub(super) requests: usize,
}

#[derive(Debug, Default)]
pub(super) struct SoFar {
    pub(super) requests: u64,
    pub(super) bytes: u64,
    pub(super) pieces: Vec<u8>,
    is_summed_up: bool,
}

impl Bounds {
    /// Deadline for all reports; `None` if beyond the clock's range. What may be left after the load's end may take
    /// twice as long as the way took for as much so far.
    pub(super) fn until(&self, so_far: &SoFar) -> Option<Instant> {
        let end = self.started.checked_add(self.length.saturating_add(self.grace).saturating_add(self.timeout))?;
        let now = Instant::now();
        if now <= end {
            return Some(end + DRAIN);
        }
        let of_a_record = so_far.bytes.checked_div(so_far.requests).unwrap_or(0);
        let untold = self.records.map(|most| most.saturating_sub(so_far.requests).saturating_mul(of_a_record));
        let left = untold.unwrap_or(u64::MAX).min(ROOM as u64 + ON_THE_WAY) as f64;
        let took = now.saturating_duration_since(self.started).as_secs_f64();
        let drain = Duration::try_from_secs_f64(2.0 * took * left / so_far.bytes.max(1) as f64);
        let drain = drain.unwrap_or(LONGEST_DRAIN).saturating_add(DRAIN).min(LONGEST_DRAIN);
        end.checked_add(drain)
    }

    pub(super) fn check(&self, records: &[RequestRecord], so_far: &mut SoFar) -> Result<(), String> {
        let last_ns = nanos(self.length.saturating_add(SLACK));
        let is_planned = |one: &RequestRecord| one.planned_ns <= last_ns && (one.request as usize) < self.requests;
        if !records.iter().all(is_planned) {
            return Err("a record is damaged: its request was not planned".to_owned());
        }
        if records.iter().any(|one| one.planned_ns.saturating_add(one.latency_ns) > self.last_done_ns()) {
            return Err("a record is damaged: its request took longer than one may".to_owned());
        }
        self.count(records.len() as u64, so_far)
    }

    pub(super) fn check_summary(&self, summary: &RecordSummary, so_far: &mut SoFar) -> Result<(), String> {
        if so_far.is_summed_up || !summary.is_consistent() {
            return Err("its summary does not add up".to_owned());
        }
        let longest = [&summary.new, &summary.reused, &summary.cut_short, &summary.lag].map(|of| of.max_ns);
        if longest.into_iter().chain([summary.last_done_ns]).any(|time| time > self.last_done_ns()) {
            return Err("its summary has times beyond the load's end".to_owned());
        }
        so_far.is_summed_up = true;
        self.count(summary.recorded, so_far)
    }

    /// Latest end of a request since the start. A request repeated because its connection was closed may take twice the
    /// time.
    fn last_done_ns(&self) -> u64 {
        let last = self.length.saturating_add(self.grace).saturating_add(SLACK);
        nanos(last.saturating_add(self.timeout.saturating_mul(2)))
    }

    /// It has to have reported each request that it claims to have sent, and no more than its share; its processors had
    /// no more time than there was.
    pub(super) fn check_end(&self, so_far: &SoFar, end: &LoadEnd) -> Result<(), String> {
        let (reported, ended) = (so_far.requests, end.sent.saturating_sub(end.abandoned));
        let planned = end.sent.saturating_add(end.unsent);
        let most = self.records.unwrap_or_else(|| self.fastest());
        if reported != ended {
            Err(format!("its account does not add up: it reported {reported} requests, but says that {ended} ended"))
        } else if end.abandoned > end.sent || planned > most.max(reported) {
            Err(format!("its account does not add up: {planned} requests were planned, where at most {most} could be"))
        } else if [end.cpu, end.worked, end.paced].iter().any(|spent| *spent > MOST_CPU) {
            Err("its account has more CPU than a host can spend".to_owned())
        } else {
            Ok(())
        }
    }

    /// Requests that no host can exceed until now.
    fn fastest(&self) -> u64 {
        (self.started.elapsed().as_secs() + 1).saturating_mul(FASTEST)
    }

    fn count(&self, more: u64, so_far: &mut SoFar) -> Result<(), String> {
        so_far.requests = so_far.requests.saturating_add(more);
        // In a closed loop nothing else bounds their number, and each record takes memory here; a summary is short
        // whatever it counts.
        let fastest = self.fastest();
        match self.records {
            Some(most) if so_far.requests > most => {
                Err(format!("it reported more requests than its share has ({most})"))
            }
            _ if so_far.requests > fastest => {
                Err(format!("it reported {} requests, more than a host can send in this time", so_far.requests))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
