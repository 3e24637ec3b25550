//! [`sent_back`]: the cookies that a browser would send after an answer.

use http::header::{self, HeaderMap};

/// The pairs `name=value` that this answer sets, without those that it takes away. One that is set twice counts as set last.
///
/// Domain, path and `Secure` are not looked at: the same page is asked for, perhaps behind a proxy that does TLS.
pub(crate) fn sent_back(headers: &HeaderMap) -> Vec<String> {
    let mut pairs: Vec<String> = Vec::new();
    for value in headers.get_all(header::SET_COOKIE) {
        let Ok(text) = value.to_str() else { continue };
        let mut parts = text.split(';').map(str::trim);
        let Some(pair) = parts.next().filter(|pair| !name_of(pair).is_empty()) else { continue };
        pairs.retain(|other| name_of(other) != name_of(pair));
        if !parts.any(takes_away) {
            pairs.push(pair.to_owned());
        }
    }
    pairs
}

/// The header `Cookie` of a request that has some, with these in addition and in place of those of their names.
pub(crate) fn joined(own: &HeaderMap, added: &[String]) -> String {
    let own = own.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let own = own.flat_map(|line| line.split(';')).map(str::trim).filter(|pair| !pair.is_empty());
    let kept = own.filter(|pair| !added.iter().any(|other| name_of(other) == name_of(pair)));
    kept.chain(added.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
}

/// `sid` of `sid=4711`; nothing of what has no name.
pub(crate) fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or("", |(name, _)| name.trim())
}

/// Whether this attribute says that the cookie is to be forgotten. Applications that use `Expires` for that take the
/// beginning of time, or nearly.
fn takes_away(attribute: &str) -> bool {
    let Some((name, value)) = attribute.split_once('=') else { return false };
    let (name, value) = (name.trim(), value.trim());
    if name.eq_ignore_ascii_case("max-age") {
        return value.parse::<i64>().is_ok_and(|seconds| seconds <= 0);
    }
    name.eq_ignore_ascii_case("expires") && value.split([' ', '-']).any(|word| word == "1970")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, lines: &[&str]) -> HeaderMap {
        lines.iter().map(|line| (name.clone(), line.parse().unwrap())).collect()
    }

    #[test]
    fn sends_back_what_is_set_and_not_what_is_taken_away() {
        let set = headers(
            header::SET_COOKIE,
            &[
                "sid=4711; path=/; HttpOnly",
                "theme=a",
                "gone=deleted; expires=Thu, 01-Jan-1970 00:00:01 GMT; Max-Age=0",
                "old=1; Max-Age=0",
                "theme=b=c; Max-Age=60",
                "noname",
            ],
        );
        assert_eq!(sent_back(&set), ["sid=4711", "theme=b=c"]);
    }

    #[test]
    fn the_users_own_cookies_stay() {
        let own = headers(header::COOKIE, &["a=1; sid=0", "b=2"]);
        assert_eq!(joined(&own, &["sid=4711".to_owned()]), "a=1; b=2; sid=4711");
        assert_eq!(joined(&HeaderMap::new(), &["sid=4711".to_owned()]), "sid=4711");
    }
}
