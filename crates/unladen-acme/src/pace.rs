//! The principal type is [`Pace`]: how often the keeper looks. And [`Tell`]: receives its events.

use std::sync::Arc;
use std::time::Duration;

use crate::event::Event;

pub(crate) type Tell = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// Intervals of the keeper.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// For another process's certificate, or a removed file.
    pub look: Duration,
    /// For changed answers to authorities.
    pub answers: Duration,
    /// Pause between an answer's placement and telling the authority: longer than [`Pace::answers`].
    pub settle: Duration,
    /// For the end of another process's order.
    pub elsewhere: Duration,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(5),
            answers: Duration::from_secs(1),
            settle: Duration::from_millis(1500),
            elsewhere: Duration::from_secs(2),
        }
    }
}
