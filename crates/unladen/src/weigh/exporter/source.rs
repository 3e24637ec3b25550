//! The principal type is [`ExporterSource`]: an exporter as a source of counters at the edges of phases.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use unladen_exporter::{Freshness, LeftOut, Unit, limits};
use unladen_load::{Cancel, TlsOptions};

use crate::exit::Failure;
use crate::weigh::edge::{EdgeReading, EdgeSource, Series, SeriesKind, SourceKind};
use crate::weigh::exporter::fetch::{Fetch, Fetched, Poll, TIMEOUT};
use crate::weigh::exporter::named::{Exporter, ExporterError};

/// A greater lag is worth a note: shorter ones may be the pause between two questions.
const NOTABLE: Duration = Duration::from_millis(500);
const NAMED: usize = 5;

/// An exporter, asked by a thread of its own.
pub(super) struct ExporterSource {
    name: String,
    /// The gap that there is anyway.
    least_settle: Duration,
    orders: Option<SyncSender<Order>>,
    answers: Receiver<Result<Fetched, ExporterError>>,
    thread: Option<JoinHandle<()>>,
    cancel: Cancel,
    series: Vec<Series>,
    /// By series: whether its family is too late.
    is_late: Vec<bool>,
    poll: Option<Arc<Poll>>,
    freshness: Option<Freshness>,
    refuted: usize,
    /// Lines left out of the answer with the most unreadable ones.
    left_out: Option<LeftOut>,
    resets: u64,
    is_full: bool,
    /// Counters that were reset while measuring.
    resets_before: u64,
    round_trip: Option<Duration>,
}

enum Order {
    Ask,
    /// Ask until ended.
    Watch(Arc<Poll>),
}

impl ExporterSource {
    pub(super) fn open(exporter: &Exporter, tls: &TlsOptions, least_settle: Duration) -> Result<Self, ExporterError> {
        let name = exporter.name.clone();
        let cancel = Cancel::new();
        let fetch = Fetch::new(exporter, tls, cancel.clone())?;
        // One order at a time is under way; the answers of a watch wait for its end.
        let (orders, ordered) = sync_channel(1);
        let (answered, answers) = sync_channel(1);
        let thread = thread::Builder::new()
            .name("unladen-exporter".into())
            .spawn(move || obey(fetch, &ordered, &answered))
            .map_err(|source| ExporterError::Thread { name: name.clone(), source })?;
        let mut source = Self {
            name,
            least_settle,
            orders: Some(orders),
            answers,
            thread: Some(thread),
            cancel,
            series: Vec::new(),
            is_late: Vec::new(),
            poll: None,
            freshness: None,
            refuted: 0,
            left_out: None,
            resets: 0,
            is_full: false,
            resets_before: 0,
            round_trip: None,
        };
        source.order(Order::Ask);
        source.take(Instant::now() + TIMEOUT * 2)?;
        Ok(source)
    }

    fn order(&self, order: Order) {
        // If the thread has ended, waiting for its answer says so.
        let _ = self.orders.as_ref().map(|orders| orders.send(order));
    }

    fn take(&mut self, deadline: Instant) -> Result<Fetched, ExporterError> {
        let answer = self.answers.recv_timeout(deadline.saturating_duration_since(Instant::now()));
        let fetched = answer.unwrap_or_else(|why| {
            Err(match why {
                RecvTimeoutError::Timeout => ExporterError::Late { name: self.name.clone() },
                RecvTimeoutError::Disconnected => ExporterError::Ended { name: self.name.clone() },
            })
        })?;
        for series in &fetched.new {
            let is_late = self.freshness.as_ref().is_some_and(|fresh| fresh.late.contains(&series.family));
            self.is_late.push(is_late);
            let series = shown(series, self.series.len());
            self.series.push(series);
        }
        (self.refuted, self.resets, self.is_full) = (fetched.refuted, fetched.resets, fetched.is_full);
        if let Some(left_out) = &fetched.left_out
            && self.left_out.as_ref().is_none_or(|most| most.lines < left_out.lines)
        {
            self.left_out = Some(left_out.clone());
        }
        self.round_trip = Some(fetched.at.saturating_sub(fetched.asked).max(self.round_trip.unwrap_or_default()));
        Ok(fetched)
    }

    fn judge(&mut self, poll: &Poll) -> Result<(), ExporterError> {
        // The answers of the watch come as one.
        self.take(Instant::now() + TIMEOUT * 2)?;
        let judged = poll.state().watch.judge(self.least_settle);
        let freshness = judged.map_err(|source| ExporterError::NotFresh { name: self.name.clone(), source })?;
        for (is_late, series) in self.is_late.iter_mut().zip(&self.series) {
            *is_late = series.family.as_ref().is_some_and(|family| freshness.late.contains(family));
        }
        self.resets_before = self.resets;
        self.freshness = Some(freshness);
        Ok(())
    }
}

