//! The principal type is [`Proxy`]: a listener's settings, its upstream, and what they share between threads.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use unladen_http1::HeadLimits;
use unladen_pool::Upstream;
use unladen_serve_config::{ProxySettings, QueueSettings, ScriptSettings};

use crate::limits::queue::Queue;
use crate::limits::rates::Rates;
use crate::message::spool::Spools;

/// A place beside the application.
#[derive(Debug)]
pub(crate) struct Proxy {
    /// What it was made of.
    pub(crate) settings: ProxySettings,
    /// Where its calls go. Kept over a reload, if its settings are the same.
    pub(crate) upstream: Arc<Upstream>,
    /// Bounds of rates.
    pub(crate) rates: Arc<Rates>,
    /// Connections of clients, all threads together, those from before a reload too.
    pub(crate) clients: Arc<AtomicUsize>,
    /// Bodies that wait.
    pub(crate) spools: Arc<Spools>,
    /// How its programs are run, if it is an upstream of FastCGI.
    pub(crate) script: Option<ScriptSettings>,
    /// Requests that wait for the upstream; none: they do not.
    pub(crate) queue: Option<Arc<Queue>>,
}

impl Proxy {
    /// With an upstream that was made of `settings.upstream`. `before`: what a reload takes the place of. Its clients
    /// and bodies are there still, and count; so does what was taken of rates that stay as they were.
    pub(crate) fn new(settings: ProxySettings, upstream: Arc<Upstream>, before: Option<&Self>) -> Self {
        let rates = before.filter(|before| before.settings.rates == settings.rates).map(|before| before.rates.clone());
        let rates = rates.unwrap_or_else(|| Arc::new(Rates::new(&settings.rates)));
        let is_same = |before: &&Self| {
            before.settings.buffer == settings.buffer && before.settings.upstream.name == settings.upstream.name
        };
        let spools = before.filter(is_same).map(|before| before.spools.clone());
        let spools = spools.unwrap_or_else(|| Spools::new(&settings.upstream.name, &settings.buffer));
        let clients = before.map(|before| before.clients.clone()).unwrap_or_default();
        Self { settings, upstream, rates, clients, spools, script: None, queue: None }
    }

    /// Of an upstream of FastCGI.
    pub(crate) fn with_script(self, script: &ScriptSettings) -> Self {
        Self { script: Some(script.clone()), ..self }
    }

    /// With a queue in front of its upstream. That of `before` is kept: what it let through is at the application still.
    pub(crate) fn with_queue(self, settings: Option<&QueueSettings>, before: Option<&Self>) -> Self {
        let kept = before.and_then(|before| before.queue.clone());
        let queue = settings.map(|settings| match kept {
            Some(kept) => {
                kept.set(settings);
                kept
            }
            None => Arc::new(Queue::new(settings)),
        });
        Self { queue, ..self }
    }

    /// Where an answer waits that its client does not take as fast as it comes; none: the upstream waits.
    pub(crate) fn reads_ahead(&self) -> Option<&Arc<Spools>> {
        self.settings.buffer.answers.then_some(&self.spools)
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
