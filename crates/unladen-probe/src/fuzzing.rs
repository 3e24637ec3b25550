//! Entry points for fuzz/ into private parsers; not part of the public interface.

use crate::cgroup::{self, Hierarchy};
use crate::container_state::{ContainerState, name_in_docker, read_answer};
use crate::process::{Io, Stat};
use crate::procfs::{decimal, number_after};
use crate::{container, taskstats};

/// Runs every parser of kernel text files over the same bytes.
pub fn kernel_text(bytes: &[u8]) {
    let _ = Stat::parse(bytes);
    let _ = Io::parse(bytes);
    let _ = Hierarchy::parse(bytes);
    if let Some(unit) = cgroup::unit_of(bytes) {
        let name = unit.name(&mut ContainerState::new("/nonexistent"));
        assert!(!name.is_empty() && !name.chars().any(char::is_control), "a unit has a name: {name:?}");
    }
    let _ = cgroup::path_of(bytes);
    let _ = decimal(bytes);
    let _ = number_after(bytes, b"nonvoluntary_ctxt_switches:");
}

/// Name and restart command of the container in a `/proc/PID/cgroup`.
pub fn container(cgroup: &str) -> Option<(String, Option<String>)> {
    container::named(cgroup)
}

/// Name of the container in an HTTP answer of Docker's engine.
pub fn docker(answer: &[u8]) -> Option<String> {
    Some(name_in_docker(&read_answer(answer)?)?.to_string())
}

/// Number of exit records understood in a datagram.
pub fn exit_records(datagram: &[u8]) -> usize {
    taskstats::records_in(datagram).flatten().count()
}
