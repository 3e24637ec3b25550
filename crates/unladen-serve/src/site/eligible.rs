//! [`eligible`]: whether a request may be answered from memory at all.

use unladen_cache::{Forwarded, RequestControl};
use unladen_http1::{Length, Name, Request};

use super::prepare::Who;

/// The request's cache directives, if it may be answered from memory; else why it goes past the cache.
pub(crate) fn eligible(request: &Request, who: Who) -> Result<RequestControl, (Forwarded, &'static str)> {
    let is_plain = matches!(&*request.method, b"GET" | b"HEAD")
        && matches!(request.length, Length::None | Length::Exact(0))
        && request.fields.get(Name::Upgrade).is_none();
    if !is_plain {
        return Err((Forwarded::Method, ""));
    }
    if who.is_disguised {
        return Err((Forwarded::Bypass, "disguised"));
    }
    let control = RequestControl::of(&request.fields);
    if control.no_store {
        return Err((Forwarded::Request, "request-no-store"));
    }
    Ok(control)
}
