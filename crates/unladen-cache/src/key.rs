//! [`write_key`]: what a stored response is found by.

use unladen_http1::Request;

use crate::Policy;

/// Appends the key of a GET for the request's target: scheme, host in lower case without a default port, path and query as the
/// application sees them, but for the parameters that are ignored. Two requests that the application could tell apart by their
/// target have two keys.
pub fn write_key(request: &Request, is_https: bool, policy: &Policy, out: &mut Vec<u8>) {
    todo!()
}
