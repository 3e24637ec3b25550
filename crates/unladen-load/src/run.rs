//! The principal type is [`Run`]: requests sent on a schedule or back to back, until a stop.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::cancel::Cancel;
use crate::client::Client;
use crate::error::LoadError;
use crate::mix::{Draw, Mix};
use crate::outcome::LoadOutcome;
use crate::pacer::{DENSE, Pacer, cpu_of_this_process, cpu_of_this_thread};
use crate::schedule::{End, Schedule, Stop};
use crate::share::{Share, Turns};
use crate::urgent::Urgent;
use crate::wire::Reading;

/// What to send, when, and how long.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    pub mix: Mix,
    /// Without a schedule, each worker sends when its last request is done.
    pub schedule: Option<Schedule>,
    /// `None` starts at once. Several hosts start at one agreed moment.
    pub start: Option<Instant>,
    /// End by time or by requests (of all shares together); a schedule may end before.
    pub stop: Stop,
    /// How long after the end requests planned before it may still be sent, if they found no free slot in time.
    pub grace: Duration,
    /// Maximum of concurrent requests of this share; exactly this many without a schedule.
    pub concurrency: usize,
    pub share: Share,
    /// Repeats the order in which the mix is drawn.
    pub seed: u64,
}

impl LoadPlan {
    /// A plan with one worker, no schedule, and no end but a cancellation.
    pub fn new(mix: Mix) -> Self {
        Self {
            mix,
            schedule: None,
            start: None,
            stop: Stop::after(Duration::MAX),
            grace: Duration::ZERO,
            concurrency: 1,
            share: Share::WHOLE,
            seed: 0,
        }
    }
}

pub(crate) trait Sink {
    fn record(&mut self, outcome: &LoadOutcome, error: Option<&LoadError>);
}

pub(crate) struct RunEnd {
    pub(crate) end: End,
    pub(crate) failure: Option<LoadError>,
    pub(crate) counts: Reading,
    pub(crate) sent: u64,
    pub(crate) recorded: u64,
    pub(crate) unsent: u64,
    pub(crate) cpu: Duration,
    /// CPU of the client's thread, without spinning.
    pub(crate) worked: Duration,
    /// CPU spent waiting for planned times.
    pub(crate) paced: Duration,
}

struct Run {
    client: Rc<Client>,
    draw: RefCell<Draw>,
    sink: Rc<RefCell<dyn Sink>>,
    stop: Stop,
    most: u64,
    share: Share,
    stop_on_failure: bool,
    sent: Cell<u64>,
    recorded: Cell<u64>,
    under_way: Cell<usize>,
    room: Notify,
    failure: RefCell<Option<LoadError>>,
    failed: Notify,
}

#[derive(Clone, Copy)]
struct Turn {
    request: usize,
    planned: Instant,
    begun: Instant,
    waited: bool,
}

struct Left {
    turns: Turns,
    next: Option<Duration>,
}

pub(crate) async fn run(
    client: &Rc<Client>,
    plan: LoadPlan,
    stop_on_failure: bool,
    sink: Rc<RefCell<dyn Sink>>,
    cancel: &Cancel,
) -> RunEnd {
    let before = client.counts.read();
    let (cpu_before, process_before) = (cpu_of_this_thread(), cpu_of_this_process());
    let LoadPlan { mix, schedule, start, stop, grace, concurrency, share, seed } = plan;
    let started = start.unwrap_or_else(Instant::now);
    let run = Rc::new(Run {
        client: client.clone(),
        draw: RefCell::new(mix.draw(seed)),
        sink,
        stop,
        most: stop.max_requests.map_or(u64::MAX, |most| share.of_requests(most)),
        share,
        stop_on_failure,
        sent: Cell::new(0),
        recorded: Cell::new(0),
        under_way: Cell::new(0),
        room: Notify::new(),
        failure: RefCell::default(),
        failed: Notify::new(),
    });

    // The mean gap of one of several shares with random arrivals.
    let gap = schedule.as_ref().map_or(Duration::MAX, Schedule::shortest_gap).saturating_mul(share.parts());
    // A thread that never sleeps would take a processor from all others.
    let _urgent = schedule.as_ref().filter(|_| gap > DENSE).and_then(|_| Urgent::begin());
    let mut tasks = JoinSet::new();
    let turns = schedule.as_ref().map(|schedule| Turns::of(schedule, share, stop.max_requests));
    let mut left = turns.map(|turns| Left { turns, next: None });
    let pacer = match &left {
        Some(left) => match Pacer::start(started, left.turns.clone().map(|(_, time)| time), stop.until, gap) {
            Ok(pacer) => Some(pacer),
            Err(source) => {
                *run.failure.borrow_mut() = Some(LoadError::Thread { source });
                None
            }
        },
        None => None,
    };
    let sending = async {
        match (&pacer, &mut left) {
            (Some(pacer), Some(left)) => {
                let pace = Pace { pacer, started, last: stop.until.checked_add(grace).unwrap_or(stop.until) };
                run.open(pace, left, concurrency, &mut tasks).await;
            }
            (None, Some(_)) => {}
            _ => {
                if Instant::now() < started {
                    tokio::time::sleep_until(started.into()).await;
                }
                (0..concurrency).for_each(|_| drop(tasks.spawn_local(run.clone().work())));
            }
        }
        while tasks.join_next().await.is_some() {}
    };
    let cancelled = tokio::select! {
        biased;
        () = cancel.cancelled() => true,
        () = run.failed.notified() => false,
        () = sending => false,
    };
    let now = Instant::now();
    // Drops what is under way with its connections: a response still to come belongs to nobody.
    tasks.shutdown().await;

    let failure = run.failure.take();
    let end = match &failure {
        Some(_) => End::Failed,
        None if cancelled => End::Cancelled,
        None if run.sent.get() >= run.most => End::Requests,
        None => End::Until,
    };
    let cpu = cpu_of_this_process().saturating_sub(process_before);
    let spun = pacer.as_ref().map_or(Duration::ZERO, Pacer::spun);
    RunEnd {
        end,
        failure,
        counts: client.counts.read().since(before),
        sent: run.sent.get(),
        recorded: run.recorded.get(),
        unsent: left.map_or(0, |left| run.unsent(left, started, now)),
        cpu,
        worked: cpu_of_this_thread().saturating_sub(cpu_before).saturating_sub(spun),
        paced: pacer.map_or(Duration::ZERO, Pacer::stop) + spun,
    }
}

