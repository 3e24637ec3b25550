//! The principal type is [`Poll`]: asks an exporter again and again, to see how old its values are.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use unladen_exporter::Watch;
use unladen_load::Cancel;

use crate::weigh::exporter::error::ExporterError;
use crate::weigh::exporter::fetch::{Fetch, Fetched};

/// What is seen of an exporter while it is watched; the thread that asks and the one that measures share it.
#[derive(Debug)]
pub(super) struct Poll {
    begun: Instant,
    state: Mutex<State>,
    /// Told when the watch is over.
    over: Cancel,
}

#[derive(Debug, Default)]
struct State {
    watch: Watch,
    failed: bool,
}

impl Poll {
    pub(super) fn new() -> Self {
        Self { begun: Instant::now(), state: Mutex::default(), over: Cancel::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A thread that panicked has left counts that are as good as before.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether it has to see more of requests (`is_sending`), or of none.
    pub(super) fn wants(&self, is_sending: bool) -> bool {
        let now = self.begun.elapsed();
        let mut state = self.state();
        if state.failed {
            return false;
        }
        if is_sending {
            return !state.watch.has_stopped() && state.watch.wants_requests(now);
        }
        state.watch.stopped_sending(now);
        state.watch.wants_quiet(now)
    }

    /// Ends it.
    pub(super) fn end(&self) {
        self.over.cancel();
    }

    /// What was seen.
    pub(super) fn watch(&self) -> Watch {
        self.state().watch.clone()
    }

    /// Asks until it is ended; series that came up are given to `fetched`.
    ///
    /// # Errors
    /// The first answer that is none.
    pub(super) fn run(&self, fetch: &mut Fetch, mut fetched: impl FnMut(Fetched)) -> Result<(), ExporterError> {
        while !self.over.is_cancelled() {
            let asked = self.begun.elapsed();
            let answer = fetch.ask().inspect_err(|_| self.state().failed = true)?;
            let at = self.begun.elapsed();
            let pause = {
                let mut state = self.state();
                state.watch.answered(asked, at, answer.server_ms, &fetch.growth, &answer.grown);
                state.watch.pause(at, at.saturating_sub(asked))
            };
            fetched(answer);
            self.over.wait(pause);
        }
        Ok(())
    }
}
