//! The principal type is [`Database`]: the database of a URL.

use std::path::PathBuf;

use unladen_postgres::with_one_host;
use unladen_toml::{Bad, Value, nearest};
use unladen_validator::ValidatorSource;
use url::Url;

use super::explain::Shown;
use super::reading::Reading;

const FORM: &str =
    "a URL such as \"postgres://user@db.example/name\", \"mysql://user@127.0.0.1/name\" or \"sqlite:pages.db\"";
const SCHEMES: [&str; 5] = ["postgres", "postgresql", "mysql", "mariadb", "sqlite"];

#[derive(Clone, Debug)]
pub(super) enum Database {
    Postgres(String),
    MySql(String),
    Sqlite(PathBuf),
}

/// Reads a URL. Whether the server accepts it is not checked.
pub(super) fn read(value: &Value<'_>, r: &Reading<'_>) -> Result<Database, Bad> {
    let text = value.one_line()?;
    if let Some(path) = text.strip_prefix("sqlite:") {
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() || path.contains('?') || path == ":memory:" {
            return Err(value.refuse(format!("`{text}`"), "a file after `sqlite:`, such as \"sqlite:pages.db\""));
        }
        return Ok(Database::Sqlite(r.path(path)));
    }
    // A URL with a password is not repeated in messages.
    let Some((scheme, rest)) = text.split_once("://") else { return Err(value.refuse("not a URL", FORM)) };
    let database = match scheme {
        "postgres" | "postgresql" => Database::Postgres(text.to_owned()),
        "mysql" => Database::MySql(text.to_owned()),
        // The same protocol, and the driver knows only this name.
        "mariadb" => Database::MySql(format!("mysql://{rest}")),
        _ => {
            let meant = match nearest(scheme, &SCHEMES) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => "expected `postgres`, `mysql` (also for MariaDB) or `sqlite`".into(),
            };
            return Err(value.unknown_word(format!("{scheme}://…"), meant));
        }
    };
    match Url::parse(&with_one_host(text).0) {
        Ok(url) if url.path().len() > 1 || url.query().is_some() => Ok(database),
        Ok(_) => Err(value.refuse("a URL without the name of a database", FORM)),
        Err(error) => Err(value.refuse(format!("not a URL ({error})"), FORM)),
    }
}

impl Database {
    pub(super) fn shown(&self) -> Shown {
        let text = match self {
            Self::Sqlite(path) => return Shown::Text(format!("sqlite:{}", path.display())),
            Self::Postgres(url) | Self::MySql(url) => url,
        };
        let (one, hosts) = with_one_host(text);
        let Ok(mut url) = Url::parse(&one) else { return Shown::None };
        let has_secret = url.password().is_some() || url.query_pairs().any(|(name, _)| name == "password");
        // With several hosts, or none, the user is not looked for.
        if !has_secret && hosts.is_none() {
            return Shown::Text(text.clone());
        }
        if hosts.is_some() {
            let _ = url.set_username("");
        }
        let _ = url.set_password(None);
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(name, _)| name != "password")
            .map(|(name, value)| (name.into(), value.into()))
            .collect();
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
        let shown = String::from(url);
        let begin = shown.find("://").map_or(0, |at| at + 3);
        match (hosts, shown.get(begin..).and_then(|rest| rest.find(['/', '?']))) {
            (Some(hosts), Some(end)) => Shown::Text(format!("{}{hosts}{}", &shown[..begin], &shown[begin + end..])),
            _ => Shown::Text(shown),
        }
    }

    pub(super) fn source(self, query: String, parameters: Vec<String>) -> ValidatorSource {
        match self {
            Self::Postgres(url) => ValidatorSource::Postgres { url, query, parameters },
            Self::MySql(url) => ValidatorSource::MySql { url, query, parameters },
            Self::Sqlite(file) => ValidatorSource::Sqlite { file, query, parameters },
        }
    }

    /// Counts a query's placeholders, except within quotes.
    ///
    /// # Errors
    /// If this database does not know them, or numbers them otherwise: the form it accepts.
    pub(super) fn placeholders(&self, query: &str) -> Result<usize, &'static str> {
        let (marks, numbered) = count(query);
        match self {
            Self::Postgres(_) => Ok(numbered),
            Self::MySql(_) if numbered > 0 => Err("`?` for each parameter: MariaDB and MySQL do not support `$1`"),
            Self::MySql(_) => Ok(marks),
            Self::Sqlite(_) if numbered > 0 && marks > 0 => {
                Err("either `?` or `$1`, `$2` …: SQLite numbers both in one sequence")
            }
            Self::Sqlite(_) => Ok(marks.max(numbered)),
        }
    }
}

fn count(query: &str) -> (usize, usize) {
    let (mut marks, mut numbered) = (0, 0);
    let mut quote = None;
    for (at, letter) in query.char_indices() {
        match (quote, letter) {
            (Some(end), letter) => {
                if letter == end {
                    quote = None;
                }
            }
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '?') => marks += 1,
            (None, '$') => {
                let digits = query[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
                numbered = numbered.max(query[at + 1..][..digits].parse().unwrap_or(0));
            }
            (None, _) => {}
        }
    }
    (marks, numbered)
}

#[cfg(test)]
mod tests;
