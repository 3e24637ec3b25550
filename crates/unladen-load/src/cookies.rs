//! [`sent_back`]: the cookies that a browser would send after an answer.

use http::header::{self, HeaderMap};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetCookie {
    /// `name=value`
    pub(crate) pair: String,
    /// Path prefix that it is for: its attribute, else from the request's path (RFC 6265, sections 5.1.4 and 5.2.4).
    pub(crate) path: String,
    pub(crate) is_gone: bool,
}

/// Cookies that an answer to a request of this path sets or deletes. Of one that is named twice, the last counts.
///
/// Domain and `Secure` are ignored: cookies return only to the origin that set them, which may be behind a proxy that
/// does TLS.
pub(crate) fn sent_back(headers: &HeaderMap, path: &str) -> Vec<SetCookie> {
    let mut all: Vec<SetCookie> = Vec::new();
    for value in headers.get_all(header::SET_COOKIE) {
        let Ok(text) = value.to_str() else { continue };
        let mut parts = text.split(';').map(str::trim);
        let Some(pair) = parts.next().filter(|pair| !name_of(pair).is_empty()) else { continue };
        let attributes: Vec<&str> = parts.collect();
        let told = attributes.iter().rev().find_map(|attribute| value_of(attribute, "path"));
        let folder = told.filter(|told| told.starts_with('/')).unwrap_or_else(|| folder_of(path));
        let set = SetCookie {
            pair: pair.to_owned(),
            path: folder.to_owned(),
            is_gone: attributes.iter().any(|attribute| takes_away(attribute)),
        };
        all.retain(|other| name_of(&other.pair) != name_of(pair) || other.path != set.path);
        all.push(set);
    }
    all
}

/// The pairs `name=value` of cookies that this answer sets, whatever their path: the same page is requested again.
pub(crate) fn pairs(headers: &HeaderMap) -> Vec<String> {
    let mut pairs: Vec<String> = Vec::new();
    for set in sent_back(headers, "/") {
        pairs.retain(|other| name_of(other) != name_of(&set.pair));
        if !set.is_gone {
            pairs.push(set.pair);
        }
    }
    pairs
}

/// Whether a cookie of this path prefix is for that path (RFC 6265, section 5.1.4).
pub(crate) fn is_for(folder: &str, path: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || folder.ends_with('/') || rest.starts_with('/'))
}

pub(crate) fn set_by(headers: &HeaderMap) -> Vec<&str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    lines.flat_map(|line| line.split(';')).map(str::trim).filter(|pair| !pair.is_empty()).collect()
}

/// Header `Cookie` with these pairs added; they replace those of the same name.
pub(crate) fn joined(own: &HeaderMap, added: &[String]) -> String {
    let kept = set_by(own).into_iter().filter(|pair| !added.iter().any(|other| name_of(other) == name_of(pair)));
    kept.chain(added.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
}

pub(crate) fn name_of(pair: &str) -> &str {
    pair.split_once('=').map_or("", |(name, _)| name.trim())
}

/// Directory of a path, without the slash at its end.
fn folder_of(path: &str) -> &str {
    match path.rfind('/') {
        Some(end) if end > 0 => path.get(..end).unwrap_or("/"),
        _ => "/",
    }
}

fn value_of<'a>(attribute: &'a str, name: &str) -> Option<&'a str> {
    let (own, value) = attribute.split_once('=')?;
    own.trim().eq_ignore_ascii_case(name).then(|| value.trim())
}

/// Whether this attribute deletes the cookie. Applications that use `Expires` for that set the epoch, or nearly.
fn takes_away(attribute: &str) -> bool {
    let Some((name, value)) = attribute.split_once('=') else { return false };
    let (name, value) = (name.trim(), value.trim());
    if name.eq_ignore_ascii_case("max-age") {
        return value.parse::<i64>().is_ok_and(|seconds| seconds <= 0);
    }
    name.eq_ignore_ascii_case("expires") && value.split([' ', '-']).any(|word| word == "1970")
}

#[cfg(test)]
mod tests;
