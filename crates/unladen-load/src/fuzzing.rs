//! Access to internal parsers for fuzz/; no part of the crate's interface.

use http::header::{self, HeaderMap, HeaderValue};

use crate::jar::Jar;
use crate::request::Request;

/// Cookies that a user sends with each of these requests, each answered with these lines of `Set-Cookie`, and those
/// then sent to another origin.
pub fn cookies(requests: &[Request], answers: &[Vec<&[u8]>]) -> (Vec<Option<HeaderValue>>, Option<HeaderValue>) {
    const OWN: usize = 0;
    const OTHER: usize = 1;
    let mut jar = Jar::default();
    for (request, lines) in requests.iter().zip(answers) {
        let lines = lines.iter().filter_map(|line| HeaderValue::from_bytes(line).ok());
        let answer: HeaderMap = lines.map(|line| (header::SET_COOKIE, line)).collect();
        jar.keep(OWN, request, &answer);
    }
    let mut index = 0;
    let mut sent = |origin: usize, request: &Request| {
        index += 1;
        jar.dress(index, origin, request)?.headers().get(header::COOKIE).cloned()
    };
    let own = requests.iter().map(|request| sent(OWN, request)).collect();
    (own, requests.first().and_then(|request| sent(OTHER, request)))
}
