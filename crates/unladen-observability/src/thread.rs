//! The principal type is [`ThreadSeeing`]: what one of the threads that carry requests sees.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;

use crate::RequestAccount;

use super::metrics::Shard;
use super::troubles::Trouble;
use crate::observability::{Observability, UpstreamIndex};

/// What one thread sees. It stays on its thread.
#[derive(Debug)]
pub struct ThreadSeeing {
    observability: Arc<Observability>,
    thread: usize,
    /// By upstream.
    shards: RefCell<Vec<Option<Arc<Shard>>>>,
    /// Its counters are for one thread.
    stays: PhantomData<Rc<()>>,
}

impl Observability {
    /// For the thread of this number, counted from 0. The same number continues the same counters: it is for one thread
    /// at a time.
    pub fn thread(self: &Arc<Self>, index: usize) -> ThreadSeeing {
        ThreadSeeing::new(Arc::clone(self), index)
    }
}

impl ThreadSeeing {
    pub(super) fn new(observability: Arc<Observability>, thread: usize) -> Self {
        Self { observability, thread, shards: RefCell::default(), stays: PhantomData }
    }

    /// A request began. It is in flight until [`Self::end`], which is to be called once for each call of this.
    pub fn begin(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::begin);
    }

    /// A request that began is over.
    pub fn end(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::end);
    }

    /// A client connected to a listener of this upstream.
    pub fn client_opened(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::client_opened);
    }

    /// A connection of a client was closed.
    pub fn client_closed(&self, upstream: UpstreamIndex) {
        self.count(upstream, Shard::client_closed);
    }

    /// A request is over, or what began as one was none: counts it; logs and traces it, if it is to be.
    pub fn observe(&self, record: &RequestAccount<'_>, upstream: UpstreamIndex) {
        self.count(upstream, |shard| shard.observe(record));
        self.trouble(record);
        self.observability.log.observe(record);
        self.observability.exporter.observe(record);
    }

    /// A site has asked the application for an answer that several may wait for, each of which is observed by itself:
    /// counts it as asked; traces it, if it is to be.
    pub fn fetched(&self, record: &RequestAccount<'_>, upstream: UpstreamIndex) {
        self.count(upstream, |shard| shard.fetched(record));
        self.trouble(record);
        self.observability.exporter.observe(record);
    }

    /// Something went wrong that is no request's.
    pub fn tell(&self, trouble: &Trouble<'_>) {
        self.observability.troubles.tell(trouble, b"");
    }

    /// A program has said this on standard error while it answered.
    pub fn said(&self, record: &RequestAccount<'_>, text: &str) {
        let place = record.endpoint.map(ToString::to_string);
        let trouble = Trouble { whom: record.upstream, place: place.as_deref(), reason: "stderr", cause: text };
        self.observability.troubles.tell(&trouble, record.request_id);
    }

    /// What went wrong at the upstream is told.
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
        // The first of this upstream on this thread.
        let Some(shard) = self.observability.shard(upstream, self.thread) else { return };
        count(&shard);
        let mut shards = self.shards.borrow_mut();
        if shards.len() <= upstream.0 {
            shards.resize(upstream.0 + 1, None);
        }
        shards[upstream.0] = Some(shard);
    }
}
