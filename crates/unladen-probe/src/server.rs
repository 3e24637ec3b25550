//! Where a running server is: [`server_seen`] reads from its own processes which settings it has, and who it listens
//! to.
//!
//! Nothing is started for it, and nothing is guessed: what a process does not say stays unknown.

mod process;

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use unladen_trace::ServerSeen;

use crate::cgroup::unit_of;
use crate::container::first_of_program;
use process::{CommandLine, Server, folder_of, folder_read, plain};

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
    let exe = match fs::read_link(proc.join("exe")) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return hidden(&proc),
        exe => exe.ok()?,
    };
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
        "nginx" | "openresty" | "freenginx" => see_nginx(&server, &mut seen),
        "apache2" | "httpd" => see_apache(&server, &mut seen),
        "postgres" => see_postgres(&server, &mut seen),
        "mariadbd" | "mysqld" => see_mariadb(&server, &mut seen),
        "pgbouncer" => {}
        name if name.starts_with("php-fpm") => see_fpm(&server, &mut seen),
        _ => return None,
    }
    // Root must not run another user's program, even to check its settings.
    if seen.account.is_none() && nix::unistd::geteuid().is_root() && !is_contained && !is_database(&name) {
        seen.account = server.account().filter(|account| account != "root");
    }
    seen.has_systemd = has_systemd();
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

fn has_systemd() -> bool {
    Path::new("/run/systemd/system").is_dir()
}

/// Another user's server: what its paths are is not seen, but everybody sees its name.
fn hidden(proc: &Path) -> Option<ServerSeen> {
    let name = fs::read_to_string(proc.join("comm")).ok()?;
    let is_server = matches!(
        name.trim_end(),
        "nginx" | "openresty" | "freenginx" | "apache2" | "httpd" | "postgres" | "mariadbd" | "mysqld" | "pgbouncer"
    ) || name.starts_with("php-fpm");
    is_server.then(|| ServerSeen { is_hidden: true, has_systemd: has_systemd(), ..ServerSeen::default() })
}

/// Its clients are run, not the server itself.
fn is_database(name: &str) -> bool {
    matches!(name, "postgres" | "mariadbd" | "mysqld" | "pgbouncer")
}

/// Its title names its settings file: `php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)`.
fn see_fpm(server: &Server, seen: &mut ServerSeen) {
    let inner = server.command.title().strip_prefix("php-fpm: master process (");
    let named = inner.and_then(|inner| inner.trim_end().strip_suffix(')'));
    seen.config = named.or_else(|| server.command.option('y')).map(|config| server.path(config));
    let text = seen.config.as_ref().and_then(|config| server.text(config));
    // In the background, its process id changes with each reload, and is written there.
    seen.pid_file = text.as_deref().and_then(pid_file).filter(|file| server.is_pid_file(file)).map(str::to_owned);
}

/// The file that `pid` names; relative ones lie below a built-in folder.
fn pid_file(text: &str) -> Option<&str> {
    let mut values = text.lines().filter_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "pid").then(|| value.split(';').next().unwrap_or_default().trim().trim_matches(['"', '\'']))
    });
    values.next_back().filter(|file| file.starts_with('/'))
}

/// Its working folder is that of its data, where `postmaster.pid` has these lines: its process, that folder, when it
/// started, its port, the first folder of its sockets.
fn see_postgres(server: &Server, seen: &mut ServerSeen) {
    let data = server.path("");
    if let Some(text) = server.text(&server.path("postmaster.pid")) {
        (seen.port, seen.socket) = of_pid_file(&text, server.pid);
    }
    let option = |letter: char| server.command.option(letter);
    seen.port = seen.port.or_else(|| option('p')?.parse().ok());
    seen.socket = seen.socket.take().or_else(|| option('k').map(str::to_owned));
    seen.prefix = Some(data.trim_end_matches('/').to_owned());
    seen.account = server.account().filter(|account| account != "postgres");
}

