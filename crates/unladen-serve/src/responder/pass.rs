//! [`InboundRequest::pass`]: passes a request to the application, and its answer to this client alone.

use std::rc::Rc;
use std::time::Duration;

use unladen_cache::{Accepted, Forwarded};
use unladen_http1::{Length, Request};
use unladen_observability::{CacheResult, Reason};

use super::admit::InboundRequest;
use crate::cache::coded::{is_not_to_be_transformed, joined};
use crate::cache::response_policy::{Lifting, ResponsePolicy, copy_of, is_unsafe};
use crate::limits::crowd::{CrowdPermit, What};
use crate::limits::queue::QueueEntry;
use crate::message::downstream::ClientSide;
use crate::request::Finished;
use crate::transaction::Transaction;

impl InboundRequest<'_> {
    /// `forwarded` and `why`: for `Cache-Status`.
    pub(super) async fn pass(
        &self,
        request: &Request,
        to: &mut ClientSide<'_, '_>,
        (forwarded, why): (Option<Forwarded>, &'static str),
        lifting: Option<Lifting>,
    ) -> Finished {
        if self.is_for_peer() {
            return self.refuse_peer(request, to, false).await;
        }
        if self.is_looped.get() {
            return self.send_local_reply(request, to, Reason::LoopDetected, None).await;
        }
        let places = self.upload(request, to).and_then(|upload| Ok((upload, self.go()?)));
        let _places = match places {
            Ok(places) => places,
            Err((reason, after)) => return self.send_local_reply(request, to, reason, after).await,
        };
        let who = self.who.get();
        let policy = ResponsePolicy {
            site: self.site.clone(),
            is_https: who.is_https,
            forwarded,
            why,
            lifting,
            unsafe_request: is_unsafe(request).then(|| copy_of(request)),
            is_done: false.into(),
        };
        to.client.set_policy(Rc::new(policy));
        self.compress(request, to);
        let transaction = Transaction {
            version: self.version,
            now: self.now,
            cache: Some((CacheResult::Pass, why)),
            client: who.address,
            port: self.peer.port.filter(|_| who.address == self.peer.address),
            script: self.script.borrow().clone(),
            queue_entry: QueueEntry { flow: self.flow(request), ..QueueEntry::default() },
            ..Transaction::new(self.context, self.proxy, self.index, request, self.began)
        };
        transaction.run(to).await
    }

    /// Compresses the answer on its way, if allowed, also by the client (RFC 9111, section 5.2.1.6).
    pub(super) fn compress(&self, request: &Request, to: &mut ClientSide<'_, '_>) {
        if self.site.settings.compress && !self.is_for_peer() && !is_not_to_be_transformed(&request.fields) {
            to.client.set_codings(Accepted::of(joined(&request.fields, b"accept-encoding").as_deref()));
        }
    }

    /// Takes a place among its client's uploads, unless the body came with the head.
    fn upload(
        &self,
        request: &Request,
        to: &ClientSide<'_, '_>,
    ) -> Result<Option<CrowdPermit>, (Reason, Option<Duration>)> {
        let Some(address) = self.who.get().address else { return Ok(None) };
        if matches!(request.length, Length::None | Length::Exact(0)) || to.body.holds(request.length) {
            return Ok(None);
        }
        let place = self.site.crowd.enter(address, What::Uploads);
        place.map(Some).ok_or((Reason::TooManyUploads, None))
    }
}
