//! The principal type is [`Validator`]: asks.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::{Builder, LocalOptions};

use crate::asker::Asker;
use crate::counts::text;
use crate::single_flight::SingleFlight;
use crate::{AskError, PathPattern, Question, SettingsError, State, ValidatorSettings, Version};

/// How long [`Validator::try_once`] waits, even where an answer may take less.
const TRY: Duration = Duration::from_secs(10);

/// Asks. Shared by all threads.
#[derive(Debug)]
pub struct Validator {
    settings: ValidatorSettings,
    pattern: PathPattern,
    single_flight: Arc<SingleFlight<Asker>>,
}

// === impl Validator ===

impl Validator {
    /// For so many threads. Nothing is connected to yet.
    ///
    /// # Errors
    /// If the settings contradict each other, or a file of theirs cannot be read.
    pub fn new(settings: ValidatorSettings, threads: usize) -> Result<Self, SettingsError> {
        if settings.timeout.is_zero() {
            return Err(SettingsError::Number("the timeout is zero: nobody can answer in no time"));
        }
        if settings.connections == 0 {
            return Err(SettingsError::Number("there are no connections: allow at least one"));
        }
        let pattern = PathPattern::parse(&settings.path)?;
        let asker = Asker::new(&settings, &pattern, threads.max(1))?;
        let single_flight = Arc::new(SingleFlight::new(asker, settings.timeout));
        Ok(Self { settings, pattern, single_flight })
    }

    /// What it was made of. It may hold a password.
    pub fn settings(&self) -> &ValidatorSettings {
        &self.settings
    }

    /// The pages that are meant.
    pub fn pattern(&self) -> &PathPattern {
        &self.pattern
    }

    /// Asks, on a connection of this thread (counted from 0), or shares an answer to the same question that is sent
    /// after this is called. On a `LocalRuntime`. The future may be dropped at any time.
    ///
    /// # Errors
    /// If there is no answer, [`ValidatorSettings::timeout`] after this is called at the latest.
    pub async fn ask(self: &Arc<Self>, thread: usize, question: Question) -> Result<Version, AskError> {
        self.single_flight.ask(thread, question).await
    }

    /// What has been asked since the start.
    pub fn state(&self) -> State {
        self.single_flight.counts().state()
    }

    /// Connects and prepares the query, for those who check a configuration. Blocks for some seconds at most.
    ///
    /// # Errors
    /// If a question could not be answered.
    pub fn try_once(&self) -> Result<(), AskError> {
        let limit = self.settings.timeout.max(TRY);
        // A thread of its own: the caller's may run a runtime, which forbids another.
        std::thread::scope(|scope| {
            let tried = scope.spawn(|| {
                let runtime = Builder::new_current_thread().enable_all().build_local(LocalOptions::default());
                let runtime = runtime.map_err(|error| AskError::Unreachable(text(error.to_string())))?;
                let tried = runtime.block_on(self.single_flight.asker().try_once(limit));
                // A name that the system is still looking up is not waited for.
                runtime.shutdown_background();
                tried
            });
            tried.join().unwrap_or_else(|_| Err(AskError::Unreachable(text("the attempt ended early"))))
        })
    }
}
