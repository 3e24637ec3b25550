//! [`uncacheable_key`]: key under which it is remembered that an answer was not kept.

use std::borrow::Cow;

use unladen_http1::Request;

/// A resource's key and who asks: that one user's page is not kept must not keep others' pages from being kept for as
/// long as that is remembered. `has_cookies`: the request has cookies that matter.
pub(crate) fn uncacheable_key<'k>(key: &'k [u8], request: &Request, has_cookies: bool) -> Cow<'k, [u8]> {
    let mut personal = Cow::Borrowed(key);
    for field in request.fields.iter() {
        let is = |name: &[u8]| field.name.eq_ignore_ascii_case(name);
        if is(b"authorization") || (has_cookies && is(b"cookie")) {
            let personal = personal.to_mut();
            // Occurs in no target and no value.
            personal.push(0);
            personal.extend_from_slice(field.value);
        }
    }
    personal
}

#[cfg(test)]
mod tests;
