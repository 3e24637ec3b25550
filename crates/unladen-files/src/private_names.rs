//! The principal types are [`Rules`]: which files a path may mean, and which are sent; and [`PrivateNames`]: files
//! below roots that are never pages.

use crate::lifetimes::PathPattern;
use crate::script_names::ScriptNames;

/// One entry of [`PRIVATE`].
#[derive(Clone, Copy, Debug)]
pub struct PrivateName {
    /// Lower-case suffixes of names; those without leading dot are whole names.
    pub ends: &'static [&'static str],
    pub place: Place,
    /// A description of such files: "holds …" follows.
    pub why: &'static str,
}

/// Where files with a private name are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    Everywhere,
    /// Below a root whose scripts are run.
    WithScripts,
    /// In a folder with its own index script: a folder of downloads has none, or one of a few bytes that only prevents
    /// listing.
    BesideIndex,
}

const fn name(place: Place, ends: &'static [&'static str], why: &'static str) -> PrivateName {
    PrivateName { ends, place, why }
}

/// All private names. `docs/reference/files.md` has the same list as a table.
#[rustfmt::skip]
pub const PRIVATE: &[PrivateName] = &[
    name(Place::Everywhere, &[".sql", ".dump", ".dmp", ".rdb"], "a dump of a database"),
    name(
        Place::Everywhere,
        &[".sqlite", ".sqlite2", ".sqlite3", ".db", ".db3", ".mdb", ".sqlite-wal", ".sqlite3-wal", ".db-wal",
          ".sqlite-shm", ".sqlite3-shm", ".db-shm", ".sqlite-journal", ".sqlite3-journal", ".db-journal"],
        "a database",
    ),
    name(
        Place::Everywhere,
        &[".bak", ".backup", ".old", ".orig", ".save", ".swp", ".swo", ".swn", ".swx", ".rej", ".dpkg-old",
          ".dpkg-dist", ".dpkg-new", ".ucf-old", ".ucf-dist", ".rpmsave", ".rpmnew"],
        "a copy left by an editor, a tool or a person",
    ),
    name(Place::Everywhere, &[".log"], "a log"),
    name(
        Place::Everywhere,
        &[".key", ".pem", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdb", ".kdbx", "id_rsa", "id_dsa", "id_ecdsa",
          "id_ed25519"],
        "a private key or passwords",
    ),
    name(Place::Everywhere, &[".env", "htpasswd", "auth.json", "web.config", "wp-config.txt"], "passwords or settings"),
    name(
        Place::WithScripts,
        &[".yml", ".yaml", ".ini", ".conf", ".cfg", ".cnf", ".neon", ".toml"],
        "settings of the application",
    ),
    name(Place::WithScripts, &[".sh", ".bash", ".py", ".pl", ".pm", ".rb", ".twig"], "a source of the application"),
    name(
        Place::WithScripts,
        &["composer.json", "composer.lock", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml",
          "gemfile", "gemfile.lock", "makefile", "dockerfile", "vagrantfile", "phpunit.xml", "phpunit.xml.dist"],
        "what the application is built from, with exact versions",
    ),
    name(
        Place::BesideIndex,
        &[".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".7z", ".rar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst"],
        "an archive beside the application's own scripts",
    ),
];

/// Interface descriptions, which are written for clients. `docs/reference/files.md` names them.
const PUBLIC: [&str; 6] =
    ["openapi.yaml", "openapi.yml", "swagger.yaml", "swagger.yml", "asyncapi.yaml", "asyncapi.yml"];

/// Suffixes that leave a private file private.
const PACKED: [&[u8]; 8] = [b".gz", b".bz2", b".xz", b".zst", b".br", b".zip", b".7z", b".gpg"];
const MOST_ENDS: usize = 4;

/// Which files are private, except those that the settings open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrivateNames {
    allow: Vec<PathPattern>,
}

impl PrivateNames {
    /// Paths that match one of these are never private, nor refused by an `.htaccess`.
    pub fn except<'p>(allow: impl IntoIterator<Item = &'p str>) -> Self {
        Self { allow: allow.into_iter().map(PathPattern::new).collect() }
    }

    /// Whether the settings open a path beneath the root, which has no leading slash.
    pub(crate) fn allows(&self, path: &[u8]) -> bool {
        !self.allow.is_empty() && {
            let path = [b"/", path].concat();
            self.allow.iter().any(|pattern| pattern.fits(&path))
        }
    }
}

/// The entry for a file's name; of several, as for `dump.sql.zip`, the one that refuses in most places.
pub(crate) fn private(name: &[u8]) -> Option<&'static PrivateName> {
    let name = name.to_ascii_lowercase();
    if PUBLIC.iter().any(|public| public.as_bytes() == name) {
        return None;
    }
    let mut left = name.as_slice();
    let mut found: Option<&PrivateName> = None;
    for _ in 0..MOST_ENDS {
        if matches!(left, [.., b'~'] | [b'#', .., b'#']) {
            return PRIVATE.iter().find(|entry| entry.ends.contains(&".bak"));
        }
        if let Some(entry) = PRIVATE.iter().find(|entry| entry.ends.iter().any(|end| ends(left, end.as_bytes()))) {
            found = found.filter(|found| found.place <= entry.place).or(Some(entry));
        }
        // `error.log.1`, `error.log-20260101`, `dump.sql.gz`
        let digits = left.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let shorter = left.get(..left.len() - digits).unwrap_or_default();
        left = match (PACKED.iter().find_map(|end| left.strip_suffix(*end)), shorter) {
            (Some(packed), _) => packed,
            (None, [rest @ .., b'.' | b'-' | b'_']) if digits > 0 => rest,
            _ => return found,
        };
    }
    found
}

fn ends(name: &[u8], end: &[u8]) -> bool {
    if end.first() == Some(&b'.') { name.len() > end.len() && name.ends_with(end) } else { name == end }
}

/// Which files a path may mean, and which are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Names of files that stand for a folder, in this order.
    pub index: Vec<String>,
    pub tries: Vec<Try>,
    pub scripts: ScriptNames,
    /// Whether files are sent whose names begin with a dot.
    pub hidden: bool,
    /// Files that are refused by name or by an `.htaccess`; `None` if an application, and no client, has named the
    /// file.
    pub private: Option<PrivateNames>,
}

/// One place to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Try {
    /// The file at the path with this suffix: `{path}` has an empty one, `{path}.html` has `.html`.
    Path(String),
    /// The folder at the path, and its index: `{path}/`.
    Folder,
    /// This path, whatever was asked for: `/index.php`. A script that is the last of several is used without a look.
    Fixed(String),
    /// This status: `=404`.
    Status(u16),
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            index: vec!["index.html".to_owned()],
            tries: vec![Try::Path(String::new()), Try::Folder],
            scripts: ScriptNames::default(),
            hidden: false,
            private: Some(PrivateNames::default()),
        }
    }
}

#[cfg(test)]
mod tests;
