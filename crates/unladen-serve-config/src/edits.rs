//! [`HeaderEdits`]: the message fields that a route sets and removes, and how they are read.

use serde::Serialize;
use unladen_toml::{Bad, Table, Value};

use super::explain::Shown;
use super::keys::{self, strangers};
use super::level::Level;
use super::owned::Owned;
use super::reading::Reading;
use super::strings::{self, entries, texts};

/// Fields that are set and removed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct HeaderEdits {
    /// Names, in small letters, and values; they replace all fields of the name.
    pub set: Vec<(String, String)>,
    /// Names, in small letters.
    pub remove: Vec<String>,
}

impl HeaderEdits {
    /// Whether nothing is edited.
    pub fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty()
    }
}

/// Framing and connection fields (RFC 9110, section 7.6.1): only the code that writes messages sets them.
const FRAMING: [&str; 12] = [
    "connection",
    "content-length",
    "date",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "age",
];

/// `set` and `remove`, for the response.
pub(super) fn of_response(level: &Level<'_>, r: &mut Reading<'_>) -> HeaderEdits {
    let mut set = strings::map(level, "set", field, r);
    set.sort_unstable();
    let remove = strings::several(level, "remove", Vec::new(), name_of, r);
    HeaderEdits { set, remove }
}

/// `request`, a table of `set` and `remove`.
pub(super) fn of_request(level: &Level<'_>, r: &mut Reading<'_>) -> HeaderEdits {
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        let table = Table::of(value, "[site.route.request]", "a table with `set` or `remove`")?;
        r.bads.extend(strangers(&table, &keys::names("request")));
        let set = table.get("set").map(|value| entries(&value, "set", request_field, r)).transpose()?;
        let remove = table.get("remove").map(|value| texts(&value, request_name, r)).transpose()?;
        let mut set = set.unwrap_or_default();
        set.sort_unstable();
        Ok(HeaderEdits { set, remove: remove.unwrap_or_default() })
    };
    level.take("request", HeaderEdits::default(), r, read, |edits: &HeaderEdits| {
        if edits.is_empty() {
            return Shown::None;
        }
        let both = [("set", strings::show_map(&edits.set)), ("remove", Shown::list_or_none(&edits.remove))];
        Shown::Table(both.into_iter().filter(|(_, shown)| *shown != Shown::None).collect())
    })
}

fn field(name: &str, value: &Value<'_>) -> Result<(String, String), Bad> {
    Ok((checked(name, value)?, text(value)?))
}

/// Fields that clients cannot set may be set here: the value is not the client's.
fn request_field(name: &str, value: &Value<'_>) -> Result<(String, String), Bad> {
    let name = checked(name, value)?;
    if name.starts_with("x-forwarded-") || name == "forwarded" {
        return Err(value.refuse(
            format!("a table with `{name}`"),
            "another name: the site's `forwarded` sets what the application learns of its clients",
        ));
    }
    Ok((name, text(value)?))
}

fn name_of(value: &Value<'_>) -> Result<String, Bad> {
    checked(value.one_line()?, value)
}

fn request_name(value: &Value<'_>) -> Result<String, Bad> {
    let name = name_of(value)?;
    let is_written = Owned::find(name.as_bytes()).is_some_and(|owned| !owned.is_disguise());
    if is_written {
        return Err(value.refuse(
            format!("`{name}`"),
            "a field that reaches the application: a site removes this one anyway, or sets it itself",
        ));
    }
    Ok(name)
}

/// A field's name, in small letters (RFC 9110, section 5.1).
fn checked(name: &str, value: &Value<'_>) -> Result<String, Bad> {
    let Ok(known) = http::HeaderName::from_bytes(name.as_bytes()) else {
        return Err(value.refuse(format!("`{name}`"), "the name of a header field, such as \"x-frame-options\""));
    };
    let name = known.as_str();
    if FRAMING.contains(&name) {
        return Err(value.refuse(
            format!("`{name}`"),
            "another field: this one belongs to the connection or to the framing of the message",
        ));
    }
    Ok(name.to_owned())
}

/// A field's value (RFC 9110, section 5.5), ASCII only: nobody agrees on what other bytes mean.
fn text(value: &Value<'_>) -> Result<String, Bad> {
    let text = value.text_as("a string")?;
    let is_value = text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic()) && text.trim() == text;
    if is_value {
        Ok(text.to_owned())
    } else {
        Err(value.refuse(format!("{text:?}"), "one line of ASCII, without spaces around it"))
    }
}
