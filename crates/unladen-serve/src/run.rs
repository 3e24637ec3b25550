//! [`run`]: all of it together.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use unladen_observability::Observability;
use unladen_serve_config::Config;

use crate::control::{Ended, ServeError, Snapshot, Workers, background, control, malloc};
use crate::limits::budget::Budget;
use crate::listen::worker;
use crate::plan::Plan;
use crate::say::say;

/// How long the access log and the collector have to be flushed at the end.
const LAST_WORDS: Duration = Duration::from_secs(6);

#[derive(Clone, Debug)]
struct Proxy {
    observability: Arc<Observability>,
    budget: Arc<Budget>,
}

/// Serves as the configuration says, until SIGTERM or SIGINT, or until another process takes over (SIGUSR2). To be
/// called on the main thread, before there are others.
///
/// # Errors
/// If it cannot listen, an upstream cannot be set up, or a thread ends by itself.
pub fn run(config: Config) -> Result<Ended, ServeError> {
    malloc::settle();
    let budget = Budget::new(config.settings.client_memory);
    let observability = Observability::new(config.settings.observability(), budget.clone());
    let observability = Arc::new(observability.map_err(ServeError::Observability)?);
    let ended = control(config, Proxy { observability: observability.clone(), budget });
    if !observability.close(LAST_WORDS) {
        say!("unladen: the last of the access log, or of what the collector is sent, could not be written in time");
    }
    ended
}

impl Workers for Proxy {
    async fn run(self, thread: usize, threads: usize, plan: watch::Receiver<Arc<Plan>>) {
        worker::run(thread, threads, plan, self.observability, self.budget).await;
    }

    async fn run_background(self, snapshot: watch::Receiver<Arc<Snapshot>>) {
        background::keep(snapshot, self.observability, self.budget).await;
    }
}
