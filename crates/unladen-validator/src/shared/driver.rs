//! The principal type is [`Driver`]: a thread's connection to Valkey, and its jobs.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::Receiver;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use unladen_fleet::{BusError, ValkeyEngine, ValkeyPlace, ValkeyReply};

use crate::Version;
use crate::counts::{SharedCounts, locked};

/// Timeout of the engine's answer. After it, the connection is made anew.
const PATIENCE: Duration = Duration::from_millis(10);
/// Timeout of connecting, which nobody waits for.
const CONNECT: Duration = Duration::from_secs(2);
/// First and longest pause after a failure.
const PAUSES: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));
const BATCH: usize = 64;

/// Returns the engine's time, and an answer that is recent enough, or an asker's mark; without either, leaves a mark.
/// Arguments: greatest age of an answer (microseconds), lifetime of a mark (milliseconds), and the engine's run id: the
/// times of another are unrelated.
const LOOK: &str = r"
local time = redis.call('TIME')
local now = string.format('%.0f', tonumber(time[1]) * 1000000 + tonumber(time[2]))
local told = redis.call('GET', KEYS[1])
if told and string.sub(told, 1, 1) == '?' then return {now, told} end
local at = told and tonumber(string.match(told, '^=' .. ARGV[3] .. ' (%d+) '))
if at and at <= tonumber(now) and tonumber(now) - at <= tonumber(ARGV[1]) then return {now, told} end
redis.call('SET', KEYS[1], '?', 'PX', ARGV[2])
return {now, false}
";

