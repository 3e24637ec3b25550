//! Reports how far this node has forgotten, and keeps it in the list.

use std::time::{Duration, Instant};

use super::{BEATS, Fleet, MARGIN};

impl Fleet {
    pub(super) async fn beat(&self) {
        let mut failures = 0;
        let lease = self.settings.lease;
        let mut last: Option<Instant> = None;
        loop {
            let position = self.progress().position().cloned();
            let Some(position) = position else {
                self.moved.notified().await;
                continue;
            };
            // Before the request: the engine counts from later.
            let began = Instant::now();
            self.contact().asked = Some(began);
            // Between two beats, others wait only for the position.
            let told = match last {
                Some(last) if began.duration_since(last) < lease / BEATS => self.bus.tell(&position, lease).await,
                _ => self.bus.confirm(&position, lease).await.map(Some),
            };
            self.contact().asked = None;
            match told {
                Ok(end) => {
                    failures = 0;
                    if let Some(end) = end {
                        self.progress().beaten(end, began + lease - lease / MARGIN, &self.lease);
                        last = Some(began);
                    }
                    self.contact().last_beat = Some(Instant::now());
                    let pause = (lease / BEATS).saturating_sub(last.unwrap_or(began).elapsed());
                    let _ = tokio::time::timeout(pause, self.moved.notified()).await;
                }
                Err(error) => {
                    last = None;
                    let pause: Duration = self.pause(error, &mut failures).min(lease / BEATS);
                    tokio::time::sleep(pause).await;
                }
            }
        }
    }
}
