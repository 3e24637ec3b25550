//! [`uncacheable_key`]: by what it is remembered that an answer was not kept.

use std::borrow::Cow;

use unladen_http1::Request;

/// A resource's key, and what tells who asks: that one user's page is not kept says nothing of the page that others
/// get, which would otherwise not be kept either for as long as that is remembered. `has_cookies`: the request has
/// cookies that matter.
pub(crate) fn uncacheable_key<'k>(key: &'k [u8], request: &Request, has_cookies: bool) -> Cow<'k, [u8]> {
    let mut personal = Cow::Borrowed(key);
    for field in request.fields.iter() {
        let is = |name: &[u8]| field.name.eq_ignore_ascii_case(name);
        if is(b"authorization") || (has_cookies && is(b"cookie")) {
            let personal = personal.to_mut();
            // No byte of a target or a value.
            personal.push(0);
            personal.extend_from_slice(field.value);
        }
    }
    personal
}

#[cfg(test)]
mod tests;