pub(super) enum Job {
    /// Looks for an answer that is no older than `within`; else leaves a mark for `claim`.
    Look { key: Box<[u8]>, within: Duration, claim: Duration, reply: oneshot::Sender<Option<Looked>> },
    /// Shares an answer to a question that was sent after this time of the engine.
    Tell { key: Box<[u8]>, version: Version, now: u64, within: Duration },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Looked {
    Answer {
        version: Version,
        age: Duration,
    },
    Asked,
    /// Nothing: the caller has to ask. With the engine's time.
    Ask {
        now: u64,
    },
}

pub(super) struct Driver {
    pub(super) place: ValkeyPlace,
    pub(super) jobs: Receiver<Job>,
    pub(super) counts: Arc<SharedCounts>,
}

impl Driver {
    /// Runs until all senders are gone.
    pub(super) async fn run(mut self) {
        let mut pause = PAUSES.0;
        loop {
            let opened = {
                let opening = timeout(CONNECT, ValkeyEngine::open(&self.place));
                tokio::pin!(opening);
                loop {
                    // Nobody waits for a connection: meanwhile, askers ask for themselves.
                    tokio::select! {
                        opened = &mut opening => break opened,
                        job = self.jobs.recv() => if job.is_none() { return },
                    }
                }
            };
            let error = match opened {
                Ok(Ok(engine)) => {
                    let _up = self.counts.up();
                    pause = PAUSES.0;
                    match self.serve(engine).await {
                        Some(error) => error,
                        None => return,
                    }
                }
                Ok(Err(error)) => error,
                Err(_) => BusError::Timeout,
            };
            *locked(&self.counts.last_error) = Some(error.to_string());
            let waiting = sleep(pause);
            tokio::pin!(waiting);
            loop {
                tokio::select! {
                    () = &mut waiting => break,
                    job = self.jobs.recv() => if job.is_none() { return },
                }
            }
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// Serves while the engine answers; returns why it no longer does, or `None` if all senders are gone.
    async fn serve(&mut self, mut engine: ValkeyEngine) -> Option<BusError> {
        let run = engine.run().to_owned();
        loop {
            let mut batch = vec![self.jobs.recv().await?];
            while batch.len() < BATCH
                && let Ok(job) = self.jobs.try_recv()
            {
                batch.push(job);
            }
            let commands: Vec<_> = batch.iter().map(|job| command(job, &run)).collect();
            let replies = match timeout(PATIENCE, engine.ask_all(&commands)).await {
                Ok(Ok(replies)) => replies,
                Ok(Err(error)) => return Some(error),
                Err(_) => return Some(BusError::Timeout),
            };
            for (job, reply) in batch.into_iter().zip(replies) {
                // A replica, or missing permission, leads to the same refusal each time.
                if let ValkeyReply::Error(error) = &reply {
                    return Some(self.place.refused(error));
                }
                if let Job::Look { reply: to, within, .. } = job {
                    let _ = to.send(looked(&reply, &run, within));
                }
            }
        }
    }
}

/// For checking a configuration: connects, looks for this key and writes it, each for a millisecond.
pub(super) async fn try_once(place: &ValkeyPlace, key: Vec<u8>) -> Result<(), BusError> {
    let within = Duration::from_millis(1);
    let tried = async {
        let mut engine = ValkeyEngine::open(place).await?;
        let (run, key) = (engine.run().to_owned(), key.into_boxed_slice());
        let (reply, _) = oneshot::channel();
        let look = Job::Look { key: key.clone(), within, claim: within, reply };
        let tell = Job::Tell { key, version: None, now: 0, within };
        let replies = engine.ask_all(&[command(&look, &run), command(&tell, &run)]).await?;
        replies.iter().try_for_each(|reply| match reply {
            ValkeyReply::Error(error) => Err(place.refused(error)),
            _ => Ok(()),
        })
    };
    timeout(CONNECT, tried).await.unwrap_or(Err(BusError::Timeout))
}

fn command(job: &Job, run: &str) -> Vec<Vec<u8>> {
    // An answer that would be too old is of no use, nor is a mark of an asker that has gone.
    let text = |text: String| text.into_bytes();
    let milliseconds = |time: Duration| text((time.as_micros().div_ceil(1000)).max(1).to_string());
    match job {
        Job::Look { key, within, claim, .. } => vec![
            b"EVAL".to_vec(),
            LOOK.as_bytes().to_vec(),
            b"1".to_vec(),
            key.to_vec(),
            text(within.as_micros().to_string()),
            milliseconds(*claim),
            run.as_bytes().to_vec(),
        ],
        Job::Tell { key, version, now, within } => {
            vec![b"SET".to_vec(), key.to_vec(), write(run, *now, version), b"PX".to_vec(), milliseconds(*within)]
        }
    }
}

/// `None` if it is unusable.
fn looked(reply: &ValkeyReply, run: &str, within: Duration) -> Option<Looked> {
    let ValkeyReply::Array(list) = reply else { return None };
    let [ValkeyReply::Bulk(now), told] = list.as_slice() else { return None };
    let now: u64 = std::str::from_utf8(now).ok()?.parse().ok()?;
    match told {
        ValkeyReply::Nil => Some(Looked::Ask { now }),
        ValkeyReply::Bulk(told) if told.starts_with(b"?") => Some(Looked::Asked),
        ValkeyReply::Bulk(told) => {
            let (at, version) = read(told, run)?;
            let age = Duration::from_micros(now.checked_sub(at)?);
            (age <= within).then_some(Looked::Answer { version, age })
        }
        _ => None,
    }
}

/// Most bytes of a key or of an answer: longer ones are not shared.
pub(super) const LONGEST: usize = 1024;

/// An answer as stored in Valkey: `=RUN TIME vLABEL`, or `n` in place of `vLABEL` where there is no label. `at`: the
/// engine's time, with this run id, before the question was sent.
pub(super) fn write(run: &str, at: u64, version: &Version) -> Vec<u8> {
    let mut value = format!("={run} {at} ").into_bytes();
    match version {
        None => value.push(b'n'),
        Some(version) => {
            value.push(b'v');
            value.extend_from_slice(version);
        }
    }
    value
}

/// The time and the answer; `None` if it is invalid, or for another run of the engine.
pub(super) fn read(value: &[u8], run: &str) -> Option<(u64, Version)> {
    if value.len() > 2 * LONGEST {
        return None;
    }
    let rest = value.strip_prefix(b"=")?.strip_prefix(run.as_bytes())?.strip_prefix(b" ")?;
    let space = rest.iter().position(|byte| *byte == b' ')?;
    let (at, rest) = (rest.get(..space)?, rest.get(space + 1..)?);
    if at.is_empty() || at.len() > 19 || !at.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let at = std::str::from_utf8(at).ok()?.parse().ok()?;
    match rest {
        b"n" => Some((at, None)),
        [b'v', version @ ..] => Some((at, Some(version.into()))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