struct Pace<'a> {
    pacer: &'a Pacer,
    started: Instant,
    /// Nothing is sent after this, whatever was planned.
    last: Instant,
}

impl Run {
    /// Closed loop: a worker sends the next request when the last is done.
    async fn work(self: Rc<Self>) {
        loop {
            let turn = self.sent.get();
            let planned = Instant::now();
            if turn >= self.most || planned >= self.stop.until {
                return;
            }
            self.sent.set(turn + 1);
            let request = self.draw.borrow_mut().of_number(self.share.number(turn));
            self.exchange(Turn { request, planned, begun: planned, waited: false }).await;
        }
    }

    /// Open loop: each request at its time, whatever has become of earlier ones, as long as there is room.
    async fn open(self: &Rc<Self>, pace: Pace<'_>, left: &mut Left, most: usize, tasks: &mut JoinSet<()>) {
        loop {
            let turn = left.turns.next();
            left.next = turn.map(|(_, time)| time);
            let planned = turn.and_then(|(number, time)| Some((number, pace.started.checked_add(time)?)));
            let Some((number, planned)) = planned.filter(|(_, planned)| *planned < self.stop.until) else { return };
            pace.pacer.wait(planned).await;
            let mut waited = false;
            while self.under_way.get() >= most {
                waited = true;
                let room = self.room.notified();
                if tokio::time::timeout_at(pace.last.into(), room).await.is_err() {
                    return;
                }
            }
            let begun = Instant::now();
            if begun >= pace.last {
                return;
            }
            left.next = None;
            self.sent.update(|sent| sent + 1);
            self.under_way.update(|under_way| under_way + 1);
            let request = self.draw.borrow_mut().of_number(number);
            let run = self.clone();
            tasks.spawn_local(async move {
                run.exchange(Turn { request, planned, begun, waited }).await;
                run.under_way.update(|under_way| under_way - 1);
                run.room.notify_one();
            });
            while tasks.try_join_next().is_some() {}
        }
    }

    async fn exchange(&self, turn: Turn) {
        let Turn { request: index, planned, begun, waited } = turn;
        let done = self.client.checked(index, planned).await;
        self.recorded.update(|recorded| recorded + 1);
        match done {
            Ok((exchange, verdict)) => {
                let outcome = LoadOutcome::answered(index, (begun, waited), &exchange, verdict);
                self.sink.borrow_mut().record(&outcome, None);
            }
            Err(error) => {
                let outcome = LoadOutcome::failed(index, planned, (begun, waited), &error);
                self.sink.borrow_mut().record(&outcome, Some(&error));
                if self.stop_on_failure {
                    self.failure.borrow_mut().get_or_insert(error);
                    self.failed.notify_one();
                    // The run ends here, and this task with it: nothing may be sent after a failure.
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    fn unsent(&self, left: Left, started: Instant, now: Instant) -> u64 {
        let end = self.stop.until.min(now).saturating_duration_since(started);
        let turns = left.turns.map(|(_, time)| time);
        left.next.into_iter().chain(turns).take_while(|time| *time < end).count() as u64
    }
}
