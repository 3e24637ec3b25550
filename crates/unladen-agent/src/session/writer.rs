//! The principal function is [`write`]: sends to the other host.

use std::fs::File;
use std::io::{self, Take, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::ask::Ask;
use crate::clock::Pings;
use crate::codec::encode;
use crate::frame::{FrameError, FrameWriter};

/// Something is sent this often, since an agent that hears nothing for a minute ends.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) enum Out {
    Line(String),
    File(Take<File>),
    Frame(Vec<u8>),
    Ping,
}

/// Writes the queue until its senders or the reader are gone; then closes the pipe.
pub(super) fn write(to: impl Write, queue: &Receiver<Out>, pings: &Arc<Mutex<Pings>>) {
    // Both errors mean that the other side has left, which the reading thread reports.
    let _ = write_all(to, queue, pings);
}

fn write_all(mut to: impl Write, queue: &Receiver<Out>, pings: &Arc<Mutex<Pings>>) -> Result<(), FrameError> {
    let mut frames = false;
    loop {
        let out = match queue.recv_timeout(KEEP_ALIVE) {
            Ok(out) => out,
            Err(RecvTimeoutError::Timeout) if frames => Out::Ping,
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        frames |= matches!(out, Out::Frame(_));
        match out {
            Out::Line(line) => to.write_all(line.as_bytes()).and_then(|()| to.flush())?,
            Out::File(mut file) => {
                io::copy(&mut file, &mut to)?;
                to.flush()?;
            }
            Out::Frame(body) => FrameWriter::new(&mut to).write(&body)?,
            Out::Ping => {
                let id = pings.lock().unwrap_or_else(PoisonError::into_inner).send(unladen_probe::monotonic_ns());
                let body = encode(&Ask::Ping { id }).map_err(io::Error::other)?;
                FrameWriter::new(&mut to).write(&body)?;
            }
        }
    }
}
