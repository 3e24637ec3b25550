//! The principal type is [`Software`]: a program and its version, by the package that owns its file in Debian's
//! database, else by a text within the file, as programs built from source have no package.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};

use memchr::memmem::Finder;
use serde::Serialize;

use crate::root::open_plain;

/// A program and its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Software {
    /// `PHP-FPM`, `nginx`; the file's name for an unknown program.
    pub name: String,
    /// From the package that owns the file, else from the file itself.
    pub version: Option<String>,
}

const LONGEST: usize = 64;

/// The versions of these executables, without running any of them: from Debian's database of packages, else, for
/// well-known servers, from their files. Without duplicates, by name.
///
/// A path may lead through `/proc/PID/root`: then the container's database is used. Its owner can make it say anything;
/// a version is bounded, and has no character that a terminal would act upon.
pub fn software_of(executables: &[PathBuf]) -> Vec<Software> {
    let mut all: Vec<Software> = executables.iter().filter_map(|path| of_file(path)).collect();
    all.sort();
    all.dedup();
    all
}

fn of_file(executable: &Path) -> Option<Software> {
    let file_name = printable(executable.file_name()?.to_str()?)?;
    let program = Program::of(&file_name);
    let (root, inside) = root_of(executable);
    let version = package_version(&root, &inside, &program).or_else(|| marked_version(executable, &program));
    Some(Software { name: program.name, version: version.as_deref().and_then(printable) })
}

/// The folder in which the path is absolute: `/proc/PID/root` for a container's process, else `/`.
fn root_of(executable: &Path) -> (PathBuf, PathBuf) {
    let root: PathBuf = executable.iter().take(4).collect();
    let is_proc = executable.iter().take(2).eq(["/", "proc"]);
    if is_proc
        && root.ends_with("root")
        && let Ok(inside) = executable.strip_prefix(&root)
    {
        let inside = Path::new("/").join(inside);
        return (root, inside);
    }
    (PathBuf::from("/"), executable.to_owned())
}

/// `None` if the text cannot be a package's name or version.
fn printable(text: &str) -> Option<String> {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "+-._~: ".contains(character);
    (!text.is_empty() && text.len() <= LONGEST && text.chars().all(is_plain)).then(|| text.to_owned())
}

/// File names of a program, and where its version is found. In `packages`, `{}` stands for the rest of the file name
/// (`8.2` of `php-fpm8.2`), or for a numeric folder of the path (`15` of `/usr/lib/postgresql/15/bin`).
struct Known {
    /// Beginning of the file's name, which only a version follows.
    file: &'static str,
    name: &'static str,
    packages: &'static [&'static str],
    mark: Mark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    After(&'static str),
    Before(&'static str),
    None,
}

const PHP: Mark = Mark::After("X-Powered-By: PHP/");
const MARIADB: Mark = Mark::Before("-MariaDB");
const NONE: Mark = Mark::None;

/// The servers and interpreters of web applications, by Debian's names.
const KNOWN: &[Known] = &[
    Known { file: "php-fpm", name: "PHP-FPM", packages: &["php{}-fpm"], mark: PHP },
    Known { file: "php-cgi", name: "PHP", packages: &["php{}-cgi"], mark: PHP },
    Known { file: "php", name: "PHP", packages: &["php{}-cli"], mark: PHP },
    Known {
        file: "nginx",
        name: "nginx",
        packages: &["nginx", "nginx-core", "nginx-light"],
        mark: Mark::After("nginx/"),
    },
    Known { file: "apache2", name: "Apache", packages: &["apache2-bin"], mark: Mark::After("Apache/") },
    Known { file: "httpd", name: "Apache", packages: &[], mark: Mark::After("Apache/") },
    Known { file: "lighttpd", name: "lighttpd", packages: &["lighttpd"], mark: Mark::After("lighttpd/") },
    Known { file: "mariadbd", name: "MariaDB", packages: &["mariadb-server-core", "mariadb-server"], mark: MARIADB },
    Known {
        file: "mysqld",
        name: "MySQL",
        packages: &["mysql-server-core-8.0", "mysql-community-server-core"],
        mark: NONE,
    },
    Known { file: "postgres", name: "PostgreSQL", packages: &["postgresql-{}"], mark: Mark::After("PostgreSQL ") },
    Known { file: "redis-server", name: "Redis", packages: &["redis-server", "redis-tools"], mark: NONE },
    Known { file: "redis-check-rdb", name: "Redis", packages: &["redis-tools"], mark: NONE },
    Known { file: "valkey-server", name: "Valkey", packages: &["valkey-server", "valkey-tools"], mark: NONE },
    Known { file: "memcached", name: "Memcached", packages: &["memcached"], mark: NONE },
    Known { file: "haproxy", name: "HAProxy", packages: &["haproxy"], mark: NONE },
    Known { file: "varnishd", name: "Varnish", packages: &["varnish"], mark: NONE },
    Known { file: "squid", name: "Squid", packages: &["squid", "squid-openssl"], mark: NONE },
    Known { file: "python", name: "Python", packages: &["python{}-minimal", "python{}"], mark: NONE },
    Known { file: "perl", name: "Perl", packages: &["perl-base", "perl"], mark: NONE },
    Known { file: "ruby", name: "Ruby", packages: &["ruby{}"], mark: NONE },
    Known { file: "node", name: "Node.js", packages: &["nodejs"], mark: NONE },
];

/// What is known of a program by its file name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    pub(crate) name: String,
    /// Packages that may own it, with `{}` for a number of the path.
    pub(crate) packages: Vec<String>,
    pub(crate) mark: Mark,
}

