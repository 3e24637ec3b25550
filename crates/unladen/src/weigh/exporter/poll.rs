//! The principal type is [`Poll`]: asks an exporter repeatedly, to see how old its values are.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use unladen_exporter::Watch;
use unladen_load::Cancel;

use crate::weigh::exporter::error::ExporterError;
use crate::weigh::exporter::fetch::{Fetch, Fetched};

/// What is seen of an exporter while it is watched; the asking thread and the measuring one share it.
#[derive(Debug)]
pub(super) struct Poll {
    begun: Instant,
    state: Mutex<State>,
    /// Cancelled when the watch is over.
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
        // Counts are still good after a panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

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

    pub(super) fn end(&self) {
        self.over.cancel();
    }

    pub(super) fn watch(&self) -> Watch {
        self.state().watch.clone()
    }

    /// Asks until ended; passes new series to `fetched`. The error is that of the first failed answer.
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
