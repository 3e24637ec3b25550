//! What tracing needs of the machine, checked beforehand so that each lack has its own message.

use std::fs;
use std::path::Path;

use super::TraceError;

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// The first PID namespace's number is fixed (`PROC_PID_INIT_INO`).
const FIRST_PID_NAMESPACE: u32 = 4_026_531_836;

pub(crate) fn require() -> Result<(), TraceError> {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    if !may_trace(&status) {
        return Err(TraceError::NotAllowed);
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Err(TraceError::NoBtf);
    }
    if fs::read_to_string("/sys/kernel/security/lockdown").is_ok_and(|modes| modes.contains("[confidentiality]")) {
        return Err(TraceError::LockedDown);
    }
    Ok(())
}

/// Programs that take the kernel's own ids for those of /proc need the first PID namespace.
pub(crate) fn require_first_namespace() -> Result<(), TraceError> {
    if nested()?.is_some() { Err(TraceError::PidNamespace) } else { Ok(()) }
}

/// The number of this process's PID namespace; `None` in the first one, where ids are the kernel's own.
pub(super) fn nested() -> Result<Option<u32>, TraceError> {
    let own = std::process::id().to_string();
    // Ids in a /proc of another namespace differ from those that the kernel will be asked for.
    if fs::read_link("/proc/self").is_ok_and(|link| link.as_os_str() != own.as_str()) {
        return Err(TraceError::OtherProc);
    }
    let number = fs::read_link("/proc/self/ns/pid").ok().and_then(|link| number(link.to_str()?));
    Ok(number.filter(|number| *number != FIRST_PID_NAMESPACE))
}

/// `pid:[4026532281]`
fn number(link: &str) -> Option<u32> {
    link.strip_prefix("pid:[")?.strip_suffix(']')?.parse().ok()
}

/// By the effective capabilities in /proc/self/status.
fn may_trace(status: &str) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let Some(mask) = line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()) else { return true };
    let has = |capability: u32| mask >> capability & 1 == 1;
    has(CAP_SYS_ADMIN) || has(CAP_BPF) && has(CAP_PERFMON)
}

#[cfg(test)]
mod tests;
