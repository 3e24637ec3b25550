//! What the machine lets a test do: [`skip_without`].

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{Uid, User};

use crate::bed;
use crate::bpf;
use crate::quota::Quota;

/// What a test cannot do everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ability {
    /// To become another user.
    Root,
    /// To mount something that only the test's own processes see.
    PrivateMounts,
    /// To make hosts of namespaces, with a network between them.
    Hosts,
    /// To look into other processes by eBPF.
    Tracing,
    /// To make a control group with a CPU quota.
    CpuQuota,
    /// To serve Sympa: its package is one that few have, and that cannot be installed beside every mail server.
    Sympa,
}

/// Whether the test has to be left out, for lack of an ability. It says so on a line of its own, which libtest does not
/// capture and `.ci/run` counts. With `UNLADEN_TESTS=all` nothing may be left out: the test fails.
pub fn skip_without(ability: Ability, test: &str) -> bool {
    let lacking = match ability {
        Ability::Root => (!Uid::effective().is_root()).then_some("it takes root"),
        Ability::PrivateMounts => {
            (!mounts_privately()).then_some("it takes root, and a container that permits mount namespaces")
        }
        Ability::Hosts => (!bed::is_permitted()).then_some(
            "it takes root, openssh-server, and a container that permits namespaces, bridges and veth in them",
        ),
        Ability::Tracing => {
            (!bpf::is_permitted()).then_some("it takes root, and a kernel that permits eBPF and has BTF")
        }
        Ability::CpuQuota => Quota::new()
            .is_none()
            .then_some("it takes root, and control groups with a CPU controller that can be written to"),
        Ability::Sympa => (!Path::new("/usr/lib/cgi-bin/sympa/wwsympa.fcgi").exists())
            .then_some("Sympa is not installed; as root, subjects/sympa/run up does that"),
    };
    let Some(why) = lacking else { return false };
    tell_skipped(test, why);
    true
}

/// Tells that a test is left out, and why; fails if none may be.
pub(crate) fn tell_skipped(test: &str, why: &str) {
    assert!(std::env::var_os("UNLADEN_TESTS").is_none_or(|value| value != "all"), "{test} may not be left out: {why}");
    // Not eprintln!, which is shown of failing tests only.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {test}: {why}");
}

fn mounts_privately() -> bool {
    Command::new("unshare")
        .args(["--mount", "mount", "-t", "tmpfs", "none", "/mnt"])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The user that the subjects' workers run as: theirs where root starts them, else ours.
pub fn worker() -> String {
    let own = Uid::effective();
    if own.is_root() {
        return "www-data".to_owned();
    }
    User::from_uid(own).ok().flatten().map_or_else(|| own.to_string(), |user| user.name)
}
