//! The principal type is [`Inbox`]: the agent's questions, read by a separate thread, which sees the end of the pipe
//! whatever the agent does meanwhile.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd as _;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::error::AgentError;
use crate::frame::{FrameError, FrameReader};

/// Maximum of waiting questions. Each may take a megabyte.
const MAX_WAITING: usize = 2;

const GRACE: Duration = Duration::from_secs(2);

const PAUSE: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub(super) struct Inbox {
    queue: Receiver<Result<Vec<u8>, FrameError>>,
}

impl Inbox {
    /// Reads this pipe, which must not be silent for longer than `silence`.
    pub(super) fn new(from: File, silence: Duration, at_end: fn()) -> Self {
        let (sender, queue) = sync_channel(MAX_WAITING);
        std::thread::spawn(move || {
            take(FrameReader::new(Polled { from, silence }), silence, &sender);
            // Ends the queue.
            drop(sender);
            std::thread::sleep(GRACE);
            at_end();
        });
        Self { queue }
    }

    pub(super) fn next(&self) -> Result<Option<Vec<u8>>, AgentError> {
        match self.queue.recv() {
            Ok(Ok(body)) => Ok(Some(body)),
            Ok(Err(FrameError::End)) | Err(_) => Ok(None),
            Ok(Err(FrameError::Io(error))) if error.kind() == io::ErrorKind::TimedOut => Err(AgentError::Silence),
            Ok(Err(error)) => Err(error.into()),
        }
    }
}

fn take(mut from: FrameReader<Polled>, silence: Duration, queue: &SyncSender<Result<Vec<u8>, FrameError>>) {
    loop {
        let mut body = from.read();
        let is_end = body.is_err();
        let begun = Instant::now();
        loop {
            body = match queue.try_send(body) {
                Ok(()) => break,
                Err(TrySendError::Full(body)) if begun.elapsed() < silence => body,
                Err(_) => return,
            };
            std::thread::sleep(PAUSE);
        }
        if is_end {
            return;
        }
    }
}

struct Polled {
    from: File,
    silence: Duration,
}

impl Read for Polled {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let timeout = PollTimeout::try_from(self.silence).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(self.from.as_fd(), PollFlags::POLLIN)], timeout)? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            _ => self.from.read(buffer),
        }
    }
}
