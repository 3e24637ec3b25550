//! The principal type is [`Pace`]: how often the keeper of certificates looks. And [`Tell`]: who is told what it sees.

use std::sync::Arc;
use std::time::Duration;

use crate::event::Event;

/// Who is told of events.
pub(crate) type Tell = Arc<dyn Fn(&Event<'_>) + Send + Sync>;

/// How often it looks.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Whether another process has put a certificate in place, or somebody has removed a file.
    pub look: Duration,
    /// Whether there are other answers for authorities.
    pub answers: Duration,
    /// For so long answers are there before the authority is told: longer than [`Pace::answers`].
    pub settle: Duration,
    /// Whether the process that orders is done.
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
