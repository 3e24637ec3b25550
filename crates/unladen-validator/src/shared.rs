//! The principal type is [`Shared`]: answers that a fleet's nodes share for a moment, kept by Valkey.
//!
//! An asker looks for an answer first. An answer comes with the engine's time before its question was sent; the engine
//! also says how old it is, by the same clock. Clocks of nodes need not agree. Without an answer, the first who looks
//! is told to ask, and leaves a mark for the others: they look again, and ask themselves if that takes long.
//!
//! An answer that is known here is used for requests that come before its time is over. Nobody waits for an engine that
//! does not answer: after the first failure, all ask for themselves until it is back.

mod driver;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Sender, channel};
use tokio::sync::oneshot;
use tokio::task::spawn_local;
use tokio::time::sleep;
use unladen_fleet::{BusError, ValkeyPlace};

use self::driver::{Driver, Job, LONGEST, Looked};
use crate::answers::Answers;
use crate::asker::Asker;
use crate::counts::{SharedCounts, locked, text};
use crate::question::{Answer, Ask};
use crate::single_flight::SingleFlight;
use crate::{AskError, Question, SettingsError, ValidatorSettings, ValidatorSource, Version};

/// Jobs that wait for a thread's connection; if it is full, askers ask for themselves.
const QUEUE: usize = 256;
/// How long another node's answer is awaited: longer than most questions take.
const WAIT: Duration = Duration::from_millis(25);
/// Between two looks for it.
const PAUSE: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub(crate) struct Shared {
    asker: Arc<SingleFlight<Asker>>,
    within: Duration,
    /// Prefix of the keys of this validator's questions.
    prefix: String,
    place: ValkeyPlace,
    /// Each thread's channel to its connection.
    drivers: Box<[Mutex<Option<Sender<Job>>>]>,
    answers: Answers<Instant>,
    pub(crate) counts: Arc<SharedCounts>,
}

impl Shared {
    /// `None` if answers are not shared.
    pub(crate) fn new(
        settings: &ValidatorSettings,
        asker: &Arc<SingleFlight<Asker>>,
        threads: usize,
    ) -> Result<Option<Self>, SettingsError> {
        let Some(shared) = &settings.shared else { return Ok(None) };
        let (ValidatorSource::Postgres { query, parameters, .. } | ValidatorSource::MySql { query, parameters, .. }) =
            &settings.source
        else {
            return Err(SettingsError::Number("`shared` needs a database that all nodes ask: remove it"));
        };
        let refused = |error: unladen_fleet::BusError| SettingsError::Valkey(error.to_string());
        let place = ValkeyPlace::new(&shared.url, shared.ca.as_deref()).map_err(refused)?;
        // All of this is configuration: nobody outside can choose it.
        let hash = |number: u8| {
            let mut hasher = DefaultHasher::new();
            (number, &shared.site, &settings.path, settings.source.place(), query, parameters).hash(&mut hasher);
            hasher.finish()
        };
        Ok(Some(Self {
            asker: asker.clone(),
            within: shared.within,
            prefix: format!("unladen:{{{}}}:answer:{:016x}{:016x}", shared.fleet, hash(0), hash(1)),
            place,
            drivers: (0..threads.max(1)).map(|_| Mutex::default()).collect(),
            answers: Answers::new(),
            counts: Arc::default(),
        }))
    }

    /// Looks for an answer and tells one, as with each question.
    pub(crate) async fn try_once(&self) -> Result<(), AskError> {
        driver::try_once(&self.place, format!("{}:?", self.prefix).into_bytes()).await.map_err(|error| match error {
            BusError::Refused(words) => AskError::Refused(text(words)),
            error => AskError::Unreachable(text(error.to_string())),
        })
    }

    /// The answer that is valid for a request that came at this time.
    pub(crate) fn find(&self, question: &Question, came: Instant) -> Option<Version> {
        let found = self.answers.find(question, |until| came < *until)?;
        self.counts.remembered.fetch_add(1, Relaxed);
        Some(found)
    }

    /// A question's shared answer, or the engine's time if this node is to ask.
    async fn look(&self, thread: usize, question: &Question, key: &[u8]) -> Option<Result<Version, u64>> {
        let begun = Instant::now();
        loop {
            let looked = Instant::now();
            let (reply, told) = oneshot::channel();
            let job = Job::Look { key: key.into(), within: self.within, claim: self.within + WAIT, reply };
            if !self.send(thread, job) {
                return None;
            }
            match told.await.ok()?? {
                Looked::Answer { version, age } => {
                    self.counts.from_others.fetch_add(1, Relaxed);
                    self.remember(question, &version, looked, age);
                    return Some(Ok(version));
                }
                Looked::Ask { now } => return Some(Err(now)),
                Looked::Asked if begun.elapsed() >= WAIT => return None,
                Looked::Asked => sleep(PAUSE).await,
            }
        }
    }

    /// Remembers an answer that was at most this old at this time.
    fn remember(&self, question: &Question, version: &Version, at: Instant, age: Duration) {
        let now = Instant::now();
        if let Some(left) = self.within.checked_sub(age) {
            self.answers.remember(question, version, at + left, |until| now < *until);
        }
    }

    /// Whether this thread has a connection that takes the job.
    fn send(&self, thread: usize, job: Job) -> bool {
        let Some(driver) = self.drivers.get(thread % self.drivers.len().max(1)) else { return false };
        let mut driver = locked(driver);
        let sender = driver.get_or_insert_with(|| self.drive());
        match sender.try_send(job) {
            Ok(()) => true,
            Err(TrySendError::Full(_)) => false,
            Err(TrySendError::Closed(_)) => {
                // Its thread had another runtime.
                *driver = None;
                false
            }
        }
    }

    fn drive(&self) -> Sender<Job> {
        let (sender, jobs) = channel(QUEUE);
        spawn_local(Driver { place: self.place.clone(), jobs, counts: self.counts.clone() }.run());
        sender
    }

    /// Each parameter has its length: no two questions have the same key.
    fn key(&self, question: &Question) -> Option<Vec<u8>> {
        let mut key = self.prefix.clone().into_bytes();
        for parameter in &question.parameters {
            key.extend_from_slice(format!(":{}:", parameter.len()).as_bytes());
            key.extend_from_slice(parameter.as_bytes());
        }
        (key.len() <= LONGEST).then_some(key)
    }
}

impl Ask for Shared {
    async fn ask(&self, thread: usize, question: &Question) -> Answer {
        let Some(key) = self.key(question) else { return self.asker.ask(thread, question.clone()).await };
        let looked = self.look(thread, question, &key).await;
        if let Some(Ok(version)) = looked {
            return Ok(version);
        }
        let asked = Instant::now();
        let version = self.asker.ask(thread, question.clone()).await?;
        self.remember(question, &version, asked, Duration::ZERO);
        match looked {
            Some(Err(now)) => {
                self.send(thread, Job::Tell { key: key.into(), version: version.clone(), now, within: self.within });
            }
            _ => _ = self.counts.failed.fetch_add(1, Relaxed),
        }
        Ok(version)
    }
}
