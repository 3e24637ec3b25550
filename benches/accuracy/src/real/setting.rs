//! The principal type is [`Setting`].

use std::time::Duration;

use super::disturbance::Neighbour;

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// What else the machine does.
    pub beside: Neighbour,
    /// The subject is in a control group of its own, and groups are found by that.
    pub in_unit: bool,
    /// As `weigh --time`.
    pub time: Duration,
    /// As `weigh --phase`.
    pub phase: Option<Duration>,
    /// Of the plan and of the background.
    pub seed: u64,
}

impl Setting {
    /// Half a minute beside something.
    pub fn beside(beside: Neighbour, seed: u64) -> Self {
        Self { beside, in_unit: false, time: Duration::from_secs(30), phase: None, seed }
    }
}
