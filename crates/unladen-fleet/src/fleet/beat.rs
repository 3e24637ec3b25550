//! Tells how far this node has forgotten, and keeps it in the list.

use std::time::{Duration, Instant};

use super::{BEATS, Fleet, MARGIN};

impl Fleet {
    pub(super) async fn beat(&self) {
        let mut failures = 0;
        let lease = self.settings.lease;
        loop {
            let position = self.progress().position().cloned();
            let Some(position) = position else {
                self.moved.notified().await;
                continue;
            };
            // Before it is asked for: the engine counts from later.
            let began = Instant::now();
            match self.bus.confirm(&position, lease).await {
                Ok(end) => {
                    failures = 0;
                    self.progress().beaten(end, began + lease - lease / MARGIN, &self.lease);
                    self.more().last_beat = Some(Instant::now());
                    let pause = (lease / BEATS).saturating_sub(began.elapsed());
                    let _ = tokio::time::timeout(pause, self.moved.notified()).await;
                }
                Err(error) => {
                    let pause: Duration = self.pause(error, &mut failures).min(lease / BEATS);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
}
