//! The principal type is [`Writer`]: the access log's own thread.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Receiver;
use std::time::Duration;

use super::line;
use super::shared::{Message, Next, QUEUE, Shared, lock};
use super::sink::Sink;
use crate::troubles::Trouble;

/// Pause for further lines after the first: a wake-up for each line would cost the threads that carry requests a system
/// call a line.
const GATHER: Duration = Duration::from_millis(20);

const BATCH: usize = 64 * 1024;

pub(super) struct Writer {
    queue: Receiver<Message>,
    shared: Arc<Shared>,
    sink: Sink,
    batch: Vec<u8>,
    torn: bool,
    told: u64,
    stops: bool,
    lost: u64,
    /// Lines that found no room, as far as reported.
    lost_full: u64,
}

impl Writer {
    pub(super) fn new(queue: Receiver<Message>, shared: Arc<Shared>) -> Self {
        let batch = Vec::with_capacity(BATCH + line::LONGEST);
        Self { queue, shared, sink: Sink::nowhere(), batch, torn: false, told: 0, stops: false, lost: 0, lost_full: 0 }
    }

    pub(super) fn run(mut self) {
        while !self.stops {
            let Ok(first) = self.queue.recv() else { return };
            if matches!(first, Message::Line(_)) {
                std::thread::sleep(GATHER);
            }
            self.take(first);
            self.take_what_waits();
            let next = lock(&self.shared.next).take();
            if let Some(next) = next {
                self.turn_to(next);
            }
            self.look_for_lost();
        }
        self.take_what_waits();
        self.look_for_lost();
    }

    /// At most one full queue: a flood of lines must not keep it from all else.
    fn take_what_waits(&mut self) {
        for _ in 0..QUEUE {
            let Ok(message) = self.queue.try_recv() else { break };
            self.take(message);
        }
        self.write();
    }

    fn take(&mut self, message: Message) {
        match message {
            Message::Line(line) => {
                self.batch.extend(line);
                if self.batch.len() >= BATCH {
                    self.write();
                }
            }
            Message::Next(next) => {
                self.write();
                self.turn_to(next);
            }
        }
    }

    fn turn_to(&mut self, next: Next) {
        if next.number <= self.told {
            return;
        }
        self.told = next.number;
        match next.sink {
            Some(sink) => {
                self.sink = sink;
                self.torn = false;
            }
            None => self.stops = true,
        }
    }

    fn write(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        if self.torn {
            self.batch.insert(0, b'\n');
        }
        let (written, ended) = self.sink.write(&self.batch);
        let (out, lost) = self.batch.split_at(written);
        // The end of a torn line is no line; it was counted as lost.
        let torn = u64::from(self.torn);
        let (written, lost) = if written > 0 { (lines(out) - torn, lines(lost)) } else { (0, lines(lost) - torn) };
        self.shared.written.fetch_add(written, Ordering::Relaxed);
        self.shared.lost_write.fetch_add(lost, Ordering::Relaxed);
        self.torn = match out.last() {
            Some(&last) => last != b'\n',
            None => self.torn,
        };
        self.batch.clear();
        self.lost += lost;
        match ended {
            Err(error) => {
                let cause = format!("cannot be written: {error}; so far {} lines are lost", self.lost);
                self.tell("lost_write", &cause);
            }
            Ok(()) if self.lost > 0 => {
                let cause = format!("is written again; {} lines were lost", self.lost);
                self.tell("written_again", &cause);
                self.lost = 0;
            }
            Ok(()) => (),
        }
    }

    fn look_for_lost(&mut self) {
        let lost = self.shared.lost_full.load(Ordering::Relaxed);
        if lost > self.lost_full {
            let cause =
                format!("is not written fast enough: {} lines are lost; see what it is on", lost - self.lost_full);
            self.tell("lost_full", &cause);
            self.lost_full = lost;
        }
    }

    fn tell(&self, reason: &'static str, cause: &str) {
        self.shared.troubles.tell(&Trouble { whom: "access log", place: None, reason, cause }, b"");
    }
}

fn lines(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&b| b == b'\n').count() as u64
}
