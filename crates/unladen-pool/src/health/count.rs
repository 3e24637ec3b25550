//! The principal type is [`Count`]: consecutive answers that change an endpoint's health.

use crate::settings::HealthSettings;

#[derive(Debug)]
pub(super) struct Count {
    healthy: bool,
    /// Consecutive answers that contradict the current state.
    against: u32,
    to_healthy: u32,
    to_unhealthy: u32,
}

impl Count {
    pub(super) fn new(settings: &HealthSettings, healthy: bool) -> Self {
        Self { healthy, against: 0, to_healthy: settings.healthy.max(1), to_unhealthy: settings.unhealthy.max(1) }
    }

    pub(super) fn take(&mut self, ok: bool) -> Option<bool> {
        if ok == self.healthy {
            self.against = 0;
            return None;
        }
        self.against += 1;
        if self.against < if ok { self.to_healthy } else { self.to_unhealthy } {
            return None;
        }
        self.healthy = ok;
        self.against = 0;
        Some(ok)
    }
}

#[cfg(test)]
mod tests;
