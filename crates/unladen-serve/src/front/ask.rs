//! The cheap question: what a validator says of a page now.

use unladen_http1::Request;
use unladen_validator::{Question, Source};

use super::Call;
use super::inquiry::Known;

impl Call<'_> {
    /// Asks the first validator that is for this page. Its answer was given after this was called.
    pub(crate) async fn ask(&self, request: &Request) -> Known {
        for validator in &self.front.validators {
            let Some(parameters) = validator.pattern().read(&request.target) else { continue };
            let settings = validator.settings();
            if settings.source == Source::Head {
                return self.ask_head(request, settings.timeout, settings.stale).await;
            }
            return match validator.ask(self.context.thread, Question { parameters }).await {
                Ok(Some(version)) => Known::Version(version),
                Ok(None) => Known::Nothing,
                Err(_) => Known::Silent(settings.stale),
            };
        }
        Known::Nothing
    }
}