impl Program {
    /// Looks up a file name. An unknown program has its file's name, also as a possible package.
    pub(crate) fn of(file_name: &str) -> Self {
        for known in KNOWN {
            let Some(rest) = file_name.strip_prefix(known.file) else { continue };
            if rest.chars().all(|character| character.is_ascii_digit() || character == '.') {
                let packages = known
                    .packages
                    .iter()
                    .map(|package| if rest.is_empty() { (*package).to_owned() } else { package.replace("{}", rest) });
                return Self { name: known.name.to_owned(), packages: packages.collect(), mark: known.mark };
            }
        }
        Self { name: file_name.to_owned(), packages: vec![file_name.to_owned()], mark: Mark::None }
    }
}

/// Bytes searched: MariaDB's file has 26 MB.
const LONGEST_FILE: u64 = 64 * 1024 * 1024;

const LONGEST_VERSION: usize = 32;

pub(crate) fn marked_version(executable: &Path, program: &Program) -> Option<String> {
    if program.mark == Mark::None {
        return None;
    }
    let mut bytes = Vec::new();
    open_plain(executable).ok()?.take(LONGEST_FILE).read_to_end(&mut bytes).ok()?;
    find(&bytes, program.mark)
}

fn find(bytes: &[u8], mark: Mark) -> Option<String> {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let beside: Box<dyn Fn(usize) -> Vec<u8>> = match mark {
        Mark::None => return None,
        Mark::After(text) => Box::new(move |at| {
            bytes[at + text.len()..].iter().take(LONGEST_VERSION).copied().take_while(|byte| is_part(byte)).collect()
        }),
        Mark::Before(_) => Box::new(move |at| {
            let reversed = bytes[..at].iter().rev().take(LONGEST_VERSION).copied().take_while(|byte| is_part(byte));
            let mut marked_version: Vec<u8> = reversed.collect();
            marked_version.reverse();
            marked_version
        }),
    };
    let (Mark::After(text) | Mark::Before(text)) = mark else { return None };
    Finder::new(text)
        .find_iter(bytes)
        .map(beside)
        .filter_map(|marked_version| String::from_utf8(marked_version).ok())
        .find(|marked_version| {
            // "2." is half of one, "8" may be anything.
            marked_version.contains('.') && marked_version.split('.').all(|number| !number.is_empty())
        })
}

/// A database of 3,700 packages has 4 MB.
const LONGEST_STATUS: u64 = 64 * 1024 * 1024;
const LONGEST_LIST: u64 = 8 * 1024 * 1024;

/// The version of the package that owns `inside`, a path below `root`: the candidate whose list has the file.
pub(crate) fn package_version(root: &Path, inside: &Path, program: &Program) -> Option<String> {
    let packages = || program.packages.iter().flat_map(|package| filled_in(package, inside));
    let package = packages().find(|package| owns(root, package, inside))?;
    version_of(open_plain(&root.join("var/lib/dpkg/status")).ok()?, &package)
}

/// The package's name, with numeric folders of the path for a missing number.
fn filled_in(package: &str, inside: &Path) -> Vec<String> {
    if !package.contains("{}") {
        return vec![package.to_owned()];
    }
    let is_number = |name: &&str| name.starts_with(|first: char| first.is_ascii_digit());
    let folders = inside.iter().filter_map(|name| name.to_str()).filter(is_number);
    folders.map(|number| package.replace("{}", number)).filter(|name| is_name(name)).collect()
}

/// Debian's policy, 5.6.1; nothing else becomes a part of a path.
fn is_name(name: &str) -> bool {
    name.len() <= 128 && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "+-.".contains(c))
}

fn owns(root: &Path, package: &str, inside: &Path) -> bool {
    if !is_name(package) {
        return false;
    }
    let info = root.join("var/lib/dpkg/info");
    // Packages installed for several architectures have theirs in the name.
    let names = [format!("{package}.list"), format!("{package}:{}.list", architecture())];
    names.iter().any(|name| open_plain(&info.join(name)).is_ok_and(|list| lists(list, inside)))
}

fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "powerpc64" => "ppc64el",
        other => other,
    }
}

/// Packages from before the merge of `/bin` and `/usr/bin` list their files in either.
fn lists(list: File, inside: &Path) -> bool {
    let plain = |path: &Path| path.strip_prefix("/usr").or_else(|_| path.strip_prefix("/")).map(Path::to_owned).ok();
    let Some(wanted) = plain(inside) else { return false };
    let lines = BufReader::new(list.take(LONGEST_LIST)).lines();
    lines.map_while(Result::ok).any(|line| plain(Path::new(&line)).is_some_and(|listed| listed == wanted))
}

fn version_of(status: File, wanted: &str) -> Option<String> {
    let (mut is_wanted, mut is_installed) = (false, false);
    for line in BufReader::new(status.take(LONGEST_STATUS)).lines() {
        // Other paragraphs may have anything in them.
        let Ok(line) = line else { continue };
        if let Some(name) = line.strip_prefix("Package: ") {
            (is_wanted, is_installed) = (name.trim() == wanted, false);
        } else if let Some(status) = line.strip_prefix("Status: ") {
            is_installed = status.trim().ends_with(" installed");
        } else if let Some(package_version) = line.strip_prefix("Version: ")
            && is_wanted
            && is_installed
        {
            return Some(package_version.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests;
