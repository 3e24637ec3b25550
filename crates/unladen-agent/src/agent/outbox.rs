//! The principal type is [`Outbox`]: where answers go.

use std::fs::File;
use std::sync::{Arc, Mutex, PoisonError};

use super::error::AgentError;
use crate::answer::Answer;
use crate::codec::encode;
use crate::frame::FrameWriter;
use crate::hello::Hello;

/// Where answers go, from whichever thread.
#[derive(Debug, Clone)]
pub struct Outbox {
    /// Held by whoever is next: a load's records, which follow each other at once, would let nobody else to the pipe.
    next: Arc<Mutex<()>>,
    to: Arc<Mutex<FrameWriter<File>>>,
}

impl Outbox {
    pub(super) fn new(to: File) -> Self {
        Self { next: Arc::default(), to: Arc::new(Mutex::new(FrameWriter::new(to))) }
    }

    /// Sends an answer. It waits while nobody reads.
    ///
    /// # Errors
    /// If nobody will, or the answer is too long.
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
