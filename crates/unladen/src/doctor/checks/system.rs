//! The system that this is: its kernel, control groups, container and services.

use std::path::Path;

use unladen_files::{Root, RootError};
use unladen_machine::{Environment, Virtualisation, control_group_mounts};

use crate::doctor::check::{Asked, Check};
use crate::doctor::row::{Row, Verb};

/// First kernel that lets programs trace with CAP_BPF and has the helpers of the tracer's programs;
/// docs/reference/trace.md.
const TRACES: (u32, u32) = (5, 8);

/// The kernel's version, and the system calls that not all have.
pub(super) const KERNEL: Check = Check::new("kernel", Verb::ALL, kernel);

fn kernel(asked: &Asked) -> Vec<Row> {
    let mut rows = vec![version(&asked.line("proc/sys/kernel/osrelease").unwrap_or_default())];
    if let Err(error @ RootError::NoOpenat2 { .. }) = Root::open(Path::new("/")) {
        rows.push(Row::missing(&[Verb::Serve], error.to_string()));
    }
    rows
}

fn version(release: &str) -> Row {
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit()).map(str::parse::<u32>);
    let (Some(Ok(major)), Some(Ok(minor))) = (numbers.next(), numbers.next()) else {
        return Row::limited(Verb::TRACING, "the kernel does not report its version").so("it may not be Linux");
    };
    if (major, minor) < TRACES {
        return Row::missing(Verb::TRACING, format!("Linux {release}"))
            .so(format!("looking inside requests needs {}.{} or later", TRACES.0, TRACES.1))
            .advice("boot a newer kernel; figures by process work all the same");
    }
    Row::ok(Verb::ALL, format!("Linux {release}"))
}

/// Whether processes can be told apart by unit.
pub(super) const CONTROL_GROUPS: Check = Check::new("cgroup", Verb::LOOKING, control_groups);

fn control_groups(asked: &Asked) -> Vec<Row> {
    let mounts = asked.read("proc/self/mountinfo").unwrap_or_default();
    let version_2 = control_group_mounts(mounts.as_bytes()).into_iter().find(|mount| mount.controllers.is_none());
    vec![match version_2 {
        Some(mount) => Row::ok(Verb::LOOKING, format!("control groups of version 2 at {}", mount.point.display())),
        None => Row::limited(Verb::LOOKING, "no control groups of version 2 are mounted")
            .so("CPU times of units are summed from their processes, and less exact")
            .advice("boot with systemd.unified_cgroup_hierarchy=1; in a container, mount /sys/fs/cgroup"),
    }]
}

/// What stands between this process and the hardware.
pub(super) const CONTAINER: Check = Check::new("container", Verb::LOOKING, container);

fn container(_: &Asked) -> Vec<Row> {
    vec![of_virtualisation(&Environment::of_this_machine().virtualisation)]
}

fn of_virtualisation(virtualisation: &Virtualisation) -> Row {
    if virtualisation.container.is_some() {
        return Row::limited(Verb::LOOKING, format!("a container ({virtualisation})"))
            .so("only processes, files and counters of this container are visible")
            .advice("run unladen on the host, or once in each container (weigh --host)");
    }
    match virtualisation.hypervisor {
        Some(hypervisor) => Row::ok(Verb::LOOKING, format!("no container; a virtual machine ({hypervisor})")),
        None => Row::ok(Verb::LOOKING, "no container, no virtual machine"),
    }
}

/// Whether services are units of systemd.
pub(super) const SYSTEMD: Check = Check::new("systemd", &[Verb::Prove, Verb::Serve], systemd);

fn systemd(asked: &Asked) -> Vec<Row> {
    // As sd_booted(3) does.
    vec![if asked.path("run/systemd/system").is_dir() {
        Row::ok(&[Verb::Prove, Verb::Serve], "services are units of systemd")
    } else {
        Row::limited(&[Verb::Prove, Verb::Serve], "systemd does not run here")
            .so("where fixes and experiments say `systemctl`, use the command that restarts the service here")
    }]
}

#[cfg(test)]
mod tests;
