//! What this process may do: its privileges, the files that it may open, and the ports that it may listen at.

use std::net::{Ipv4Addr, SocketAddr};

use nix::sys::resource::{Resource, getrlimit};
use unladen_path::{Address, listeners, master, name_of};

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{AS_ROOT, Row, Verb, as_root, is_root};

struct Capability {
    name: &'static str,
    number: u32,
    adds: &'static str,
}

/// capabilities(7).
const USED: [Capability; 4] = [
    Capability { name: "CAP_BPF", number: 39, adds: "findings of traced requests" },
    Capability { name: "CAP_PERFMON", number: CAP_PERFMON, adds: "stacks of any process" },
    Capability { name: "CAP_SYS_PTRACE", number: 19, adds: "files and programs of other users' processes" },
    Capability { name: "CAP_NET_ADMIN", number: 12, adds: "the CPU of short-lived processes" },
];

/// Includes CAP_PERFMON and later capabilities.
const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;

/// What this process may do, from /proc/self/status.
pub(super) const PRIVILEGES: Check = Check::new("privileges", Verb::LOOKING, privileges);

fn privileges(asked: &Asked) -> Vec<Row> {
    of_status(&asked.read("proc/self/status").unwrap_or_default())
}

/// A field of the file; `name` includes the colon.
fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// Whether a process holds the capability; without that field, it is taken to hold all.
fn has(status: &str, capability: u32) -> bool {
    let mask = field(status, "CapEff:").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    mask.is_none_or(|mask| mask >> capability & 1 == 1)
}

fn user(status: &str) -> Option<u32> {
    field(status, "Uid:")?.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn of_status(status: &str) -> Vec<Row> {
    let holds = |one: &Capability| has(status, one.number) || (one.number >= CAP_PERFMON && has(status, CAP_SYS_ADMIN));
    let lacking: Vec<&Capability> = USED.iter().filter(|one| !holds(one)).collect();
    let uid = user(status).unwrap_or_default();
    let who = if uid == 0 { "root".to_owned() } else { format!("user {uid}") };
    let is_locked = field(status, "NoNewPrivs:") == Some("1");
    let mut rows = vec![if lacking.is_empty() {
        Row::ok(Verb::LOOKING, format!("{who}, with {}", USED.map(|one| one.name).join(", ")))
    } else {
        let names: Vec<&str> = lacking.iter().map(|one| one.name).collect();
        let adds: Vec<&str> = lacking.iter().map(|one| one.adds).collect();
        let row = Row::limited(Verb::LOOKING, format!("{who}, without {}", names.join(", ")));
        if uid == 0 {
            let options: Vec<String> =
                names.iter().map(|name| format!("--cap-add {}", name.trim_start_matches("CAP_"))).collect();
            row.so(format!("these capabilities would add {}", adds.join(", "))).advice(format!(
                "root is restricted here: run on the host, or start the container with {}",
                options.join(" ")
            ))
        } else if is_locked {
            row.so(format!("as root, you would also get {}", adds.join(", "))).advice(
                "no_new_privs is set, so sudo does nothing here: use a shell without it (systemd: NoNewPrivileges=no)",
            )
        } else {
            row.so(format!("as root, you would also get {}", adds.join(", "))).fix(AS_ROOT)
        }
    }];
    if field(status, "Seccomp:") == Some("2") {
        rows.push(
            Row::limited(Verb::ALL, "system calls are filtered (seccomp)")
                .so("forbidden calls fail as if a privilege were missing")
                .advice("run on the host, or start the container with --security-opt seccomp=unconfined"),
        );
    }
    rows
}

/// Lets root raise a hard limit.
const CAP_SYS_RESOURCE: u32 = 24;
/// Fewer are few for a server that others call.
const FEW: u64 = 4_096;

/// How many connections can be open at once.
pub(super) const FILES: Check = Check::new("files", &[Verb::Load, Verb::Serve], files);

fn files(asked: &Asked) -> Vec<Row> {
    let status = asked.read("proc/self/status").unwrap_or_default();
    let may_raise = !is_root() || has(&status, CAP_SYS_RESOURCE);
    // Unladen itself raises the soft limit up to the hard one.
    getrlimit(Resource::RLIMIT_NOFILE).map(|(_, hard)| of_limit(hard, may_raise)).into_iter().collect()
}

fn of_limit(hard: u64, may_raise: bool) -> Row {
    if hard < FEW {
        let row = Row::limited(&[Verb::Load, Verb::Serve], format!("at most {hard} files may be open at once"))
            .so("each connection is one");
        return match may_raise {
            true => row.fix(as_root("prlimit --pid $$ --nofile=65536")),
            false => {
                row.advice("start the container, or this shell's service, with a higher limit (--ulimit, LimitNOFILE=)")
            }
        };
    }
    Row::ok(&[Verb::Load, Verb::Serve], format!("{hard} files may be open at once"))
}

const CAP_NET_BIND_SERVICE: u32 = 10;
const WEB: [u16; 2] = [80, 443];
/// First port that needs no privilege, unless the kernel says otherwise.
const FIRST: u16 = 1_024;

/// Whether `serve` could listen at the web's ports. It is not tried: a visitor could connect meanwhile.
pub(super) const PORTS: Check = Check::new("ports", &[Verb::Serve], ports);

fn ports(asked: &Asked) -> Vec<Row> {
    let status = asked.read("proc/self/status").unwrap_or_default();
    let first = asked.line("proc/sys/net/ipv4/ip_unprivileged_port_start").and_then(|line| line.parse().ok());
    let mut rows = Vec::new();
    rows.extend(permitted(first.unwrap_or(FIRST), has(&status, CAP_NET_BIND_SERVICE)));
    rows.extend(WEB.into_iter().filter_map(taken));
    if rows.is_empty() {
        rows.push(Row::ok(&[Verb::Serve], "80 and 443 are free, and `serve` may listen there"));
    }
    rows
}

fn permitted(first: u16, is_privileged: bool) -> Option<Row> {
    (!is_privileged && WEB.into_iter().any(|port| port < first)).then(|| {
        Row::limited(&[Verb::Serve], format!("ports below {first} need CAP_NET_BIND_SERVICE"))
            .so("`serve` may not listen at 80 and 443")
            .fix(as_root("sysctl -w net.ipv4.ip_unprivileged_port_start=80"))
    })
}

fn taken(port: u16) -> Option<Row> {
    let address = Address::Tcp(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)));
    let holders = listeners(&address).ok().flatten()?;
    let who = master(&holders).map_or_else(|| "another user's process".to_owned(), name_of);
    let row = Row::limited(&[Verb::Serve], format!("{who} listens at port {port}")).so("`serve` needs another port");
    Some(match port {
        443 => row,
        _ => row.fix(format!("unladen serve --listen :8080 --to http://127.0.0.1:{port}")),
    })
}

#[cfg(test)]
mod tests;