/// Port and folder, if the file is this process's.
fn of_pid_file(text: &str, pid: u32) -> (Option<u16>, Option<String>) {
    let lines: Vec<&str> = text.lines().collect();
    let is_its = lines.first().is_some_and(|line| line.trim() == pid.to_string());
    let line = |at: usize| lines.get(at).map(|line| line.trim()).filter(|line| is_its && !line.is_empty());
    let socket = line(4).filter(|folder| folder.starts_with('/')).map(str::to_owned);
    (line(3).and_then(|port| port.parse().ok()), socket)
}

/// Its command line names the only file that it reads, and its socket if that is not in the file.
fn see_mariadb(server: &Server, seen: &mut ServerSeen) {
    let option = |name: &str| server.command.long_option(name);
    seen.config = option("defaults-file").map(|file| server.path(file));
    let text = seen.config.as_ref().and_then(|file| server.text(file));
    let socket = option("socket").or_else(|| server.command.option('S')).map(|socket| server.path(socket));
    seen.socket = socket.or_else(|| socket_in(text.as_deref()?)).filter(|socket| socket.starts_with('/'));
}

fn socket_in(text: &str) -> Option<String> {
    let mut is_servers = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            is_servers = is_servers_section(section.split(']').next().unwrap_or_default());
        } else if let Some((name, value)) = line.split_once('=')
            && is_servers
            && name.trim() == "socket"
        {
            found = Some(value.trim().trim_matches(['"', '\'']).to_owned());
        }
    }
    found
}

/// `mysqld`, `mariadb-10.11`; others are clients', such as `mysqldump` and `mariadb-client`.
fn is_servers_section(name: &str) -> bool {
    let (name, version) = name.split_once('-').unwrap_or((name, "0"));
    matches!(name, "mysqld" | "mariadb" | "mariadbd" | "server") && version.starts_with(|c: char| c.is_ascii_digit())
}

/// Built-in paths of Debian and Fedora.
const USUAL_APACHE: [&str; 2] = ["/etc/apache2/apache2.conf", "/etc/httpd/conf/httpd.conf"];

/// Its command line stays as it was: `apache2 -f FILE -d FOLDER -k start`.
fn see_apache(server: &Server, seen: &mut ServerSeen) {
    let prefix = server.command.option('d').map(|folder| server.path(folder));
    let config = server.command.option('f').map(|given| match &prefix {
        Some(prefix) => plain(&Path::new(prefix).join(given)),
        None => server.path(given),
    });
    let read = config
        .clone()
        .or_else(|| USUAL_APACHE.iter().find(|file| server.text(file).is_some()).map(|file| (*file).into()));
    if let Some((read, text)) = read.and_then(|read| server.text(&read).map(|text| (read, text))) {
        let root = prefix.clone().or_else(|| value(&text, "ServerRoot")).unwrap_or_else(|| folder_of(&read).to_owned());
        let includes = ["IncludeOptional", "Include"].into_iter().flat_map(|name| values(&text, name));
        seen.folder = includes
            .map(|pattern| plain(&Path::new(&root).join(pattern)))
            .filter_map(|pattern| folder_read(&pattern).map(str::to_owned))
            // Debian has its own commands for its folders of modules and sites.
            .filter(|folder| !["mods-enabled", "sites-enabled"].iter().any(|own| folder.ends_with(own)))
            .find(|folder| server.is_dir(folder));
        seen.read = Some(read);
    }
    seen.needs_signal = config.is_some() || prefix.is_some();
    seen.config = config;
    seen.prefix = prefix;
}

fn value(text: &str, name: &str) -> Option<String> {
    values(text, name).next()
}

/// Values of a directive outside of blocks.
fn values(text: &str, name: &str) -> impl Iterator<Item = String> {
    let mut depth = 0_usize;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        match line {
            _ if line.starts_with("</") => depth = depth.saturating_sub(1),
            _ if line.starts_with('<') => depth += 1,
            _ => {
                let (key, value) = line.split_once(char::is_whitespace)?;
                let is_it = depth == 0 && key.eq_ignore_ascii_case(name);
                return is_it.then(|| value.trim().trim_matches(['"', '\'']).to_owned());
            }
        }
        None
    })
}

