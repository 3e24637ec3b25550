//! The principal type is [`Destination`]: a collector and its settings.

use std::time::Duration;

use super::target::Target;

#[derive(Debug)]
pub(crate) struct Destination {
    pub(super) target: Target,
    pub(super) every: Duration,
    pub(super) service: String,
    pub(super) environment: Option<String>,
    pub(super) zone: Option<String>,
}
