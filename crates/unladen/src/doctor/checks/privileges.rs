//! The principal type is [`Privileges`]: what this process may do, from /proc/self/status.

use crate::doctor::asked::Asked;
use crate::doctor::check::Check;
use crate::doctor::row::{Row, Verb};
use crate::doctor::shell::AS_ROOT;

pub(crate) struct Privileges;

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

impl Check for Privileges {
    fn name(&self) -> &'static str {
        "privileges"
    }

    fn verbs(&self) -> &'static [Verb] {
        Verb::LOOKING
    }

    fn look(&self, asked: &Asked) -> Vec<Row> {
        rows(&asked.read("proc/self/status").unwrap_or_default())
    }
}

/// A field of the file; `name` includes the colon.
pub(super) fn field<'a>(status: &'a str, name: &str) -> Option<&'a str> {
    status.lines().find_map(|line| line.strip_prefix(name)).map(str::trim)
}

/// Whether a process holds the capability; without that field, it is taken to hold all.
pub(super) fn has(status: &str, capability: u32) -> bool {
    let mask = field(status, "CapEff:").and_then(|hex| u64::from_str_radix(hex, 16).ok());
    mask.is_none_or(|mask| mask >> capability & 1 == 1)
}

pub(super) fn user(status: &str) -> Option<u32> {
    field(status, "Uid:")?.split_ascii_whitespace().nth(1)?.parse().ok()
}

fn rows(status: &str) -> Vec<Row> {
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
            row.so(format!("they would add {}", adds.join(", "))).advice(format!(
                "this root is restricted: run on the host, or start the container with {}",
                options.join(" ")
            ))
        } else if is_locked {
            row.so(format!("root would add {}", adds.join(", "))).advice(
                "no_new_privs is set, so sudo does nothing here: use a shell without it (systemd: NoNewPrivileges=no)",
            )
        } else {
            row.so(format!("root would add {}", adds.join(", "))).fix(AS_ROOT)
        }
    }];
    if field(status, "Seccomp:") == Some("2") {
        rows.push(
            Row::limited(Verb::ALL, "system calls are filtered (seccomp)")
                .so("what the filter forbids fails as if a privilege were missing")
                .advice("run on the host, or start the container with --security-opt seccomp=unconfined"),
        );
    }
    rows
}

#[cfg(test)]
mod tests;
