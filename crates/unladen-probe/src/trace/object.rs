//! Loading of the objects compiled from bpf/ by clang: what it needs of the machine, checked beforehand so that each
//! lack has its own message, and why it was refused. libbpf's messages would go to stderr, and contain the verifier's
//! reasons.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use libbpf_rs::{MapType, ObjectBuilder, OpenObject, PrintLevel, set_print};

use crate::trace::TraceError;

/// libelf needs the bytes aligned to be read as numbers.
#[repr(C, align(8))]
pub(crate) struct Aligned<T: ?Sized>(pub(crate) T);

pub(super) static CALLS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/calls.bpf.o")));

/// Separate, so that a kernel that refuses functions of programs and libraries still takes the rest.
pub(super) static FUNCTIONS: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/functions.bpf.o")));

pub(crate) fn open(bytes: &[u8]) -> Result<OpenObject, TraceError> {
    ObjectBuilder::default().open_memory(bytes).map_err(|error| refusal("reading its own programs", error))
}

/// Bound on what is kept: the verifier's log of one program can have megabytes.
const MOST_BYTES: usize = 4 << 20;

const SHOWN_LINES: usize = 3;

static SAID: Mutex<String> = Mutex::new(String::new());

fn keep(_: PrintLevel, said: String) {
    if let Ok(mut kept) = SAID.lock()
        && kept.len() + said.len() <= MOST_BYTES
    {
        kept.push_str(&said);
    }
}

pub(crate) fn listen() {
    set_print(Some((PrintLevel::Warn, keep)));
}

pub(super) fn said() -> String {
    SAID.lock().map(|mut kept| std::mem::take(&mut *kept)).unwrap_or_default()
}

/// Why a program was refused: its name, and the end of the verifier's log, where the reason stands.
pub(super) fn reason(said: &str) -> String {
    let failed = said.lines().find(|line| line.contains("load failed")).unwrap_or_default();
    let log: Vec<&str> = said
        .lines()
        .skip_while(|line| !line.contains("BEGIN PROG LOAD LOG"))
        .skip(1)
        .take_while(|line| !line.contains("END PROG LOAD LOG"))
        .filter(|line| {
            !line.starts_with("processed ")
                && !line.starts_with("verification time")
                && !line.starts_with("stack depth")
        })
        .collect();
    let last = &log[log.len().saturating_sub(SHOWN_LINES)..];
    let mut parts = vec![failed.trim_start_matches("libbpf: ").trim()];
    parts.extend(last.iter().map(|line| line.trim()));
    parts.retain(|part| !part.is_empty());
    if parts.is_empty() { said.lines().last().unwrap_or_default().to_owned() } else { parts.join("; ") }
}

/// Reasons taken from libbpf's messages.
pub(crate) fn refusal(doing: &'static str, error: libbpf_rs::Error) -> TraceError {
    let said = said();
    if said.contains("BEGIN PROG LOAD LOG") {
        return TraceError::Refused { log: reason(&said) };
    }
    match error.kind() {
        libbpf_rs::ErrorKind::PermissionDenied => TraceError::NotAllowed,
        libbpf_rs::ErrorKind::OutOfMemory => TraceError::Memory,
        // Tried instead of derived from the version: distributions backport it.
        _ if MapType::RingBuf.is_supported().is_ok_and(|has| !has) => TraceError::TooOld,
        _ => {
            let last = said.lines().last().unwrap_or_default().trim_start_matches("libbpf: ").to_owned();
            TraceError::Failed {
                doing,
                why: if last.is_empty() { format!("{error:#}") } else { format!("{error}: {last}") },
            }
        }
    }
}

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
