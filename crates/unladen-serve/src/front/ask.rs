//! The cheap question: what a validator says of a page now.

use unladen_http1::Request;
use unladen_validator::{Question, Source};

use super::Call;
use super::inquiry::Known;
use super::prepare::Who;
use crate::record::Reason;

impl Call<'_> {
    /// Asks the first validator that is for this page. Its answer was given after this was called.
    ///
    /// # Errors
    /// This client has as much under way as it may: the question costs the database something.
    pub(crate) async fn ask(&self, request: &Request, who: Who) -> Result<Known, Reason> {
        for validator in &self.front.validators {
            let Some(parameters) = validator.pattern().read(&request.target) else { continue };
            let _place = self.place(who)?;
            let settings = validator.settings();
            if settings.source == Source::Head {
                return Ok(self.ask_head(request, settings.timeout, settings.stale).await);
            }
            return Ok(match validator.ask(self.context.thread, Question { parameters }).await {
                Ok(Some(version)) => Known::Version(version),
                Ok(None) => Known::Nothing,
                Err(_) => Known::Silent(settings.stale),
            });
        }
        Ok(Known::Nothing)
    }
}
