//! `unladen load`, as a user has it.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::tool::{Load, Quantiles, Said, Tool, sum};
use crate::{Result, children, unladen};

pub(super) struct Unladen {
    program: PathBuf,
}

impl Unladen {
    pub(super) fn new() -> Result<Self> {
        let program = unladen::built()?;
        let output = Command::new(&program).args(["load", "--help"]).stdin(Stdio::null()).output()?;
        if output.status.success() { Ok(Self { program }) } else { Err("it has no such command".into()) }
    }
}

impl Tool for Unladen {
    fn name(&self) -> &'static str {
        "unladen load"
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let mut command = children::tied(&self.program);
        // Failures are counted beside those of others, and are no failure of the tool.
        command.args(["load", "--json", "-q", "--http", "1.1", "--fail-on", "errors > 100%"]);
        command.args(["--requests", &load.requests().to_string(), "--concurrency", &load.connections.to_string()]);
        if let Some(rate) = load.rate() {
            command.args(["--rate", &rate.to_string()]);
        }
        if !load.keep_alive {
            command.arg("--no-keepalive");
        }
        command.arg(&load.url);
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        said(stdout)
    }
}

fn said(stdout: &str) -> Result<Said> {
    const NS: f64 = 1e-9;
    const NAMES: [&str; 5] = ["p50", "p90", "p95", "p99", "max"];
    let document: serde_json::Value = serde_json::from_str(stdout)?;
    let lag = &document["send_lag_ns"];
    Ok(Said {
        answered: document["requests"].as_u64().ok_or("it says no number of requests")?,
        failed: sum(&document["errors"]) + document["unsent"].as_u64().unwrap_or(0),
        latency: Quantiles::of(&document["latency_ns"], NAMES, NS),
        lag: lag.is_object().then(|| Quantiles::of(lag, NAMES, NS)),
        pacing: document["pacing"]["cpu_ns"].as_u64().map(Duration::from_nanos),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_json_is_understood() {
        let said = said(
            r#"{"schema": "unladen.load/1", "rate": 1000.0, "requests": 9998, "errors": {"timeout": 1}, "unsent": 1,
                "latency_ns": {"p50": 90000, "p90": 100000, "p95": 120000, "p99": 250000, "max": 1000000},
                "send_lag_ns": {"p50": 2000, "p99": 9000, "max": 70000}, "pacing": {"cpu_ns": 5000000}}"#,
        )
        .unwrap();
        assert_eq!((said.answered, said.failed), (9_998, 2));
        assert_eq!(said.latency.p95, Some(Duration::from_micros(120)));
        assert_eq!(said.lag.unwrap().p99, Some(Duration::from_micros(9)));
        assert_eq!(said.lag.unwrap().p90, None);
        assert_eq!(said.pacing, Some(Duration::from_millis(5)));
    }

    #[test]
    fn a_closed_loop_has_no_lag() {
        let said = said(r#"{"requests": 5, "errors": {}, "latency_ns": {}, "send_lag_ns": null}"#).unwrap();
        assert_eq!(said, Said { answered: 5, ..Said::default() });
    }
}
