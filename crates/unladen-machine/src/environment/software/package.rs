//! [`version`]: the version of a file's package in Debian's database.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use crate::environment::software::known::Program;
use crate::plain_file;

/// A database of 3,700 packages has 4 MB.
const LONGEST_STATUS: u64 = 64 * 1024 * 1024;
const LONGEST_LIST: u64 = 8 * 1024 * 1024;

/// The version of the package that owns `inside`, a path below `root`: the candidate whose list has the file.
pub(crate) fn version(root: &Path, inside: &Path, program: &Program) -> Option<String> {
    let packages = || program.packages.iter().flat_map(|package| filled_in(package, inside));
    let package = packages().find(|package| owns(root, package, inside))?;
    version_of(plain_file::open(&root.join("var/lib/dpkg/status")).ok()?, &package)
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
    names.iter().any(|name| plain_file::open(&info.join(name)).is_ok_and(|list| lists(list, inside)))
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
        } else if let Some(version) = line.strip_prefix("Version: ")
            && is_wanted
            && is_installed
        {
            return Some(version.trim().to_owned());
        }
    }
    None
}
