//! ab, of the Apache HTTP server.

use std::process::Command;

use crate::tool::{Load, Said, Tool};
use crate::{Result, children};

pub(super) struct Ab;

impl Tool for Ab {
    fn name(&self) -> &'static str {
        "ab"
    }

    fn unpaced(&self) -> Option<&'static str> {
        Some("it sends when an answer has come, at no rate of its own")
    }

    /// They are of whole ms.
    fn tells_latency(&self) -> bool {
        false
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let mut command = children::tied("ab");
        command.args(["-q", "-n", &load.requests().to_string(), "-c", &load.connections.to_string()]);
        if load.keep_alive {
            command.arg("-k");
        }
        command.arg(&load.url);
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        said(stdout)
    }
}

fn said(stdout: &str) -> Result<Said> {
    let number = |key| stdout.lines().find_map(|line| line.strip_prefix(key))?.trim().parse::<u64>().ok();
    let all = number("Complete requests:").ok_or("it says no number of requests")?;
    let failed = number("Failed requests:").unwrap_or(0) + number("Non-2xx responses:").unwrap_or(0);
    Ok(Said { answered: all.saturating_sub(failed), failed, ..Said::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_not_answers() {
        let text = "Concurrency Level:      7\nComplete requests:      100\nFailed requests:        3\n\
                    Non-2xx responses:      2\n";
        assert_eq!(said(text).unwrap(), Said { answered: 95, failed: 5, ..Said::default() });
        assert!(said("apr_socket_recv: Connection refused").is_err());
    }
}
