//! The principal type is [`Proxy`]: a listener's settings, its upstream, and what they share between threads.

pub(crate) mod named_files;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use unladen_http1::{Fault, HeadLimits, Request};
use unladen_observability::{Observability, UpstreamIndex, Version};
use unladen_pool::Upstream;
use unladen_serve_config::{ClientSettings, ProxySettings, QueueSettings, ScriptSettings};

use self::named_files::NamedFiles;
use crate::limits::queue::Queue;
use crate::limits::rates::Rates;
use crate::message::error_page::ErrorPage;
use crate::message::spool::Spools;

/// A place beside the application.
#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    /// What it was made of.
    pub(crate) settings: ProxySettings,
    /// Where its calls go. Kept over a reload, if its settings are the same.
    pub(crate) upstream: Arc<Upstream>,
    /// Bounds of rates.
    pub(crate) rates: Arc<Rates>,
    /// Connections of clients, all threads together, those from before a reload too.
    pub(crate) clients: Arc<AtomicUsize>,
    /// Under which name it counts, once that is known.
    index: OnceLock<UpstreamIndex>,
    /// Bodies that wait.
    pub(crate) spools: Arc<Spools>,
    /// How its programs are run, if it is an upstream of FastCGI.
    pub(crate) script: Option<ScriptSettings>,
    /// The files that such programs may have sent.
    pub(crate) named_files: Option<Arc<NamedFiles>>,
    /// The page of local replies; none: plain text.
    pub(crate) error_page: Option<Arc<ErrorPage>>,
    /// Requests that wait for the upstream; none: they do not.
    pub(crate) queue: Option<Arc<Queue>>,
}

impl Proxy {
    /// With a page for local replies.
    pub(crate) fn with_error_page(self, page: Option<Arc<ErrorPage>>) -> Self {
        Self { error_page: page, ..self }
    }

    /// With an upstream that was made of `settings.upstream`. `before`: what a reload takes the place of. Its clients
    /// and bodies are there still, and count; so does what was taken of rates that stay as they were.
    pub(crate) fn new(settings: ProxySettings, upstream: Arc<Upstream>, before: Option<&Self>) -> Self {
        if let Some(before) = before {
            upstream.take_over(&before.upstream);
        }
        let rates = before.filter(|before| before.settings.rates == settings.rates).map(|before| before.rates.clone());
        let rates = rates.unwrap_or_else(|| Arc::new(Rates::new(&settings.rates)));
        let is_same = |before: &&Self| {
            before.settings.buffer == settings.buffer && before.settings.upstream.name == settings.upstream.name
        };
        let spools = before.filter(is_same).map(|before| before.spools.clone());
        let spools = spools.unwrap_or_else(|| Spools::new(&settings.upstream.name, &settings.buffer));
        let clients = before.map(|before| before.clients.clone()).unwrap_or_default();
        let index = OnceLock::new();
        Self {
            settings,
            upstream,
            rates,
            clients,
            index,
            spools,
            script: None,
            named_files: None,
            error_page: None,
            queue: None,
        }
    }

    /// The same upstream, for bodies of requests up to this length.
    pub(crate) fn with_body_bound(&self, bytes: u64) -> Self {
        let mut proxy = self.clone();
        proxy.settings.client.body_bytes = Some(bytes);
        proxy
    }

    /// Under which name it counts; `usual`, if nobody has counted it yet.
    pub(crate) fn index(&self, usual: UpstreamIndex) -> UpstreamIndex {
        self.index.get().copied().unwrap_or(usual)
    }

    /// The same, asked of those who count.
    pub(crate) fn counted_by(&self, observability: &Observability) -> UpstreamIndex {
        *self.index.get_or_init(|| observability.upstream(&self.settings.upstream.name))
    }

    /// Whether there is anybody to be called: a site may have files alone.
    pub(crate) fn calls_somebody(&self) -> bool {
        !self.settings.upstream.origins.is_empty()
    }

    /// With another's bodies that wait.
    pub(crate) fn with_spools(self, spools: Arc<Spools>) -> Self {
        Self { spools, ..self }
    }

    /// Of an upstream of FastCGI.
    pub(crate) fn with_script(self, script: &ScriptSettings) -> Self {
        let named_files = Some(Arc::new(NamedFiles::new(script)));
        Self { script: Some(script.clone()), named_files, ..self }
    }

    /// With a queue in front of its upstream. That of `before` is kept: what it let through is at the application still.
    /// It is as it was until [`Self::set_queue`].
    pub(crate) fn with_queue(self, settings: Option<&QueueSettings>, before: Option<&Self>) -> Self {
        let kept = before.and_then(|before| before.queue.clone());
        let queue = settings.map(|settings| kept.unwrap_or_else(|| Arc::new(Queue::new(settings))));
        Self { queue, ..self }
    }

    /// Its queue is as these settings say, from now on.
    pub(crate) fn set_queue(&self, settings: Option<&QueueSettings>) {
        if let Some((queue, settings)) = self.queue.as_ref().zip(settings) {
            queue.set(settings);
        }
    }

    /// Where an answer waits that its client does not take as fast as it comes; none: the upstream waits.
    pub(crate) fn reads_ahead(&self) -> Option<&Arc<Spools>> {
        self.settings.buffer.answers.then_some(&self.spools)
    }

    /// Bounds of a request's head.
    pub(crate) fn request_limits(&self) -> HeadLimits {
        head_limits(&self.settings.client)
    }

    /// Why a request is not taken that was read by these bounds, if its own are narrower.
    pub(crate) fn refuses(&self, request: &Request, version: Version, bounds: &ClientSettings) -> Option<Fault> {
        let own = &self.settings.client;
        if own.fields < bounds.fields && lines(request, version) > own.fields {
            return Some(Fault::TooManyFields);
        }
        let is_longer = || {
            let line = request.method.len() + request.target.len() + request.authority.len() + AROUND;
            let fields = request.fields.iter().map(|field| field.name.len() + field.value.len() + AROUND_FIELD);
            line + fields.sum::<usize>() > own.head_bytes
        };
        (own.head_bytes < bounds.head_bytes && is_longer()).then_some(Fault::HeadTooLong)
    }

    /// Bounds of a response's head.
    pub(crate) fn response_limits(&self) -> HeadLimits {
        HeadLimits { bytes: self.settings.upstream.limits.head_bytes, fields: RESPONSE_FIELDS }
    }
}

/// Bounds of a request's head.
pub(crate) fn head_limits(client: &ClientSettings) -> HeadLimits {
    HeadLimits { bytes: client.head_bytes, fields: client.fields }
}

/// How many fields the head had: of HTTP/1, `Host` is one of them, and is kept apart.
fn lines(request: &Request, version: Version) -> usize {
    request.fields.len() + usize::from(version != Version::Http2 && !request.authority.is_empty())
}

/// Of a head of HTTP/1, besides a method, a target, a host and fields: ` `, ` HTTP/1.1`, `Host: ` and the ends of lines.
const AROUND: usize = 22;
/// Of a field, besides its name and its value.
const AROUND_FIELD: usize = 4;

/// More than any application sends.
const RESPONSE_FIELDS: usize = 256;

#[cfg(test)]
mod tests;
