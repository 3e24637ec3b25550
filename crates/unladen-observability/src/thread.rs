//! The principal type is [`ThreadSeeing`]: observability of one thread that carries requests.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::RequestAccount;

use super::metrics::Shard;
use super::troubles::Trouble;
use crate::observability::{Observability, UpstreamIndex};

/// Observability of one thread; it stays on its thread.
#[derive(Debug)]
pub struct ThreadSeeing {
    observability: Arc<Observability>,
    thread: usize,
    /// By upstream.
    shards: RefCell<Vec<Option<Arc<Shard>>>>,
    /// Not `Send`: its counters are for one thread.
    stays: PhantomData<Rc<()>>,
}

impl Observability {
    /// Handle for the thread of this index, from 0. The same index continues the same counters: one thread at a time
    /// may use it.
    pub fn thread(self: &Arc<Self>, index: usize) -> ThreadSeeing {
        ThreadSeeing::new(Arc::clone(self), index)
    }
}

impl ThreadSeeing {
    pub(super) fn new(observability: Arc<Observability>, thread: usize) -> Self {
        Self { observability, thread, shards: RefCell::default(), stays: PhantomData }
    }

    /// Counts a request as in flight until [`Self::end`], which is to be called once for each call of this.
    pub fn begin(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::begin);
    }

    /// Ends a request that began.
    pub fn end(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::end);
    }

    /// A client connected to a listener of this upstream.
    pub fn client_opened(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::client_opened);
    }

    /// A client's connection was closed.
    pub fn client_closed(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::client_closed);
    }

    /// Counts a completed request, or a beginning that was no request, and logs and traces it if selected.
    pub fn observe(&self, record: &RequestAccount<'_>, upstream: UpstreamIndex) {
        self.count(upstream, |shard| shard.observe(record));
        self.trouble(record);
        self.observability.log.observe(record);
        self.observability.exporter.observe(record);
    }

    /// Counts, and traces if selected, a fetch that a site made for several requests, each of which is observed by
    /// itself.
    pub fn fetched(&self, record: &RequestAccount<'_>, upstream: UpstreamIndex) {
        self.count(upstream, |shard| shard.fetched(record));
        self.trouble(record);
        self.observability.exporter.observe(record);
    }

    /// Reports a trouble that belongs to no request.
    pub fn tell(&self, trouble: &Trouble<'_>) {
        self.observability.troubles.tell(trouble, b"");
    }

    /// Reports what a program wrote to standard error during this request.
    pub fn said(&self, record: &RequestAccount<'_>, text: &str) {
        let place = record.endpoint.map(ToString::to_string);
        let trouble = Trouble { whom: record.upstream, place: place.as_deref(), reason: "stderr", cause: text };
        self.observability.troubles.tell(&trouble, record.request_id);
    }

    fn trouble(&self, record: &RequestAccount<'_>) {
        let Some(cause) = record.cause else { return };
        let place = cause.endpoint.as_ref().map(|endpoint| endpoint.address.to_string());
        let (whom, place, reason) = (record.upstream, place.as_deref(), cause.reason.as_str());
        let trouble = Trouble { whom, place, reason, cause: &cause.text };
        self.observability.troubles.tell(&trouble, record.request_id);
    }

    fn count(&self, upstream: UpstreamIndex, count: impl FnOnce(&Shard)) {
        if let Some(Some(shard)) = self.shards.borrow().get(upstream.0) {
            return count(shard);
        }
        // First use of this upstream on this thread.
        let Some(shard) = self.observability.shard(upstream, self.thread) else { return };
        count(&shard);
        let mut shards = self.shards.borrow_mut();
        if shards.len() <= upstream.0 {
            shards.resize(upstream.0 + 1, None);
        }
        shards[upstream.0] = Some(shard);
    }
}
