//! [`AccessSettings`]: a route's `access`, who may make requests; and how it is read.

use std::hash::{DefaultHasher, Hash};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::Serialize;
use unladen_toml::{Bad, Problem, Table, Value};

use super::explain::{Showable, Shown};
use super::keys::{self, strangers};
use super::level::Level;
use super::reading::Reading;
use super::strings::checked;
use super::trusted;
use super::users::Users;

/// Who may make requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AccessSettings {
    /// Addresses that are allowed; empty for all that `deny` does not have.
    pub allow: Vec<IpNet>,
    /// Whether clients on a Unix socket are allowed, if `allow` is not empty.
    pub allow_unix: bool,
    /// Addresses that are denied, even if `allow` has them.
    pub deny: Vec<IpNet>,
    pub deny_unix: bool,
    /// Names and passwords, if required.
    pub auth: Option<AuthSettings>,
}

/// Names and passwords (RFC 7617).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AuthSettings {
    /// A file with a line `name:hash` for each user; hashes of bcrypt and Argon2id.
    pub users: PathBuf,
    pub realm: String,
}

const OF_OTHERS: u32 = 0o007;

/// Access rules; `site` is the usual realm, and the stamp changes with the password file.
pub(super) fn read(
    level: &Level<'_>,
    site: &str,
    stamp: &mut DefaultHasher,
    r: &mut Reading<'_>,
) -> Option<AccessSettings> {
    level.optional("access", r, |value, r| access(value, site, stamp, r), show)
}

fn access(
    value: &Value<'_>,
    site: &str,
    stamp: &mut DefaultHasher,
    r: &mut Reading<'_>,
) -> Result<AccessSettings, Bad> {
    let form = "a table such as { allow = [\"10.0.0.0/8\"] } or { auth = \"users\" }";
    let table = Table::of(value, "[site.route.access]", form)?;
    r.bads.extend(strangers(&table, &keys::names("access")));
    let mut nets = |name: &'static str| {
        let value = table.get(name)?;
        let nets = trusted::list(&value, r);
        r.keep(nets)
    };
    let allow = nets("allow");
    let deny = nets("deny");
    if let (Some((nets, false)), Some(value)) = (&allow, table.get("allow"))
        && nets.is_empty()
        && value.each().is_empty()
    {
        return Err(value.refuse("empty", "at least one address; `status = 403` refuses everybody"));
    }
    let users = table.get("auth").map(|value| users(&value, stamp, r));
    let users = users.and_then(|users| r.keep(users));
    let realm = table.get("realm").map(|value| realm(&value));
    let realm = realm.and_then(|realm| r.keep(realm));
    if let (Some(value), None) = (table.get("realm"), table.get("auth")) {
        let without = "needs `auth`: set `auth` too, or remove this key";
        r.refuse(value.span(), Problem::Alone { key: "realm", without });
    }
    if allow.is_none() && deny.is_none() && table.get("auth").is_none() {
        return Err(value.refuse("a table that allows everybody", form));
    }
    let auth = users.map(|users| AuthSettings { users, realm: realm.unwrap_or_else(|| site.to_owned()) });
    let ((allow, allow_unix), (deny, deny_unix)) = (allow.unwrap_or_default(), deny.unwrap_or_default());
    Ok(AccessSettings { allow, allow_unix, deny, deny_unix, auth })
}

fn users(value: &Value<'_>, stamp: &mut DefaultHasher, r: &mut Reading<'_>) -> Result<PathBuf, Bad> {
    let path = r.path(value.one_line()?);
    let bytes = r.machine.read(&path).map_err(|source| value.unusable(path.clone(), source))?;
    let users = Users::parse(&bytes)
        .map_err(|error| value.unusable(path.clone(), std::io::Error::new(std::io::ErrorKind::InvalidData, error)))?;
    if users.entries.is_empty() {
        r.warn(value.span(), format!("{} has no user: nobody can log in", path.display()));
    }
    if r.machine.mode(&path).is_some_and(|mode| mode & OF_OTHERS != 0) {
        r.warn(
            value.span(),
            format!(
                "{} can be read by others on this machine, who can try passwords against it; chmod o= it",
                path.display()
            ),
        );
    }
    (&path, bytes).hash(stamp);
    Ok(path)
}

/// A realm stands in quotes in a field (RFC 9110, section 11.5).
fn realm(value: &Value<'_>) -> Result<String, Bad> {
    let is_plain = |byte: u8| (byte == b' ' || byte.is_ascii_graphic()) && !b"\"\\".contains(&byte);
    checked(value, "ASCII without quotes and backslashes", |text| text.bytes().all(is_plain))
}

fn show(access: &AccessSettings) -> Shown {
    let mut entries = Vec::new();
    for (name, nets, unix) in [("allow", &access.allow, access.allow_unix), ("deny", &access.deny, access.deny_unix)] {
        if !nets.is_empty() || unix {
            entries.push((name, trusted::show(nets, unix)));
        }
    }
    if let Some(auth) = &access.auth {
        entries.extend([("auth", auth.users.shown()), ("realm", auth.realm.shown())]);
    }
    Shown::Table(entries)
}