/// Built-in paths of packages.
const USUAL_NGINX: &str = "/etc/nginx/nginx.conf";
const USUAL_PIDS: [&str; 2] = ["/run/nginx.pid", "/var/run/nginx.pid"];

/// Its title keeps what it was started with: `nginx: master process nginx -c FILE -p FOLDER`.
fn see_nginx(server: &Server, seen: &mut ServerSeen) {
    let title = server.command.title();
    let option = |letter: char| match title.starts_with("nginx: ") {
        true => server.command.option_in_title(letter),
        false => server.command.option(letter),
    };
    let prefix = option('p').map(|prefix| server.path(prefix));
    let config = option('c').map(|given| match &prefix {
        Some(prefix) => plain(&Path::new(prefix).join(given)),
        None if given.starts_with('/') => plain(Path::new(given)),
        // It lies below the built-in folder, which only its builders know.
        None => plain(&Path::new(folder_of(USUAL_NGINX)).join(given)),
    });
    let read = config.clone().unwrap_or_else(|| USUAL_NGINX.to_owned());
    if let Some(text) = server.text(&read) {
        let settings = Settings::of(&text);
        let below = |path: &str, folder: &str| plain(&Path::new(folder).join(path));
        let includes = settings.includes.iter().map(|pattern| below(pattern, folder_of(&read)));
        seen.folder = includes
            .filter_map(|pattern| folder_read(&pattern).map(str::to_owned))
            .find(|folder| server.is_dir(folder));
        seen.needs_signal = !match &settings.pid {
            Some(file) => server.is_pid_file(&below(file, prefix.as_deref().unwrap_or("/usr/share/nginx"))),
            None => USUAL_PIDS.iter().any(|file| server.is_pid_file(file)),
        };
        seen.read = Some(read);
    }
    // Its own `-g` may name another pid file.
    seen.needs_signal |= option('g').is_some();
    seen.config = config;
    seen.prefix = prefix;
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Settings {
    /// Patterns of `include` in the `http` block.
    includes: Vec<String>,
    pid: Option<String>,
}

impl Settings {
    /// Reads directives, as ngx_conf_file.c parses them: words, quotes, comments, blocks.
    fn of(text: &str) -> Self {
        let mut settings = Self::default();
        let mut blocks: Vec<String> = Vec::new();
        let mut words: Vec<String> = Vec::new();
        let mut word: Option<String> = None;
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => {
                    let next = letters.next().unwrap_or('\\');
                    word.get_or_insert_default().push(next);
                }
                '"' | '\'' if word.is_none() => {
                    let mut quoted = String::new();
                    while let Some(inner) = letters.next().filter(|inner| *inner != letter) {
                        quoted.push(if inner == '\\' { letters.next().unwrap_or(inner) } else { inner });
                    }
                    words.push(quoted);
                }
                '#' if word.is_none() => drop(letters.by_ref().find(|end| *end == '\n')),
                ';' | '{' | '}' => {
                    words.extend(word.take());
                    match letter {
                        ';' => settings.directive(&blocks, &words),
                        '{' => blocks.push(words.first().cloned().unwrap_or_default()),
                        _ => drop(blocks.pop()),
                    }
                    words.clear();
                }
                blank if blank.is_ascii_whitespace() => words.extend(word.take()),
                letter => word.get_or_insert_default().push(letter),
            }
        }
        settings
    }

    fn directive(&mut self, blocks: &[String], words: &[String]) {
        match (blocks, words) {
            ([http], [include, pattern]) if http == "http" && include == "include" => {
                self.includes.push(pattern.clone());
            }
            ([], [pid, file]) if pid == "pid" => self.pid = Some(file.clone()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
