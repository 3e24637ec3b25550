//! [`with_one_host`]: a PostgreSQL URL in standard form.

use std::borrow::Cow;

/// A PostgreSQL URL with the first of its hosts, and the hosts as written. libpq's URLs may name several
/// (`postgres://a:5432,b:5432/shop`), or none beside a user (`postgres://me@/shop?host=/run`, where the user is left
/// out, too): neither is a URL of RFC 3986. All others are returned unchanged, without hosts.
pub fn with_one_host(url: &str) -> (Cow<'_, str>, Option<&str>) {
    let as_it_is = (Cow::Borrowed(url), None);
    let Some((scheme, rest)) = url.split_once("://") else { return as_it_is };
    if !matches!(scheme, "postgres" | "postgresql") {
        return as_it_is;
    }
    let (authority, after) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let (user, hosts) = authority.rsplit_once('@').map_or((None, authority), |(user, hosts)| (Some(user), hosts));
    match (user, hosts.split_once(',')) {
        (Some(_), None) if hosts.is_empty() => (Cow::Owned(format!("{scheme}://{after}")), Some(hosts)),
        (None, Some((first, _))) => (Cow::Owned(format!("{scheme}://{first}{after}")), Some(hosts)),
        (Some(user), Some((first, _))) => (Cow::Owned(format!("{scheme}://{user}@{first}{after}")), Some(hosts)),
        _ => as_it_is,
    }
}

#[cfg(test)]
mod tests;