impl EdgeSource for ExporterSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> SourceKind {
        SourceKind::Exporter
    }

    fn settle(&self) -> Duration {
        self.freshness.as_ref().map_or(self.least_settle, |fresh| fresh.settle)
    }

    fn is_settle_notable(&self) -> bool {
        self.settle() >= NOTABLE
    }

    fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }

    fn ask(&mut self) {
        self.order(Order::Ask);
    }

    fn answer(&mut self, deadline: Instant) -> Result<EdgeReading, String> {
        let fetched = self.take(deadline).map_err(|error| error.to_string())?;
        let grown = fetched.grown.iter().filter(|(index, _)| self.is_late.get(*index) == Some(&false));
        let grown = grown
            .filter_map(|(index, by)| {
                let by = if self.series.get(*index)?.unit == unladen_probe::Unit::Nanoseconds { by * 1e9 } else { *by };
                Some((u32::try_from(*index).ok()?, by))
            })
            .collect();
        // It was made at some moment while we waited: the middle is the least wrong.
        let at = (fetched.asked + fetched.at) / 2;
        Ok(EdgeReading { at_ns: u64::try_from(at.as_nanos()).unwrap_or(u64::MAX), grown, times: None })
    }

    fn series(&self) -> &[Series] {
        &self.series
    }

    fn begin_watch(&mut self) {
        let poll = Arc::new(Poll::new());
        self.poll = Some(poll.clone());
        self.order(Order::Watch(poll));
    }

    fn wants(&self, is_sending: bool) -> bool {
        self.poll.as_ref().is_some_and(|poll| poll.wants(is_sending))
    }

    fn end_watch(&mut self) -> Result<(), Failure> {
        let Some(poll) = self.poll.take() else { return Ok(()) };
        poll.over.cancel();
        Ok(self.judge(&poll)?)
    }

    fn notes(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        let Some(fresh) = &self.freshness else { return notes };
        if fresh.lag >= NOTABLE {
            notes.push(format!(
                "its values are up to {:.1} s old, so the settle gap is {:.1} s",
                fresh.lag.as_secs_f64(),
                fresh.settle.as_secs_f64()
            ));
        }
        if let Some(hidden) = &fresh.hidden {
            notes.push(format!(
                "{}: what such sessions count may appear later than the settle gap of {:.1} s allows; `--settle {}s` \
                 rules that out",
                hidden.who,
                fresh.settle.as_secs_f64(),
                hidden.settle.as_secs()
            ));
        }
        if !fresh.late.is_empty() {
            let named: Vec<&str> = fresh.late.iter().take(NAMED).map(String::as_str).collect();
            let more = fresh.late.len() - named.len();
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            notes.push(format!(
                "{} moved later than the settle gap allows, and were left out: {}{more}",
                count(fresh.late.len(), "family", "families"),
                named.join(", ")
            ));
        }
        if let Some(left_out) = &self.left_out {
            notes.push(format!(
                "{} of an answer could not be read; the first: {}",
                count(left_out.lines, "line", "lines"),
                left_out.first
            ));
        }
        if self.refuted > 0 {
            notes.push(format!(
                "{} without a type decreased, or grew implausibly, and were left out because they are not counters",
                count(self.refuted, "series", "series")
            ));
        }
        if self.is_full {
            notes.push(format!(
                "there were more than {} series, or {} MiB of their names and labels; the rest were left out: make \
                 the exporter report fewer (its collectors, or ?collect[]=)",
                limits::KEPT,
                limits::KEPT_BYTES >> 20
            ));
        }
        let resets = self.resets - self.resets_before;
        if resets > 0 {
            notes.push(format!(
                "{} restarted from zero meanwhile: its server was restarted",
                count(usize::try_from(resets).unwrap_or(usize::MAX), "counter", "counters")
            ));
        }
        notes
    }
}

impl Drop for ExporterSource {
    fn drop(&mut self) {
        // A pending answer is given up; the thread ends when nobody can send it orders any more.
        self.cancel.cancel();
        if let Some(poll) = &self.poll {
            poll.over.cancel();
        }
        self.orders = None;
        while self.answers.recv().is_ok() {}
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn obey(mut fetch: Fetch, orders: &Receiver<Order>, answers: &SyncSender<Result<Fetched, ExporterError>>) {
    while let Ok(order) = orders.recv() {
        let answer = match order {
            // A broken connection does not mean that the exporter is gone.
            Order::Ask => fetch.ask().or_else(|_| fetch.ask()),
            Order::Watch(poll) => {
                let mut new = Vec::new();
                let watched = poll.run(&mut fetch, |fetched| new.extend(fetched.new));
                watched.and_then(|()| fetch.ask()).map(|mut last| {
                    new.append(&mut last.new);
                    Fetched { new, ..last }
                })
            }
        };
        if answers.send(answer).is_err() {
            return;
        }
    }
}

/// As `weigh` knows a series: its group is the series itself.
fn shown(series: &unladen_exporter::Series, index: usize) -> Series {
    let (counter, unit) = match series.unit {
        Unit::Seconds => ("time", unladen_probe::Unit::Nanoseconds),
        Unit::Bytes => ("bytes", unladen_probe::Unit::Bytes),
        Unit::Count => ("count", unladen_probe::Unit::Count),
    };
    // Two long names may begin alike.
    let is_cut = series.name.ends_with('…');
    Series {
        group: if is_cut { format!("{} #{index}", series.name) } else { series.name.clone() },
        counter: counter.to_owned(),
        title: counter.to_owned(),
        unit,
        approximate: false,
        family: Some(series.family.clone()),
        deciding: false,
        kind: SeriesKind::Series,
    }
}

/// `1 family`, `3 families`
fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests;
