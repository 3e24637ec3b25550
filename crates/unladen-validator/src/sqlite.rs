//! The principal type is [`Sqlite`]: asks a SQLite database.
//!
//! One thread of the process reads the database: waiting for a lock or the disk does not delay those who serve. It is
//! opened read-only with the first question, and again when another file has replaced it.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};
use tokio::sync::oneshot;

use crate::counts::{locked, text};
use crate::question::{Answer, Ask};
use crate::{AskError, Question, Version};

const QUEUE: usize = 1024;

#[derive(Debug)]
pub(crate) struct Sqlite {
    plan: Plan,
    /// `None` before the first question.
    queue: Mutex<Option<SyncSender<Job>>>,
}

#[derive(Debug)]
struct Job {
    parameters: Vec<String>,
    until: Instant,
    reply: oneshot::Sender<Answer>,
}

// === impl Sqlite ===

impl Sqlite {
    pub(crate) fn new(file: PathBuf, query: &str, places: Box<[usize]>, timeout: Duration) -> Self {
        let plan = Plan { file, query: query.to_owned(), places, timeout };
        Self { plan, queue: Mutex::default() }
    }

    pub(crate) fn try_once(&self) -> Result<(), AskError> {
        SqliteReader::open(&self.plan, Instant::now() + self.plan.timeout).map(drop)
    }

    fn send(&self, job: Job) -> Result<(), AskError> {
        let mut queue = locked(&self.queue);
        let job = match &*queue {
            None => job,
            Some(sender) => match sender.try_send(job) {
                Ok(()) => return Ok(()),
                Err(TrySendError::Full(_)) => return Err(AskError::TooMany),
                Err(TrySendError::Disconnected(job)) => job,
            },
        };
        let (sender, jobs) = sync_channel(QUEUE);
        let plan = self.plan.clone();
        let started = std::thread::Builder::new().name("validator-sqlite".to_owned()).spawn(move || work(&plan, &jobs));
        started.map_err(|error| {
            AskError::Unreachable(text(format!("cannot start a thread to read {}: {error}", self.plan.file.display())))
        })?;
        let sent = sender.try_send(job).map_err(|_| AskError::TooMany);
        *queue = Some(sender);
        sent
    }
}

impl Ask for Sqlite {
    async fn ask(&self, _: usize, question: &Question) -> Answer {
        let mut parameters = Vec::with_capacity(self.plan.places.len());
        for place in &self.plan.places {
            match question.parameters.get(*place) {
                Some(parameter) => parameters.push(parameter.clone()),
                None => return Ok(None),
            }
        }
        let (reply, answer) = oneshot::channel();
        self.send(Job { parameters, until: Instant::now() + self.plan.timeout, reply })?;
        answer
            .await
            .unwrap_or_else(|_| Err(AskError::Unreachable(text("the thread that reads the database has ended"))))
    }
}

/// Answers until all senders are gone.
fn work(plan: &Plan, jobs: &Receiver<Job>) {
    let mut reader: Option<SqliteReader> = None;
    while let Ok(job) = jobs.recv() {
        if job.reply.is_closed() || Instant::now() >= job.until {
            continue;
        }
        if reader.as_ref().is_some_and(|reader| reader.is_replaced(plan)) {
            reader = None;
        }
        let answer = match reader.take().map_or_else(|| SqliteReader::open(plan, job.until), Ok) {
            Ok(mut open) => {
                let answer = open.ask(&job.parameters, job.until);
                // A new connection may find what this one does not: another file in its place, a table made anew.
                if answer.is_ok() {
                    reader = Some(open);
                }
                answer
            }
            Err(error) => Err(error),
        };
        let _ = job.reply.send(answer);
    }
}

/// Steps of SQLite's virtual machine (some 0.1 ms) between two looks at the clock.
const STEPS: std::ffi::c_int = 10_000;

struct SqliteReader {
    connection: Connection,
    query: String,
    identity: Option<(u64, u64)>,
}

impl SqliteReader {
    pub(super) fn open(plan: &Plan, until: Instant) -> Result<Self, AskError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        // Before the file is opened: if it is replaced meanwhile, the next question opens it again.
        let identity = identity(plan);
        let said = |error: rusqlite::Error| match explain(&error) {
            AskError::Unreachable(why) => AskError::Unreachable(text(format!("{}: {why}", plan.file.display()))),
            other => other,
        };
        let connection = Connection::open_with_flags(&plan.file, flags).map_err(said)?;
        connection.busy_timeout(until.saturating_duration_since(Instant::now())).map_err(said)?;
        connection.set_prepared_statement_cache_capacity(1);
        let wants = connection.prepare_cached(&plan.query).map_err(said)?.parameter_count();
        if wants != plan.places.len() {
            let has = plan.places.len();
            return Err(AskError::Query(text(format!(
                "it has {wants} parameter(s), but `parameters` has {has} name(s)"
            ))));
        }
        Ok(Self { connection, query: plan.query.clone(), identity })
    }

    pub(super) fn is_replaced(&self, plan: &Plan) -> bool {
        self.identity != identity(plan)
    }

    /// Neither waits for a lock nor reads beyond `until`.
    pub(super) fn ask(&mut self, parameters: &[String], until: Instant) -> Answer {
        self.read(parameters, until).map_err(|error| explain(&error))
    }

    fn read(&mut self, parameters: &[String], until: Instant) -> Result<Version, rusqlite::Error> {
        self.connection.busy_timeout(until.saturating_duration_since(Instant::now()))?;
        self.connection.progress_handler(STEPS, Some(move || Instant::now() >= until))?;
        let mut statement = self.connection.prepare_cached(&self.query)?;
        let mut rows = statement.query(params_from_iter(parameters))?;
        let Some(row) = rows.next()? else { return Ok(None) };
        Ok(match row.get_ref(0)? {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(number.to_string().into_bytes().into()),
            ValueRef::Real(number) => Some(number.to_string().into_bytes().into()),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(bytes.into()),
        })
    }
}

fn identity(plan: &Plan) -> Option<(u64, u64)> {
    std::fs::metadata(&plan.file).ok().map(|file| (file.dev(), file.ino()))
}

fn explain(error: &rusqlite::Error) -> AskError {
    let message = text(error.to_string());
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::OperationInterrupted) => {
            AskError::Timeout
        }
        Some(
            ErrorCode::CannotOpen | ErrorCode::SystemIoFailure | ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt,
        ) => AskError::Unreachable(message),
        Some(ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) => AskError::Refused(message),
        _ => AskError::Query(message),
    }
}

#[derive(Clone, Debug)]
struct Plan {
    pub(super) file: PathBuf,
    pub(super) query: String,
    pub(super) places: Box<[usize]>,
    pub(super) timeout: Duration,
}
