//! The principal type is [`Outbox`]: sends answers.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::AgentError;
use crate::answer::Answer;
use crate::codec::encode;
use crate::frame::FrameWriter;
use crate::hello::Hello;

/// Sends answers from any thread.
#[derive(Debug, Clone)]
pub struct Outbox {
    /// Held by the next sender: a load's records, which follow each other at once, would otherwise keep others from the
    /// pipe.
    next: Arc<Mutex<()>>,
    to: Arc<Mutex<FrameWriter<File>>>,
}

impl Outbox {
    pub(super) fn new(to: File) -> Self {
        Self { next: Arc::default(), to: Arc::new(Mutex::new(FrameWriter::new(to))) }
    }

    /// Sends an answer. Blocks while nobody reads.
    ///
    /// # Errors
    /// If the reader is gone, or the answer is too long.
    pub fn send(&self, answer: &Answer) -> Result<(), AgentError> {
        self.write(&encode(answer)?)
    }

    pub(super) fn hello(&self, hello: &Hello) -> Result<(), AgentError> {
        self.write(&hello.encode())
    }

    fn write(&self, body: &[u8]) -> Result<(), AgentError> {
        let next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        drop(next);
        Ok(to.write(body)?)
    }
}
