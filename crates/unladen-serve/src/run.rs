//! [`run`]: all of it together.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Config;
use crate::control::{Crew, Ended, Household, ServeError, control};
use crate::plan::Plan;
use crate::seeing::Seeing;
use crate::{house, malloc, worker};

/// What waits for the access log and the collector at the end is written and sent within this time.
const LAST_WORDS: Duration = Duration::from_secs(6);

/// Carries requests to upstreams.
#[derive(Clone, Debug)]
struct Proxy {
    seeing: Arc<Seeing>,
}

/// Serves as the configuration says, until SIGTERM or SIGINT, or until another process takes over (SIGUSR2). On the main thread, before
/// there are others.
///
/// # Errors
/// If it cannot listen, or an upstream cannot be configured as it is; if a thread ends by itself.
pub fn run(config: Config) -> Result<Ended, ServeError> {
    malloc::settle();
    let seeing = Seeing::new(&config.settings).map_err(ServeError::Seeing)?;
    let seeing = Arc::new(seeing);
    let ended = control(config, Proxy { seeing: seeing.clone() });
    if !seeing.close(LAST_WORDS) {
        eprintln!(
            "unladen: the last of the access log, or of what the collector is sent, could not be written in time"
        );
    }
    ended
}

// === impl Proxy ===

impl Crew for Proxy {
    async fn carry(self, thread: usize, threads: usize, plan: watch::Receiver<Arc<Plan>>) {
        worker::run(thread, threads, plan, self.seeing).await;
    }

    async fn keep_house(self, household: watch::Receiver<Arc<Household>>) {
        house::keep(household, self.seeing).await;
    }
}
