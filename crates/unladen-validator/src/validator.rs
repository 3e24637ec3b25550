//! The principal type is [`Validator`]: asks a source whether pages are current.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, LocalOptions};

use crate::asker::Asker;
use crate::counts::{locked, text};
use crate::pushed::Pushed;
use crate::shared::Shared;
use crate::single_flight::SingleFlight;
use crate::{AskError, PathPattern, Question, SettingsError, State, ValidatorSettings, ValidatorSource, Version};

/// Timeout of [`Validator::try_once`], even if an answer's is shorter.
const TRY: Duration = Duration::from_secs(10);

/// Asks a source whether pages are current. Shared by all threads.
#[derive(Debug)]
pub struct Validator {
    settings: ValidatorSettings,
    pattern: PathPattern,
    single_flight: Arc<SingleFlight<Asker>>,
    /// `None` without notifications.
    pushed: Option<Arc<Pushed>>,
    /// `None` without sharing.
    shared: Option<Arc<SingleFlight<Shared>>>,
}

impl Validator {
    /// Makes a validator for this number of threads, without connecting.
    ///
    /// # Errors
    /// If the settings contradict each other, or a file of theirs cannot be read.
    pub fn new(settings: ValidatorSettings, threads: usize) -> Result<Self, SettingsError> {
        if settings.timeout.is_zero() {
            return Err(SettingsError::Number("the timeout is zero: no answer could arrive in time"));
        }
        if settings.connections == 0 {
            return Err(SettingsError::Number("there are no connections: allow at least one"));
        }
        let pattern = PathPattern::parse(&settings.path)?;
        let is_told = matches!(settings.source, ValidatorSource::Postgres { .. });
        if settings.listen.is_some() && !is_told {
            return Err(SettingsError::Number("only PostgreSQL notifies of changes: remove `listen`"));
        }
        let pushed = settings.listen.as_ref().map(|_| Arc::new(Pushed::new(threads)));
        let asker = Asker::new(&settings, &pattern, threads.max(1), pushed.as_ref())?;
        let single_flight = Arc::new(SingleFlight::new(asker, settings.timeout));
        let shared = Shared::new(&settings, &single_flight, threads)?;
        // The waits for the engine, another node and the source together are no longer than for the source alone.
        let shared = shared.map(|shared| Arc::new(SingleFlight::new(shared, settings.timeout)));
        Ok(Self { settings, pattern, single_flight, pushed, shared })
    }

    /// Its settings. They may hold a password.
    pub fn settings(&self) -> &ValidatorSettings {
        &self.settings
    }

    /// The pages that it is asked about.
    pub fn pattern(&self) -> &PathPattern {
        &self.pattern
    }

    /// Asks on a connection of this thread (counted from 0), or shares the answer to the same question if it is sent
    /// after this call. On a `LocalRuntime`. The future may be dropped at any time.
    ///
    /// # Errors
    /// If there is no answer within [`ValidatorSettings::timeout`].
    pub async fn ask(self: &Arc<Self>, thread: usize, question: Question) -> Result<Version, AskError> {
        self.single_flight.ask(thread, question).await
    }

    /// The remembered answer, if it is valid for a request that came at this time: notifications have reported no
    /// change since, except perhaps within the last [`ListenSettings::heartbeat`](crate::ListenSettings).
    pub fn remembered(&self, thread: usize, question: &Question, came: Instant) -> Option<Version> {
        let told = self.pushed.as_ref().and_then(|pushed| pushed.find(thread, question, came));
        told.or_else(|| self.shared.as_ref()?.asker().find(question, came))
    }

    /// The answer for a request that need not have the latest: another node's, if it is recent enough; else that of
    /// [`Validator::ask`].
    ///
    /// # Errors
    /// As of [`Validator::ask`].
    pub async fn ask_or_share(self: &Arc<Self>, thread: usize, question: Question) -> Result<Version, AskError> {
        match &self.shared {
            Some(shared) => shared.ask(thread, question).await,
            None => self.ask(thread, question).await,
        }
    }

    /// Counts a request for which a remembered answer may not be used.
    pub fn bypass(&self) {
        self.single_flight.counts().bypassed();
    }

    /// How long, by the settings, an outdated answer may be given; `None` for never.
    pub fn bound(&self) -> Option<Duration> {
        self.settings.bound()
    }

    /// Listens for notifications, if configured, while this is polled, and reports its state. On a `LocalRuntime`.
    pub async fn listen(&self, tell: impl Fn(Result<(), &AskError>)) {
        if let (Some(settings), Asker::Postgres(asker)) = (&self.settings.listen, self.single_flight.asker()) {
            asker.listen(settings, &tell).await;
        }
    }

    /// Counters since the start.
    pub fn state(&self) -> State {
        let mut state = self.single_flight.counts().state();
        if let Some(pushed) = &self.pushed {
            state.is_listening = Some(pushed.vouches(Instant::now()));
            state.remembered = pushed.count();
        }
        if let Some(shared) = &self.shared {
            // Requests that joined another's question there did not come here.
            state.shared += shared.counts().state().shared;
            let counts = &shared.asker().counts;
            state.remembered += counts.remembered.load(Relaxed);
            state.from_others = counts.from_others.load(Relaxed);
            state.share_failed = counts.failed.load(Relaxed);
            state.is_sharing = Some(counts.is_up());
            state.last_error = state.last_error.or_else(|| locked(&counts.last_error).clone());
        }
        state
    }

    /// Connects and prepares the query, to check a configuration. Blocks for some seconds at most.
    ///
    /// # Errors
    /// If a question could not be answered.
    pub fn try_once(&self) -> Result<(), AskError> {
        self.try_now(self.single_flight.asker().try_once(self.settings.timeout.max(TRY)))
    }

    /// A problem of the source, though it answers, to check a configuration: connects again. Blocks for some seconds at
    /// most.
    ///
    /// # Errors
    /// If there is no answer.
    pub fn doubt(&self) -> Result<Option<String>, AskError> {
        self.try_now(self.single_flight.asker().doubt(self.settings.timeout.max(TRY)))
    }

    /// Listens and has another session notify it, if configured. Blocks for some seconds at most.
    ///
    /// # Errors
    /// If no notification would arrive.
    pub fn try_to_listen(&self) -> Result<(), AskError> {
        self.try_now(async {
            match (&self.settings.listen, self.single_flight.asker()) {
                (Some(settings), Asker::Postgres(asker)) => asker.try_to_listen(settings).await,
                _ => Ok(()),
            }
        })
    }

    /// Looks for another node's answer and shares one, if configured. Blocks for some seconds at most.
    ///
    /// # Errors
    /// If each node would ask for itself.
    pub fn try_to_share(&self) -> Result<(), AskError> {
        self.try_now(async {
            match &self.shared {
                Some(shared) => shared.asker().try_once().await,
                None => Ok(()),
            }
        })
    }

    fn try_now<T: Send>(&self, trying: impl Future<Output = Result<T, AskError>> + Send) -> Result<T, AskError> {
        // A separate thread: the caller's may run a runtime, which forbids another.
        std::thread::scope(|scope| {
            let tried = scope.spawn(|| {
                let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
                let runtime = runtime.map_err(|error| AskError::Unreachable(text(error.to_string())))?;
                let tried = runtime.block_on(trying);
                // Does not wait for a name that the system is still looking up.
                runtime.shutdown_background();
                tried
            });
            tried.join().unwrap_or_else(|_| Err(AskError::Unreachable(text("the attempt ended early"))))
        })
    }
}
