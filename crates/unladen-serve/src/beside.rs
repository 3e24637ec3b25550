//! The principal type is [`Beside`]: a listener's settings, its upstream, and what they share between threads.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use unladen_http1::HeadLimits;
use unladen_pool::Upstream;

use crate::rates::Rates;
use crate::settings::BesideSettings;

/// A place beside the application.
#[derive(Debug)]
pub struct Beside {
    /// What it was made of.
    pub settings: BesideSettings,
    /// Where its calls go. Kept over a reload, if its settings are the same.
    pub upstream: Arc<Upstream>,
    /// Bounds of rates.
    pub rates: Rates,
    /// Connections of clients, all threads together.
    pub clients: AtomicUsize,
}

impl Beside {
    /// With an upstream that was made of `settings.upstream`.
    pub fn new(settings: BesideSettings, upstream: Arc<Upstream>) -> Self {
        let rates = Rates::new(&settings.rates);
        Self { settings, upstream, rates, clients: AtomicUsize::new(0) }
    }

    /// Bounds of a request's head.
    pub(crate) fn request_limits(&self) -> HeadLimits {
        HeadLimits { bytes: self.settings.client.head_bytes, fields: self.settings.client.fields }
    }

    /// Bounds of a response's head.
    pub(crate) fn response_limits(&self) -> HeadLimits {
        HeadLimits { bytes: self.settings.upstream.limits.head_bytes, fields: RESPONSE_FIELDS }
    }
}

/// More than any application sends.
const RESPONSE_FIELDS: usize = 256;
