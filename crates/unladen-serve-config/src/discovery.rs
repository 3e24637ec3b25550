//! Reads where the endpoints of an upstream are learnt.

use unladen_pool::{Discovery, EndpointSource};
use unladen_toml::{Bad, Value, nearest};

use super::reading::Reading;

const FORM: &str = "\"srv:_http._tcp.app.example\" (DNS) or \"file:/etc/unladen/app.json\"";
const SCHEMES: [&str; 2] = ["srv", "file"];
/// Of a name in DNS, without its final dot (RFC 1035, section 2.3.4).
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;

/// As in `srv:_http._tcp.app.example`.
pub(super) fn read(value: &Value<'_>, reading: &Reading<'_>) -> Result<Discovery, Bad> {
    if value.as_text().is_none() {
        return Err(value.wrong_type(FORM));
    }
    let text = value.one_line()?;
    let Some((scheme, rest)) = text.split_once(':') else {
        return Err(value.refuse(format!("`{text}`"), FORM));
    };
    let from = match scheme {
        "srv" => EndpointSource::Srv(service(rest).ok_or_else(|| {
            let expected = "a service's name in DNS, as _SERVICE._PROTOCOL.DOMAIN: \"srv:_http._tcp.app.example\"";
            value.refuse(format!("`{text}`"), expected)
        })?),
        "file" if !rest.is_empty() && !rest.starts_with("//") => EndpointSource::File(reading.path(rest)),
        "file" => return Err(value.refuse(format!("`{text}`"), "a path: \"file:/etc/unladen/app.json\"")),
        _ => {
            let meant = match nearest(scheme, &SCHEMES) {
                Some(meant) => format!("did you mean `{meant}:`?"),
                None => format!("expected {FORM}"),
            };
            return Err(value.unknown_word(format!("{scheme}:…"), meant));
        }
    };
    Ok(Discovery { from, zone: reading.zone.clone() })
}

/// Any name that DNS could have: Consul answers to names without underscores too.
fn service(text: &str) -> Option<String> {
    let name = text.strip_suffix('.').unwrap_or(text);
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let is_label = |label: &str| (1..=LONGEST_LABEL).contains(&label.len()) && label.bytes().all(is_plain);
    (name.len() <= LONGEST_NAME && name.split('.').all(is_label)).then(|| text.to_owned())
}
