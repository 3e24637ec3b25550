//! A request to an outbound: its upstream answers it.

use std::time::Instant;

use unladen_http1::Request;
use unladen_observability::End;

use super::arrival::Arrival;
use super::inbound_request::ClientSide;
use crate::context::Context;
use crate::limits::queue::QueueEntry;
use crate::proxy::Proxy;
use crate::transaction::Transaction;

pub(super) async fn respond(
    proxy: &Proxy,
    context: &Context,
    Arrival { index, version, began, now, .. }: Arrival,
    request: &Request,
    client_side: &mut ClientSide<'_, '_>,
) -> (End, Instant) {
    let (cache, client, fetched, queue_entry) = (None, None, None, QueueEntry::default());
    let transaction = Transaction {
        context,
        proxy,
        index,
        request,
        version,
        began,
        now,
        cache,
        client,
        port: None,
        script: None,
        fetched,
        queue_entry,
        endpoint: None,
    };
    let ClientSide { watch, body, client, response, up, id, .. } = client_side;
    transaction.run(watch, body, client, response, up, id).await
}
