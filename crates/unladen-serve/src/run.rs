//! [`run`]: all of it together.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Config;
use crate::control::{Ended, ServeError, Snapshot, Workers, control};
use crate::observability::Observability;
use crate::plan::Plan;
use crate::say::say;
use crate::{background, malloc, worker};

/// What waits for the access log and the collector at the end is written and sent within this time.
const LAST_WORDS: Duration = Duration::from_secs(6);

/// Carries requests to upstreams.
#[derive(Clone, Debug)]
struct Proxy {
    observability: Arc<Observability>,
}

/// Serves as the configuration says, until SIGTERM or SIGINT, or until another process takes over (SIGUSR2). On the
/// main thread, before there are others.
///
/// # Errors
/// If it cannot listen, or an upstream cannot be configured as it is; if a thread ends by itself.
pub fn run(config: Config) -> Result<Ended, ServeError> {
    malloc::settle();
    let observability = Observability::new(&config.settings).map_err(ServeError::Observability)?;
    let observability = Arc::new(observability);
    let ended = control(config, Proxy { observability: observability.clone() });
    if !observability.close(LAST_WORDS) {
        say!("unladen: the last of the access log, or of what the collector is sent, could not be written in time");
    }
    ended
}

// === impl Proxy ===

impl Workers for Proxy {
    async fn run(self, thread: usize, threads: usize, plan: watch::Receiver<Arc<Plan>>) {
        worker::run(thread, threads, plan, self.observability).await;
    }

    async fn run_background(self, snapshot: watch::Receiver<Arc<Snapshot>>) {
        background::keep(snapshot, self.observability).await;
    }
}
