//! Cookies that matter, and those that do not (RFC 6265).

use unladen_http1::Fields;

use crate::Policy;

/// A name, or with `*` at its end how names begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CookiePattern(pub String);

impl CookiePattern {
    pub fn matches(&self, name: &[u8]) -> bool {
        todo!()
    }
}

impl Policy {
    /// Whether a request has cookies that are not ignored.
    pub fn has_cookies(&self, fields: &Fields) -> bool {
        todo!()
    }

    /// The value of `Cookie` without those that are ignored; none: nothing is left. For a request that goes on to the application.
    pub fn cookies_left(&self, fields: &Fields) -> Option<Vec<u8>> {
        todo!()
    }
}
