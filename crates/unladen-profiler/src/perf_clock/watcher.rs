//! The sampling thread. The principal type is [`Watcher`].

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use unladen_probe::{GroupBy, GroupId, GroupKind, ProcessGroups, StackSampler, TraceError};

use super::places::{Places, StackIndex};
use super::processes::Processes;

/// Pause between looks: addresses of a process that ends sooner after its sample cannot be resolved.
const PAUSE: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Copy)]
pub(super) struct Seen {
    pub(super) at_ns: u64,
    pub(super) group: GroupId,
    pub(super) stack: StackIndex,
}

#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) seen: Vec<Seen>,
    pub(super) lost: u64,
}

#[derive(Debug)]
pub(super) struct Known {
    pub(super) groups: ProcessGroups,
    pub(super) places: Places,
}

enum Ask {
    /// Whether to keep samples from now on; the answer has those kept so far.
    Keep(bool, Sender<Result<Kept, TraceError>>),
    /// Whether to stop the clock.
    Pause(bool, Sender<Result<(), TraceError>>),
}

#[derive(Debug)]
pub(super) struct Watcher {
    asks: Option<Sender<Ask>>,
    thread: Option<JoinHandle<Known>>,
}

// === impl Watcher ===

impl Watcher {
    /// Starts sampling; nothing is kept yet.
    pub(super) fn start(frequency: u64) -> Result<Self, TraceError> {
        let (asks, received) = channel();
        let (begun, has_begun) = channel();
        let thread = std::thread::Builder::new()
            .name("stacks".into())
            .spawn(move || {
                let mut watch = Watch::default();
                match StackSampler::open(frequency) {
                    Ok(sampler) => {
                        let _ = begun.send(Ok(()));
                        watch.run(sampler, &received);
                    }
                    Err(error) => drop(begun.send(Err(error))),
                }
                watch.known
            })
            .map_err(|error| TraceError::Failed { doing: "starting a thread", why: error.to_string() })?;
        let watcher = Self { asks: Some(asks), thread: Some(thread) };
        has_begun.recv().map_err(|_| ended())??;
        Ok(watcher)
    }

    /// Starts or stops keeping samples; returns those kept so far.
    pub(super) fn keep(&self, keep: bool) -> Result<Kept, TraceError> {
        let (reply, replied) = channel();
        self.ask(Ask::Keep(keep, reply))?;
        replied.recv().map_err(|_| ended())?
    }

    pub(super) fn pause(&self, pause: bool) -> Result<(), TraceError> {
        let (reply, replied) = channel();
        self.ask(Ask::Pause(pause, reply))?;
        replied.recv().map_err(|_| ended())?
    }

    pub(super) fn finish(mut self) -> Result<Known, TraceError> {
        drop(self.asks.take());
        self.thread.take().and_then(|thread| thread.join().ok()).ok_or_else(ended)
    }

    fn ask(&self, ask: Ask) -> Result<(), TraceError> {
        self.asks.as_ref().and_then(|asks| asks.send(ask).ok()).ok_or_else(ended)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.asks.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn ended() -> TraceError {
    TraceError::Failed { doing: "reading samples", why: "its thread ended".into() }
}

struct Watch {
    known: Known,
    processes: Processes,
    keeps: bool,
    kept: Kept,
    failed: Option<TraceError>,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            known: Known { groups: ProcessGroups::open(GroupBy::Auto), places: Places::default() },
            processes: Processes::default(),
            keeps: false,
            kept: Kept::default(),
            failed: None,
        }
    }
}

impl Watch {
    fn run(&mut self, mut sampler: StackSampler, asks: &Receiver<Ask>) {
        loop {
            let ask = asks.recv_timeout(PAUSE);
            match sampler.take() {
                Ok(batch) => self.look_at(batch),
                Err(error) => self.failed = Some(error),
            }
            match ask {
                Ok(Ask::Keep(keep, reply)) => {
                    self.keeps = keep;
                    let kept = std::mem::take(&mut self.kept);
                    let _ = reply.send(self.failed.take().map_or(Ok(kept), Err));
                }
                Ok(Ask::Pause(true, reply)) => {
                    sampler.pause();
                    let _ = reply.send(Ok(()));
                }
                Ok(Ask::Pause(false, reply)) => drop(reply.send(sampler.resume())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }

    fn look_at(&mut self, batch: unladen_probe::StackBatch) {
        if !self.keeps {
            return;
        }
        self.kept.lost += batch.lost;
        for sample in batch.samples {
            let group = self.known.groups.of(&sample);
            // This process sends the requests, and samples.
            if self.known.groups.group(group).kind == GroupKind::Own {
                continue;
            }
            let stack = self.processes.stack_of(&sample, &mut self.known.places);
            self.kept.seen.push(Seen { at_ns: sample.at_ns, group, stack });
        }
    }
}
