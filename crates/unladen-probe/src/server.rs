//! Where a running server is: [`server_seen`] reads from its own processes which settings it has, and who it listens
//! to.
//!
//! Nothing is started for it, and nothing is guessed: what a process does not say stays unknown.

mod apache;
mod command_line;
mod fpm;
mod mariadb;
mod nginx;
mod postgres;
mod process;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use unladen_trace::ServerSeen;

use self::command_line::CommandLine;
use self::process::Server;
use crate::cgroup::unit_of;
use crate::container::first_of_program;

/// What the server of a group's processes says of itself; `None` if its kind is unknown. Of several servers, the one
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
        "mariadbd" | "mysqld" => mariadb::see(&server, &mut seen),
        "pgbouncer" => {}
        name if name.starts_with("php-fpm") => fpm::see(&server, &mut seen),
        _ => return None,
    }
    // Root must not run another user's program, even to check its settings.
    if seen.account.is_none() && nix::unistd::geteuid().is_root() && !is_contained && !is_database(&name) {
        seen.account = server.account().filter(|account| account != "root");
    }
    seen.has_systemd = Path::new("/run/systemd/system").is_dir();
    if seen.has_systemd && !is_contained {
        let unit = fs::read(proc.join("cgroup")).ok().and_then(|cgroup| unit_of(&cgroup));
        seen.unit = unit.filter(|unit| unit.container.is_none()).and_then(|unit| unit.service);
    }
    if is_contained {
        seen.pid = 0;
    }
    // A path with control characters cannot be printed for copying, and no honest server's command line has one.
    let texts =
        [&seen.pid_file, &seen.config, &seen.prefix, &seen.folder, &seen.read, &seen.socket, &seen.account, &seen.unit];
    let is_plain = |text: &String| !text.contains(|letter: char| letter.is_control() || letter == '\u{fffd}');
    (texts.into_iter().flatten().all(is_plain) && is_plain(&seen.exe)).then_some(seen)
}

/// Its clients are run, not the server itself.
fn is_database(name: &str) -> bool {
    matches!(name, "postgres" | "mariadbd" | "mysqld" | "pgbouncer")
}

#[cfg(test)]
mod tests;
