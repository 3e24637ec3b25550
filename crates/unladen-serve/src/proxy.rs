//! The principal type is [`Proxy`]: a listener's settings, its upstream, and what they share between threads.

pub(crate) mod named_files;

use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, OnceLock};

use unladen_http1::{Fault, HeadLimits, Request};
use unladen_observability::{Observability, UpstreamIndex, Version};
use unladen_pool::Upstream;
use unladen_serve_config::{ClientSettings, ProxySettings, ScriptSettings};

use self::named_files::NamedFiles;
use crate::limits::queue::Queue;
use crate::limits::rates::Rates;
use crate::message::error_page::ErrorPage;
use crate::message::spool::Spools;

#[derive(Clone, Debug)]
pub(crate) struct Proxy {
    pub(crate) settings: ProxySettings,
    /// Kept over a reload if its settings are the same.
    pub(crate) upstream: Arc<Upstream>,
    pub(crate) rates: Arc<Rates>,
    /// Client connections of all threads, including those from before a reload.
    pub(crate) clients: Arc<AtomicUsize>,
    /// Metrics index, once known.
    pub(crate) index: OnceLock<UpstreamIndex>,
    pub(crate) spools: Arc<Spools>,
    /// How its programs are run, for FastCGI.
    pub(crate) script: Option<ScriptSettings>,
    pub(crate) named_files: Option<Arc<NamedFiles>>,
    pub(crate) error_page: Option<Arc<ErrorPage>>,
    pub(crate) queue: Option<Arc<Queue>>,
}

impl Proxy {
    /// `upstream` must be made of `settings.upstream`. `before`: what a reload replaces, whose clients, bodies and
    /// unchanged rates still count.
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

    /// Metrics index; `usual` if nobody has counted it yet.
    pub(crate) fn index(&self, usual: UpstreamIndex) -> UpstreamIndex {
        self.index.get().copied().unwrap_or(usual)
    }

    /// Metrics index, registered if need be.
    pub(crate) fn counted_by(&self, observability: &Observability) -> UpstreamIndex {
        *self.index.get_or_init(|| observability.upstream(&self.settings.upstream.name))
    }

    /// Whether it has an upstream: a site may have files alone.
    pub(crate) fn calls_somebody(&self) -> bool {
        !self.settings.upstream.origins.is_empty()
    }

    pub(crate) fn with_script(self, script: &ScriptSettings) -> Self {
        let named_files = Some(Arc::new(NamedFiles::new(script)));
        Self { script: Some(script.clone()), named_files, ..self }
    }

    /// Where an answer waits for a slow client; `None` makes the upstream wait.
    pub(crate) fn reads_ahead(&self) -> Option<&Arc<Spools>> {
        self.settings.buffer.answers.then_some(&self.spools)
    }

    /// Why a request read under `bounds` is refused, if its own bounds are narrower.
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

    pub(crate) fn response_limits(&self) -> HeadLimits {
        HeadLimits { bytes: self.settings.upstream.limits.head_bytes, fields: RESPONSE_FIELDS }
    }
}

pub(crate) fn head_limits(client: &ClientSettings) -> HeadLimits {
    HeadLimits { bytes: client.head_bytes, fields: client.fields }
}

/// Number of fields in the head; in HTTP/1 `Host` is one, and kept apart.
fn lines(request: &Request, version: Version) -> usize {
    request.fields.len() + usize::from(version != Version::Http2 && !request.authority.is_empty())
}

/// Bytes of an HTTP/1 head besides method, target, host and fields: ` `, ` HTTP/1.1`, `Host: ` and line ends.
const AROUND: usize = 22;
/// Bytes of a field besides name and value.
const AROUND_FIELD: usize = 4;

/// More than any application sends.
const RESPONSE_FIELDS: usize = 256;

#[cfg(test)]
mod tests;
