//! [`fetch`]: asks the application for what several may wait for. It goes on when the first asker has left.

use std::borrow::Cow;
use std::rc::Rc;
use std::time::Instant;

use unladen_cache::{FetchWriter, Policy, make_conditional};
use unladen_http1::{Length, Name, Request};
use unladen_observability::UpstreamIndex;

use super::peers::ask_peers;
use crate::cache::News;
use crate::cache::cache_fetch::CacheFetch;
use crate::cache::fetch_plan::FetchPlan;
use crate::context::Context;
use crate::limits::crowd::CrowdPermit;
use crate::limits::queue::{Flow, QueueEntry};
use crate::message::downstream::{Downstream, Internal};
use crate::request::Fetched;
use crate::transaction::Transaction;

/// Reduces a request to what its cache key depends on: what must not split the cache must not change the answer either.
pub(crate) fn leave_what_tells_apart(request: &mut Request, policy: &Policy) {
    // FastCGI programs are told the version, and how long no body is.
    request.minor = 1;
    request.length = Length::None;
    // About one client's message rather than about the page.
    request.fields.retain(|field| !matches!(field.id, Name::ContentLength | Name::Expect | Name::Te | Name::Upgrade));
    policy.set_language(&mut request.fields);
    let left = policy.cookies_left(&request.fields);
    request.fields.retain(|field| !field.name.eq_ignore_ascii_case(b"cookie"));
    if let Some(left) = left {
        request.fields.push(b"cookie", &left);
    }
    if let Cow::Owned(target) = policy.target_left(&request.target) {
        request.target = target;
    }
}

/// Asks on this thread. `join`: key for others to wait for it; `flow`: in whose turn it is sent.
pub(crate) fn fetch(
    context: &Rc<Context>,
    index: UpstreamIndex,
    mut wanted: FetchPlan,
    writer: FetchWriter<News>,
    place: Option<CrowdPermit>,
    fetched: Rc<Fetched>,
    (flow, join): (Flow, Vec<u8>),
) {
    let context = context.clone();
    tokio::task::spawn_local(Box::pin(async move {
        let (site, proxy) = (wanted.site.clone(), wanted.proxy.clone());
        let script = wanted.script.clone();
        let mut request = wanted.request.clone();
        match &wanted.stored {
            Some(stored) => make_conditional(&mut request.fields, &stored.validators),
            None => make_conditional(&mut request.fields, &unladen_cache::Validators::default()),
        }
        if let Some(cache) = &site.cache {
            leave_what_tells_apart(&mut request, &cache.policy);
        }
        let peers = wanted.peers.take();
        let mut fetch = Box::new(CacheFetch::new(wanted, writer));
        if let Some(peers) = peers {
            match ask_peers(&context, peers, fetch, &request, index, &fetched).await {
                Some(back) => fetch = back,
                None => return,
            }
        }
        let mut client = Downstream::Internal(Internal::Fetch(fetch));
        let transaction = Transaction {
            script,
            fetched: Some(fetched),
            queue_entry: QueueEntry { flow, shared: Some(&join), is_question: false },
            ..Transaction::new(&context, &proxy, index, &request, Instant::now())
        };
        transaction.run_for(&mut client).await;
        drop(place);
    }));
}
