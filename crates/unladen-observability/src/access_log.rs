//! The principal type is [`AccessLog`]: one line of JSON a request, from the threads that carry requests to a file.
//!
//! A thread puts its line into a bounded queue; the log's own thread writes them in batches. When the queue is full
//! (slow disk, unread pipe), lines are lost and counted, and no request waits.

mod line;
mod writer;

use std::io;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::troubles::Troubles;
use crate::{End, LogSettings, RequestAccount, random};
use writer::{Message, Next, QUEUE, Shared, Sink, Writer, lock};

#[derive(Debug)]
pub(super) struct AccessLog {
    queue: SyncSender<Message>,
    shared: Arc<Shared>,
    unread: Mutex<Option<Receiver<Message>>>,
    ended: Mutex<Option<Receiver<()>>>,
}

/// Access log lines since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct LogTotals {
    pub(crate) written: u64,
    /// Lost since the queue was full.
    pub(crate) lost_full: u64,
    /// Lost since they could not be written.
    pub(crate) lost_write: u64,
}

impl AccessLog {
    pub(super) fn new(troubles: &Troubles) -> Self {
        let (queue, unread) = sync_channel(QUEUE);
        let shared = Arc::new(Shared { troubles: troubles.clone(), ..Shared::default() });
        let log = Self { queue, shared, unread: Mutex::new(Some(unread)), ended: Mutex::new(None) };
        log.set_share(None);
        log
    }

    /// Applies settings and reopens the file. If it cannot be opened, nothing changes.
    pub(super) fn open(&self, settings: Option<&LogSettings>) -> io::Result<()> {
        let Some(settings) = settings else {
            self.set_share(None);
            self.tell(Some(Sink::nowhere()));
            return Ok(());
        };
        let sink = Sink::open(settings.file.as_deref())?;
        self.start()?;
        self.tell(Some(sink));
        self.shared.set_shape(settings);
        self.set_share(Some(settings.sample));
        Ok(())
    }

    /// Logs a request if it is selected: all failures, and a share of the others.
    pub(super) fn observe(&self, record: &RequestAccount<'_>) {
        let share = f64::from_bits(self.shared.share.load(Ordering::Relaxed));
        if share < 0.0 || !(is_failure(record) || random::chance(share)) {
            return;
        }
        let mut line = Vec::with_capacity(768);
        line::write(record, self.shared.shape(), &mut line);
        match self.queue.try_send(Message::Line(line)) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                self.shared.lost_full.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Writes the queue and stops; returns whether all was written in time. Blocks at most `within`.
    pub(super) fn close(&self, within: Duration) -> bool {
        self.set_share(None);
        let Some(ended) = lock(&self.ended).take() else { return true };
        self.tell(None);
        !matches!(ended.recv_timeout(within), Err(std::sync::mpsc::RecvTimeoutError::Timeout))
    }

    pub(super) fn totals(&self) -> LogTotals {
        LogTotals {
            written: self.shared.written.load(Ordering::Relaxed),
            lost_full: self.shared.lost_full.load(Ordering::Relaxed),
            lost_write: self.shared.lost_write.load(Ordering::Relaxed),
        }
    }

    fn set_share(&self, share: Option<f64>) {
        self.shared.share.store(share.map_or(-1.0, |share| share.max(0.0)).to_bits(), Ordering::Relaxed);
    }

    fn tell(&self, sink: Option<Sink>) {
        let number = self.shared.told.fetch_add(1, Ordering::Relaxed) + 1;
        let told = self.queue.try_send(Message::Next(Next { number, sink }));
        if let Err(TrySendError::Full(Message::Next(next))) = told {
            // The queue is full, so the writer is awake.
            *lock(&self.shared.next) = Some(next);
        }
    }

    fn start(&self) -> io::Result<()> {
        let Some(queue) = lock(&self.unread).take() else { return Ok(()) };
        let (end, ended) = sync_channel(0);
        let writer = Writer::new(queue, Arc::clone(&self.shared));
        std::thread::Builder::new().name("access-log".to_owned()).spawn(move || {
            writer.run();
            drop(end);
        })?;
        *lock(&self.ended) = Some(ended);
        Ok(())
    }
}

/// Whether an existing file can take the lines of an access log: it is opened as serving would open it, and neither
/// changed nor created.
///
/// # Errors
/// If it cannot be opened; [`io::ErrorKind::NotFound`] if it does not exist.
pub fn try_access_log(file: &Path) -> io::Result<()> {
    Sink::try_existing(file)
}

fn is_failure(record: &RequestAccount<'_>) -> bool {
    record.status >= 500 || !matches!(record.end, End::Answered | End::Upgraded)
}

#[cfg(test)]
mod tests;
