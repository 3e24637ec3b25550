//! The principal function is [`read`]: reads the other host's output, first lines of its shell, then frames.
//! And `write` sends to it.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Take, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::ask::{Answer, Ask};
use crate::bootstrap::Said;
use crate::clock::Pings;
use crate::frame::{FrameError, FrameReader, FrameWriter, decode, encode};
use crate::hello::Hello;
use crate::shown::shown_without_secrets;

/// Maximum bytes of a login's output before its shell answers.
const MAX_NOISE: usize = 64 << 10;

const MAX_LINE: usize = 4 << 10;

const SHOWN_NOISE: usize = 200;

#[derive(Debug)]
pub(super) enum Event {
    Said(Said),
    Hello(Hello),
    Answer(Answer),
    End(String),
}

/// Prefixes of the reason when the lines end without a running agent.
pub(super) const TOO_MUCH: &str = "too much output before an answer: ";

/// Followed by the output before, such as that an account has no shell.
pub(super) const ENDED: &str = "ended before an answer: ";

pub(super) fn read(from: impl Read, marker: &str, events: &SyncSender<Event>, pings: &Arc<Mutex<Pings>>) {
    let mut from = BufReader::new(from);
    let why = match lines(&mut from, marker, events) {
        Err(why) => why,
        Ok(()) => frames(from, events, pings),
    };
    // Fails if the receiver is gone.
    let _ = events.send(Event::End(why));
}

/// For `fuzz/`: number of events in the input, and why it ended.
#[cfg(feature = "fuzzing")]
pub(crate) fn heard(bytes: &[u8], marker: &str) -> (usize, String) {
    // Each takes at least a byte.
    let (events, all) = std::sync::mpsc::sync_channel(bytes.len() + 2);
    read(bytes, marker, &events, &Arc::default());
    drop(events);
    let (mut count, mut why) = (0, String::new());
    for event in all {
        match event {
            Event::End(text) => why = text,
            _ => count += 1,
        }
    }
    (count, why)
}

fn lines(from: &mut BufReader<impl Read>, marker: &str, events: &SyncSender<Event>) -> Result<(), String> {
    let mut noise = Vec::new();
    loop {
        let mut line = Vec::new();
        match from.by_ref().take(MAX_LINE as u64).read_until(b'\n', &mut line) {
            Ok(0) => {
                return Err(format!("{ENDED}{}", shown_without_secrets(&String::from_utf8_lossy(&noise), SHOWN_NOISE)));
            }
            Err(error) => return Err(error.to_string()),
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let Some(said) =
            text.trim_end().strip_prefix(marker.trim_end()).and_then(|words| Said::parse(words.trim_start()))
        else {
            noise.extend_from_slice(&line);
            if noise.len() > MAX_NOISE {
                return Err(format!(
                    "{TOO_MUCH}{}",
                    shown_without_secrets(&String::from_utf8_lossy(&noise), SHOWN_NOISE)
                ));
            }
            continue;
        };
        let runs = matches!(said, Said::Run(_));
        events.send(Event::Said(said)).map_err(|_| String::new())?;
        if runs {
            return Ok(());
        }
    }
}

fn frames(from: impl Read, events: &SyncSender<Event>, pings: &Arc<Mutex<Pings>>) -> String {
    let mut from = FrameReader::new(from);
    let hello = match from.read() {
        Ok(body) => Hello::decode(&body),
        Err(error) => return ending(&error),
    };
    let Some(hello) = hello else { return "its first frame is not unladen's hello".to_owned() };
    if events.send(Event::Hello(hello)).is_err() {
        return String::new();
    }
    loop {
        let body = match from.read() {
            Ok(body) => body,
            Err(error) => return ending(&error),
        };
        let now_ns = unladen_probe::monotonic_ns();
        match decode(&body) {
            Ok(Answer::Pong { id, at_ns }) => {
                pings.lock().unwrap_or_else(PoisonError::into_inner).answer(id, at_ns, now_ns);
            }
            Ok(answer) => {
                if events.send(Event::Answer(answer)).is_err() {
                    return String::new();
                }
            }
            Err(error) => return format!("its agent sent no message of this protocol ({error})"),
        }
    }
}

fn ending(error: &FrameError) -> String {
    match error {
        FrameError::End => "its agent or the connection to it ended".to_owned(),
        FrameError::Cut => "the connection to its agent broke in the middle of a frame".to_owned(),
        FrameError::TooLong(_) => format!("its agent sent {error}"),
        FrameError::Io(error) => error.to_string(),
    }
}

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
