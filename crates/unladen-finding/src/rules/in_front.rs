//! Lines for `unladen serve`, by which it stands in front of the application: [`cure`].
//!
//! All rules go by these, so that their lines are the same for the same page, and are there once in one file for all.

use std::net::SocketAddr;
use std::path::Path;

use unladen_trace::{Evidence, QueryProtocol, QuerySeen};

use crate::again;
use crate::cure::Cure;

/// Where it is tried; then it takes the place of what clients call now. Nothing registered is near it, and it is none of the ports that
/// lines for `[[beside]]` have.
const LISTEN: &str = "127.0.0.1:17080";

/// The configuration, wherever the user keeps it.
pub(super) const FILE: &str = "unladen.toml";

/// The page behind it.
#[derive(Debug)]
struct Page<'a> {
    /// `http://127.0.0.1:8080`
    origin: &'a str,
    /// `/blood`
    path: &'a str,
    has_query: bool,
}

/// Lines for it, with the question whether the page has changed where a database is given. None: it has no place in front of this.
pub(super) fn cure(evidence: &Evidence, advice: &str, database: Option<&str>) -> Option<Cure> {
    let page = Page::of(&evidence.page.url)?;
    let mut lines = vec![
        "[[front]]".to_owned(),
        format!("listen = {}", again::toml_text(LISTEN)),
        format!("app = {}", again::toml_text(page.origin)),
    ];
    let mut advice = advice.to_owned();
    if let Some(database) = database {
        lines.push(String::new());
        lines.extend(page.validator(database));
        advice.push_str(
            ". Before each answer it asks the database whether the page has changed, so that none is old: write your own \
             database, user, table and columns in place of APP, PAGES, name and changed",
        );
        if page.has_query {
            advice.push_str(
                "; as a page whose address has a query is asked about by its path alone, by what changed last of all",
            );
        }
    }
    Some(Cure::advice(advice).lines(FILE, lines).command(format!("unladen serve --config {FILE}")))
}

/// The database that the page asks, as `[[front.validator]]` takes it, if that can ask it.
pub(super) fn database(evidence: &Evidence) -> Option<String> {
    evidence.queries.iter().find_map(url)
}

/// How to see that it works: the page straight, and through it.
pub(super) fn again(evidence: &Evidence) -> String {
    let url = &evidence.page.url;
    let Some(page) = Page::of(url) else { return again::weigh(evidence) };
    let rest = url.get(page.origin.len()..).unwrap_or_default();
    format!(
        "unladen prove --a {} --b {} --concurrency 8",
        again::word(url),
        again::word(&format!("http://{LISTEN}{}", if rest.is_empty() { "/" } else { rest }))
    )
}

fn url(seen: &QuerySeen) -> Option<String> {
    let at = seen.database.as_str();
    match seen.protocol {
        QueryProtocol::Postgres => match at.parse::<SocketAddr>() {
            Ok(address) => Some(format!("postgres://APP@{address}/APP")),
            Err(_) => {
                let (folder, port) = at.rsplit_once("/.s.PGSQL.")?;
                let port: u16 = port.parse().ok()?;
                is_plain(folder).then(|| format!("postgres:///APP?host={folder}&port={port}&user=APP"))
            }
        },
        QueryProtocol::Mysql => {
            let address: SocketAddr = at.parse().ok()?;
            Some(format!("mysql://APP@{address}/APP"))
        }
        _ => None,
    }
}

/// A path that needs no escaping in a URL.
fn is_plain(path: &str) -> bool {
    Path::new(path).is_absolute() && path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte))
}

// === impl Page ===

impl<'a> Page<'a> {
    fn of(url: &'a str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        if !matches!(scheme, "http" | "https") {
            return None;
        }
        let authority = rest.split(['/', '?', '#']).next().filter(|authority| !authority.is_empty())?;
        // Who would have to be told a password there is not known.
        if authority.contains('@') {
            return None;
        }
        let origin = url.get(..scheme.len() + 3 + authority.len())?;
        let target = rest.get(authority.len()..)?.split('#').next().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Some(Self { origin, path: if path.is_empty() { "/" } else { path }, has_query: !query.is_empty() })
    }

    fn validator(&self, database: &str) -> Vec<String> {
        let placeholder = if database.starts_with("postgres") { "$1" } else { "?" };
        let (pattern, query) = match self.pattern() {
            Some(pattern) => (pattern, format!("select changed from PAGES where name = {placeholder}")),
            None => ("/{page*}".to_owned(), "select max(changed) from PAGES".to_owned()),
        };
        let mut lines = vec![
            "[[front.validator]]".to_owned(),
            format!("path = {}", again::toml_text(&pattern)),
            format!("database = {}", again::toml_text(database)),
            format!("query = {}", again::toml_text(&query)),
        ];
        if self.pattern().is_none() {
            lines.push("parameters = []".to_owned());
        }
        lines
    }

    /// The path with its last segment as what tells the page from others: `/{page}` of `/blood`. None: it does not tell.
    fn pattern(&self) -> Option<String> {
        let (folder, last) = self.path.rsplit_once('/')?;
        let is_literal = folder.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"/._-~%".contains(&byte))
            && !folder.ends_with('/')
            && !folder.contains("//")
            && !folder.split('/').any(|part| matches!(part, "." | ".."));
        (!self.has_query && !last.is_empty() && is_literal).then(|| format!("{folder}/{{page}}"))
    }
}

#[cfg(test)]
mod tests;
