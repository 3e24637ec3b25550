//! libbpf's messages while programs are loaded: they would go to stderr, and contain the verifier's reasons.

use std::sync::Mutex;

use libbpf_rs::{PrintLevel, set_print};

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

#[cfg(test)]
mod tests;
