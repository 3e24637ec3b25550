//! What tracing needs of the machine, looked at before anything is tried: so that each lack has its own words.

use std::fs;
use std::path::Path;

use super::TraceError;

const CAP_SYS_ADMIN: u32 = 21;
const CAP_PERFMON: u32 = 38;
const CAP_BPF: u32 = 39;

/// The first PID namespace's number is fixed (`PROC_PID_INIT_INO`).
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

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
    if fs::read_link("/proc/self/ns/pid").is_ok_and(|link| link.as_os_str() != FIRST_PID_NAMESPACE) {
        return Err(TraceError::PidNamespace);
    }
    Ok(())
}

/// By the effective capabilities in /proc/self/status.
fn may_trace(status: &str) -> bool {
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let Some(mask) = line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok()) else { return true };
    let has = |capability: u32| mask >> capability & 1 == 1;
    has(CAP_SYS_ADMIN) || has(CAP_BPF) && has(CAP_PERFMON)
}

#[cfg(test)]
mod tests {
    use super::may_trace;

    #[test]
    fn capabilities_decide() {
        assert!(may_trace("Name:\tx\nCapEff:\t000001ffffffffff\n"));
        assert!(may_trace("CapEff:\t000000c000000000\n"), "CAP_BPF and CAP_PERFMON are enough");
        assert!(!may_trace("CapEff:\t0000008000000000\n"), "CAP_BPF alone is not");
        assert!(!may_trace("CapEff:\t0000000000000000\n"));
    }
}
