//! Validation of a stored response, and its result (RFC 9111, sections 4.3 and 3.2).

use unladen_http1::{Field, Fields, Name};

use crate::Validators;
use crate::storable::Listed;

/// Conditional fields of requests, and ranges.
const CONDITIONS: [&[u8]; 6] =
    [b"if-match", b"if-none-match", b"if-modified-since", b"if-unmodified-since", b"if-range", b"range"];

/// Makes a request ask about a stored response: the client's own conditions and ranges are removed. Without validators
/// it asks for a whole new response.
pub fn make_conditional(fields: &mut Fields, validators: &Validators) {
    fields.retain(|field| !CONDITIONS.iter().any(|condition| field.name.eq_ignore_ascii_case(condition)));
    if let Some(etag) = &validators.etag {
        fields.push(b"If-None-Match", etag);
    }
    if let Some(modified) = validators.modified {
        fields.push(b"If-Modified-Since", modified.http_date().as_bytes());
    }
}

/// A stored response's fields after a 304 with these (RFC 9111, section 3.2). Compute freshness before they are
/// [`kept`](crate::kept): an `Age` is the 304's; and `Date` is missing if the 304 had none, since the stored one would
/// make it as old as before.
pub fn update(stored: &Fields, by: &Fields) -> Fields {
    let listed = Listed::of(by);
    let mut updated = Fields::default();
    let mut new: Vec<&[u8]> = Vec::with_capacity(by.len());
    new.extend(by.iter().filter(|field| is_updated(&listed, *field)).map(|field| field.name));
    for field in stored.iter() {
        let is_replaced = field.id == Name::Date
            || field.name.eq_ignore_ascii_case(b"age")
            || new.iter().any(|name| field.name.eq_ignore_ascii_case(name));
        if !is_replaced {
            updated.push(field.name, field.value);
        }
    }
    for field in by.iter().filter(|field| is_updated(&listed, *field)) {
        updated.push(field.name, field.value);
    }
    updated
}

/// False for fields of a connection and for those that describe the stored body, which an answer without body does not
/// change. The tag stays, too: a later tag could belong to another body made within the same second.
fn is_updated(listed: &Listed<'_>, field: Field<'_>) -> bool {
    const OF_BODY: [&[u8]; 6] =
        [b"content-length", b"content-encoding", b"content-range", b"content-md5", b"etag", b"set-cookie"];
    !listed.is_of_connection(field) && !OF_BODY.iter().any(|of_body| field.name.eq_ignore_ascii_case(of_body))
}

#[cfg(test)]
mod tests;
