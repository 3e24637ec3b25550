//! wrk, with one thread.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::scratch::ScratchFolder;
use crate::tool::{Load, Quantiles, Said, Tool};
use crate::{Result, children};

/// It prints fewer percentiles by itself. This runs once, at the end.
const SCRIPT: &str = r#"
function done(summary, latency)
  local e = summary.errors
  io.write(string.format('{"requests": %d, "failed": %d, "p50": %d, "p90": %d, "p95": %d, "p99": %d, "max": %d}\n',
    summary.requests, e.connect + e.read + e.write + e.status + e.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(95), latency:percentile(99), latency.max))
end
"#;

pub(super) struct Wrk {
    script: PathBuf,
}

impl Wrk {
    pub(super) fn new(scratch: &ScratchFolder) -> Result<Self> {
        Ok(Self { script: scratch.file("wrk.lua", SCRIPT)? })
    }
}

impl Tool for Wrk {
    fn name(&self) -> &'static str {
        "wrk, 1 thread"
    }

    fn unpaced(&self) -> Option<&'static str> {
        Some("it sends when an answer has come, at no rate of its own")
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let mut command = children::tied("wrk");
        command
            .args(["-t1", &format!("-c{}", load.connections), &format!("-d{}", load.time()), "-s"])
            .arg(&self.script);
        if !load.keep_alive {
            command.args(["-H", "Connection: close"]);
        }
        command.arg(&load.url);
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        said(stdout)
    }
}

fn said(stdout: &str) -> Result<Said> {
    let line = stdout.lines().find(|line| line.starts_with('{')).ok_or("its script printed nothing")?;
    let values: Value = serde_json::from_str(line)?;
    let failed = values["failed"].as_u64().ok_or("it says nothing of errors")?;
    Ok(Said {
        answered: values["requests"].as_u64().ok_or("it says no number of requests")?.saturating_sub(failed),
        failed,
        latency: Quantiles::of(&values, ["p50", "p90", "p95", "p99", "max"], 1e-6),
        ..Said::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_of_its_script_is_understood() {
        let text = "Running 1s test @ http://127.0.0.1/\n  51 requests in 1.10s, 5.99KB read\n\
                    {\"requests\": 51, \"failed\": 1, \"p50\": 43995, \"p90\": 44024, \"p95\": 44056, \"p99\": 45989, \"max\": 45990}\n";
        let said = said(text).unwrap();
        assert_eq!((said.answered, said.failed), (50, 1));
        assert_eq!(said.latency.max.unwrap().as_micros(), 45_990);
        assert_eq!(said.latency.p95.unwrap().as_micros(), 44_056);
    }
}
