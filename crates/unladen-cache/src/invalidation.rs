//! Which stored responses an unsafe request invalidates (RFC 9111, section 4.4; RFC 9875).

mod reference;

use sfv::{BareItem, List, ListEntry, Parser};
use unladen_http1::{Fields, Request, Response};

use crate::text::lines;

/// Whether a response invalidates what is stored for its target: any method that is not known to be safe, and a status
/// that is no error.
pub fn invalidates(method: &[u8], status: u16) -> bool {
    !matches!(method, b"GET" | b"HEAD" | b"OPTIONS" | b"TRACE") && matches!(status, 200..=399)
}

/// Further targets (path and query) of the same origin that it invalidates: `Location`, `Content-Location`.
pub fn targets(request: &Request, response: &Response, is_https: bool) -> Vec<Vec<u8>> {
    let fields = &response.fields;
    let references = lines(fields, b"location").chain(lines(fields, b"content-location"));
    references.filter_map(|reference| reference::resolve(reference, request, is_https)).collect()
}

/// `Cache-Group-Invalidation`: groups of the same origin. It counts only in responses to unsafe methods (RFC 9875,
/// section 3). A field that is no list of strings is ignored.
pub fn group_invalidations(fields: &Fields) -> Vec<Box<str>> {
    let mut joined = Vec::new();
    for line in lines(fields, b"cache-group-invalidation") {
        if !joined.is_empty() {
            joined.extend_from_slice(b", ");
        }
        joined.extend_from_slice(line);
    }
    let Ok(list) = Parser::new(&joined).parse::<List>() else { return Vec::new() };
    let group = |entry: &ListEntry| match entry {
        ListEntry::Item(item) => match &item.bare_item {
            BareItem::String(group) => Some(Box::from(group.as_str())),
            _ => None,
        },
        ListEntry::InnerList(_) => None,
    };
    list.iter().map(group).collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests;
