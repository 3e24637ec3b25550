//! Clients' connections, HTTP/1 and HTTP/2: reads requests, answers them, and logs them.

pub(crate) mod h1;
pub(crate) mod h2;

use std::pin::pin;
use std::time::Instant;

use unladen_http1::Response;
use unladen_observability::{End, Reason, RequestAccount, Version};

use crate::context::Context;
use crate::message::compose;
use crate::message::downstream::{Downstream, ResponseOptions};
use crate::proxy::Proxy;
use crate::request::watch::{Deadline, Watch};
use crate::responder::Slot;
use crate::site::trust::Peer;

/// The answer to something that is no valid request.
#[derive(Debug)]
struct Refusal {
    reason: Reason,
    version: Version,
    began: Instant,
}

impl Refusal {
    async fn send(
        &self,
        (client, response): (&mut Downstream<'_>, &mut Response),
        (watch, deadline): (&mut Watch, &Deadline),
        peer: &Peer,
        proxy: &Proxy,
        (context, slot): (&Context, &Slot),
    ) {
        let words = compose::local(response, self.reason, None);
        let options = ResponseOptions { via: proxy.settings.via, ..ResponseOptions::default() };
        let answered = watch.over(deadline, pin!(client.answer(response, &words, options))).await;
        let end = if answered == Some(Ok(())) { End::Local(self.reason) } else { End::ClientGone };
        let (upstream, took) = (&proxy.upstream.settings().name, self.began.elapsed());
        let record = RequestAccount {
            head: took,
            bytes_out: words.len() as u64,
            client: peer.address,
            client_version: self.version,
            ..RequestAccount::unasked(upstream, self.reason.status(), end, self.began, took)
        };
        let index = slot.index.get();
        context.observability.begin(index);
        context.observability.observe(&record, index);
        context.observability.end(index);
    }
}
