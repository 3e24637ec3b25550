//! [`refusal`]: reasons taken from libbpf's messages.

use libbpf_rs::MapType;

use super::error::TraceError;
use super::log;

pub(crate) fn refusal(doing: &'static str, error: libbpf_rs::Error) -> TraceError {
    let said = log::said();
    if said.contains("BEGIN PROG LOAD LOG") {
        return TraceError::Refused { log: log::reason(&said) };
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
