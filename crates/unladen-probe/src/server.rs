//! Where a running server is: [`server_seen`] reads off its own processes which settings it has, and who it listens to.
//!
//! Nothing is started for it, and nothing is guessed: what a process does not say stays unknown.

mod apache;
mod command_line;
mod fpm;
mod nginx;
mod postgres;

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use nix::unistd::{Uid, User};
use unladen_trace::ServerSeen;

use self::command_line::CommandLine;
use crate::cgroup::unit_of;
use crate::container::first_of_program;

/// Longest settings file that is looked into.
const MOST_BYTES: u64 = 1 << 20;

/// A process's view: what its paths mean.
struct Server {
    pid: u32,
    /// `/proc/PID/root`, below which its paths are.
    root: PathBuf,
    /// Where relative paths of its command line begin.
    cwd: PathBuf,
    command: CommandLine,
}

/// What the server of a group's processes says of itself; none where its kind is not known. Of several, it is the one
/// whose processes took the requests.
pub(crate) fn server_seen(pids: impl Iterator<Item = u32>, took: &[u32], is_contained: bool) -> Option<ServerSeen> {
    let mut firsts: BTreeMap<u32, bool> = BTreeMap::new();
    for pid in pids {
        *firsts.entry(first_of_program(pid)).or_default() |= took.contains(&pid);
    }
    let has_taken = firsts.values().any(|took| *took);
    let asked = firsts.into_iter().filter(|(_, took)| *took || !has_taken);
    let mut seen: Vec<(u32, ServerSeen)> =
        asked.filter_map(|(first, _)| Some((first, one_seen(first, is_contained)?))).collect();
    match seen.len() {
        0 | 1 => seen.pop().map(|(_, seen)| seen),
        _ => Some(ServerSeen {
            has_systemd: seen.iter().any(|(_, seen)| seen.has_systemd),
            several: seen.into_iter().map(|(first, _)| first).collect(),
            ..ServerSeen::default()
        }),
    }
}

/// What the first process of a server says.
fn one_seen(first: u32, is_contained: bool) -> Option<ServerSeen> {
    let proc = PathBuf::from(format!("/proc/{first}"));
    let exe = fs::read_link(proc.join("exe")).ok()?;
    let exe = exe.to_str()?.trim_end_matches(" (deleted)").to_owned();
    let name = exe.rsplit('/').next()?.to_owned();
    let server = Server {
        pid: first,
        root: proc.join("root"),
        cwd: fs::read_link(proc.join("cwd")).ok()?,
        command: CommandLine::of(&fs::read(proc.join("cmdline")).ok()?),
    };
    let mut seen = ServerSeen { pid: first, exe, ..ServerSeen::default() };
    match name.as_str() {
        "nginx" | "openresty" | "freenginx" => nginx::see(&server, &mut seen),
        "apache2" | "httpd" => apache::see(&server, &mut seen),
        "postgres" => postgres::see(&server, &mut seen),
        "mariadbd" | "mysqld" | "pgbouncer" => {}
        name if name.starts_with("php-fpm") => fpm::see(&server, &mut seen),
        _ => return None,
    }
    seen.has_systemd = Path::new("/run/systemd/system").is_dir();
    if seen.has_systemd && !is_contained {
        let unit = fs::read(proc.join("cgroup")).ok().and_then(|cgroup| unit_of(&cgroup));
        seen.unit = unit.filter(|unit| unit.container.is_none()).and_then(|unit| unit.service);
    }
    if is_contained {
        seen.pid = 0;
    }
    // A path that breaks a line cannot be printed to be copied, and no command line of an honest server has one.
    let texts =
        [&seen.pid_file, &seen.config, &seen.prefix, &seen.folder, &seen.read, &seen.socket, &seen.account, &seen.unit];
    let is_plain = |text: &String| !text.contains(|letter: char| letter.is_control() || letter == '\u{fffd}');
    (texts.into_iter().flatten().all(is_plain) && is_plain(&seen.exe)).then_some(seen)
}

// === impl Server ===

impl Server {
    /// A path of its command line, as the server itself resolves it.
    fn path(&self, given: &str) -> String {
        plain(&self.cwd.join(given))
    }

    /// A file as it sees it; none where it is no regular file, too long, or no text.
    fn text(&self, path: &str) -> Option<String> {
        let file = self.root.join(path.trim_start_matches('/'));
        if !fs::metadata(&file).ok()?.is_file() {
            return None;
        }
        let mut text = String::new();
        fs::File::open(file).ok()?.take(MOST_BYTES).read_to_string(&mut text).ok()?;
        Some(text)
    }

    /// Whether a file names its process.
    fn is_pid_file(&self, path: &str) -> bool {
        self.text(path).is_some_and(|pid| pid.trim() == self.pid.to_string())
    }

    fn is_dir(&self, path: &str) -> bool {
        self.root.join(path.trim_start_matches('/')).is_dir()
    }

    /// The account that it runs as, if it has a name.
    fn account(&self) -> Option<String> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid)).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
        let uid = line.split_whitespace().nth(1)?.parse().ok()?;
        Some(User::from_uid(Uid::from_raw(uid)).ok()??.name)
    }
}

/// A path without `.` and `..`, by its text.
fn plain(path: &Path) -> String {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain.to_string_lossy().into_owned()
}

/// The folder of a path.
fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The folder of a pattern of `include` that takes a new file whose name ends in `.conf`: `/etc/nginx/conf.d/*.conf`.
fn folder_read(pattern: &str) -> Option<&str> {
    let (folder, last) = pattern.rsplit_once('/')?;
    let is_plain = !folder.is_empty() && !folder.contains(['*', '?', '[']);
    (is_plain && matches!(last, "*.conf" | "*")).then_some(folder)
}

#[cfg(test)]
mod tests;
