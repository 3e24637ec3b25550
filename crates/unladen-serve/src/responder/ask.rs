//! [`InboundRequest::ask`]: asks a validator for a page's current version.

use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use unladen_cache::{Time, make_conditional};
use unladen_http1::Request;
use unladen_observability::Reason;
use unladen_validator::{Parameters, Question, SETTLES_WITHIN, Validator, ValidatorSource, is_settling};

use super::admit::InboundRequest;
use super::fetch::leave_what_tells_apart;
use crate::cache::cache_lookup::{HeadCheck, ValidatorAnswer};
use crate::limits::queue::QueueEntry;
use crate::message::downstream::{Downstream, Internal};
use crate::request::watch::{Deadline, Watch};
use crate::site::Site;
use crate::transaction::Transaction;

impl InboundRequest<'_> {
    /// Asks the first validator for this page. The answer is newer than the call, unless the validator is configured to
    /// vouch for an earlier one.
    ///
    /// # Errors
    /// If this client has as much under way as it may: the question costs the database something.
    pub(crate) async fn ask(&self, request: &Request) -> Result<ValidatorAnswer, Reason> {
        let Some((_, validator, parameters)) = self.site.validators_for(&request.target).next() else {
            return Ok(ValidatorAnswer::Nothing);
        };
        let question = Question { parameters };
        let is_author = self.who.get().is_author;
        if is_author {
            validator.bypass();
        } else if let Some(version) = validator.remembered(self.context.thread, &question, self.now) {
            return Ok(version.map_or(ValidatorAnswer::Nothing, |version| settled(ValidatorAnswer::Version(version))));
        }
        let _place = self.place()?;
        let settings = validator.settings();
        if settings.source == ValidatorSource::Head {
            let answer = self.ask_head(request, settings.timeout).await;
            return Ok(settled(answer.unwrap_or(ValidatorAnswer::Silent(settings.stale))));
        }
        let answer = match is_author {
            true => validator.ask(self.context.thread, question).await,
            false => validator.ask_or_share(self.context.thread, question).await,
        };
        Ok(match answer {
            Ok(Some(version)) => settled(ValidatorAnswer::Version(version)),
            Ok(None) => ValidatorAnswer::Nothing,
            Err(_) => ValidatorAnswer::Silent(settings.stale),
        })
    }

    /// Asks the application about the page with HEAD, anew each time: only a question sent after the request came will
    /// do. `None` if it has no answer.
    async fn ask_head(&self, request: &Request, within: Duration) -> Option<ValidatorAnswer> {
        let mut request = Request { method: b"HEAD".to_vec(), ..request.clone() };
        make_conditional(&mut request.fields, &unladen_cache::Validators::default());
        // The answer is compared with what is stored, so it is asked under the same conditions.
        if let Some(cache) = &self.site.cache {
            leave_what_tells_apart(&mut request, &cache.policy);
        }
        let began = Instant::now();
        let check = HeadCheck { address: self.peer.address, answer: None };
        let mut client = Downstream::Internal(Internal::HeadCheck(check));
        let transaction = Transaction {
            script: self.script.borrow().clone(),
            queue_entry: QueueEntry { is_question: true, ..QueueEntry::default() },
            ..Transaction::new(self.context, self.proxy, self.index, &request, began)
        };
        let deadline = Deadline::new(began, within, None);
        let _ = Watch::new().over(&deadline, pin!(transaction.run_for(&mut client))).await;
        match client {
            Downstream::Internal(Internal::HeadCheck(check)) => check.answer,
            _ => None,
        }
    }
}

impl Site {
    /// The validators for a target, their places, and the path's values; the first is asked.
    pub(crate) fn validators_for<'f>(
        &'f self,
        target: &'f [u8],
    ) -> impl Iterator<Item = (usize, &'f Arc<Validator>, Parameters)> + 'f {
        self.validators.iter().enumerate().filter_map(move |(index, validator)| {
            let parameters = validator.pattern().read(target)?;
            // A full path in the settings is meant, whatever its effects.
            let is_for_many = !validator.pattern().names().is_empty();
            (!is_for_many || self.effects.of(target).is_none()).then_some((index, validator, parameters))
        })
    }
}

/// A label that another change could still get proves nothing.
fn settled(known: ValidatorAnswer) -> ValidatorAnswer {
    let ValidatorAnswer::Version(label) = &known else { return known };
    let now = Time::now();
    // From HEAD, it may be `Last-Modified`.
    let is_young_date = Time::parse(label).is_some_and(|date| now.since(date) < SETTLES_WITHIN);
    let is_young = is_young_date || is_settling(label, u64::try_from(now.0 / 1000).unwrap_or(0));
    match known {
        ValidatorAnswer::Version(label) if is_young => ValidatorAnswer::Settling(label),
        known => known,
    }
}
