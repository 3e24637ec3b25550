//! Asks the application about a page with HEAD: [`HeadAnswer`].

use std::pin::pin;
use std::time::{Duration, Instant};

use unladen_cache::make_conditional;
use unladen_http1::{Length, Name, Request, Response};
use unladen_observability::Version;

use super::fetch::leave_what_tells_apart;
use super::inbound_request::InboundRequest;
use crate::cache::cache_lookup::ValidatorAnswer;
use crate::cache::head_answer::{HeadAnswer, Said};
use crate::limits::queue::QueueEntry;
use crate::message::downstream::{Downstream, Internal};
use crate::message::stream::BodySource;
use crate::request::watch::{Deadline, Watch};
use crate::transaction::Transaction;

impl InboundRequest<'_> {
    /// Asks anew each time: only a question sent after the request came will do.
    pub(crate) async fn ask_head(
        &self,
        request: &Request,
        within: Duration,
        stale: Option<Duration>,
    ) -> ValidatorAnswer {
        let mut request = Request { method: b"HEAD".to_vec(), length: Length::None, ..request.clone() };
        make_conditional(&mut request.fields, &unladen_cache::Validators::default());
        request.fields.remove(Name::Upgrade);
        // The answer is compared with what is stored, so it is asked under the same conditions.
        if let Some(cache) = &self.site.cache {
            leave_what_tells_apart(&mut request, &cache.policy);
        }
        let began = Instant::now();
        let mut client =
            Downstream::Internal(Internal::HeadCheck(HeadAnswer { address: self.peer.address, said: None }));
        let transaction = Transaction {
            context: self.context,
            proxy: self.proxy,
            index: self.index,
            request: &request,
            version: Version::Http11,
            began,
            now: began,
            cache: None,
            client: None,
            port: None,
            script: self.script.borrow().clone(),
            fetched: None,
            queue_entry: QueueEntry { is_question: true, ..QueueEntry::default() },
            endpoint: None,
        };
        let (mut response, mut up, mut id) = (Response::default(), Vec::new(), Vec::new());
        let (mut watch, mut own_watch) = (Watch::new(), Watch::new());
        let deadline = Deadline::new(began, within, None);
        let mut none = BodySource::Empty;
        let asking = transaction.run(&mut own_watch, &mut none, &mut client, &mut response, &mut up, &mut id);
        let _ = watch.over(&deadline, pin!(asking)).await;
        let Downstream::Internal(Internal::HeadCheck(HeadAnswer { said, .. })) = client else {
            return ValidatorAnswer::Silent(stale);
        };
        match said {
            Some(Said::Version(version)) => ValidatorAnswer::Version(version),
            Some(Said::Nothing) => ValidatorAnswer::Nothing,
            Some(Said::Failure) | None => ValidatorAnswer::Silent(stale),
        }
    }
}
