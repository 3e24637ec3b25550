//! Reads a `[[site]]`'s server certificates: `tls`, `tls12`.

use std::hash::{DefaultHasher, Hasher};
use std::path::PathBuf;

use unladen_toml::{Bad, Problem, Table, Value};

use super::explain::Shown;
use super::keys;
use super::level::Level;
use super::reading::Reading;
use super::strangers::strangers;
use super::tls;
use crate::settings::ServerTlsSettings;

const FORM: &str = "{ cert = \"site.pem\", key = \"site.key\" }, or a list of such tables";

/// The certificates, and a stamp that changes with one of their files.
pub(super) fn read(level: &Level<'_>, r: &mut Reading<'_>) -> (Option<ServerTlsSettings>, u64) {
    let mut stamp = DefaultHasher::new();
    let mut is_said = false;
    let read = |value: &Value<'_>, r: &mut Reading<'_>| {
        is_said = true;
        let each = value.each();
        if each.is_empty() {
            return Err(value.refuse("empty", FORM));
        }
        let mut pairs = Vec::new();
        for one in each {
            let pair = pair(&one, &mut stamp, r);
            pairs.extend(r.keep(pair));
        }
        Ok(pairs)
    };
    let certificates = level.take("tls", Vec::new(), r, read, |pairs| show(pairs));
    let tls12 = level.flag("tls12", true, r);
    if !is_said && !tls12 {
        let without = "needs `tls`: set `tls` too, or remove this key";
        r.refuse(level.at(&["tls12"]), Problem::Alone { key: "tls12", without });
    }
    let tls = (!certificates.is_empty()).then_some(ServerTlsSettings { certificates, tls12 });
    (tls, stamp.finish())
}

fn pair(value: &Value<'_>, stamp: &mut DefaultHasher, r: &mut Reading<'_>) -> Result<(PathBuf, PathBuf), Bad> {
    if !value.is_table() {
        return Err(value.wrong_type(FORM));
    }
    let table = Table::of(value, "`tls`", FORM)?;
    r.bads.extend(strangers(&table, &keys::names("tls")));
    let file = |name: &'static str, marker: &str, expected, stamp: &mut DefaultHasher, r: &Reading<'_>| {
        let value = table.get(name).ok_or_else(|| table.missing(name, expected))?;
        tls::pem(&value, marker, stamp, r).map(|path| (path, value.span()))
    };
    let cert = file("cert", "CERTIFICATE", "the file of the certificate, such as cert = \"site.pem\"", stamp, r);
    let key = file("key", "PRIVATE KEY", "the file of its private key, such as key = \"site.key\"", stamp, r);
    // Both are checked, so that both errors are reported.
    let cert = r.keep(cert);
    let (key, at) = key?;
    tls::of_key(&key, at, r);
    Ok((cert.map(|(path, _)| path).unwrap_or_default(), key))
}

fn show(pairs: &[(PathBuf, PathBuf)]) -> Shown {
    let text = |path: &PathBuf| Shown::Text(path.display().to_string());
    let one = |(cert, key): &(PathBuf, PathBuf)| Shown::Table(vec![("cert", text(cert)), ("key", text(key))]);
    match pairs {
        [] => Shown::None,
        [pair] => one(pair),
        pairs => Shown::List(pairs.iter().map(one).collect()),
    }
}
