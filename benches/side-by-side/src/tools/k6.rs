//! k6.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};

use crate::install::{Kind, Program};
use crate::scratch::ScratchFolder;
use crate::tool::{Load, Quantiles, Said, Tool};
use crate::{Result, children};

pub(super) const PROGRAM: Program =
    Program { name: "k6", version: "1.8.1", kind: Kind::Go { module: "go.k6.io/k6", package: "", go: "1.25" } };

/// The least that it can do for a request.
const SCRIPT: &str = "
import http from 'k6/http';
export const options = {
  discardResponseBodies: true,
  noConnectionReuse: __ENV.CLOSE === '1',
  scenarios: { load: JSON.parse(__ENV.SCENARIO) },
  summaryTrendStats: ['med', 'p(90)', 'p(95)', 'p(99)', 'max'],
};
export default function () { http.get(__ENV.URL); }
export function handleSummary(data) { return { stdout: JSON.stringify(data) }; }
";

pub(super) struct K6 {
    program: PathBuf,
    script: PathBuf,
}

impl K6 {
    pub(super) fn new(program: PathBuf, scratch: &ScratchFolder) -> Result<Self> {
        Ok(Self { program, script: scratch.file("k6.js", SCRIPT)? })
    }
}

impl Tool for K6 {
    fn name(&self) -> &'static str {
        "k6"
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let (users, time) = (load.connections, load.time());
        let scenario = match load.rate() {
            Some(rate) => json!({
                "executor": "constant-arrival-rate", "rate": rate, "timeUnit": "1s", "duration": time,
                "preAllocatedVUs": users, "maxVUs": users,
            }),
            None => json!({ "executor": "constant-vus", "vus": users, "duration": time }),
        };
        let mut command = children::tied(&self.program);
        // No server of its own, and nothing said to anybody.
        command.args(["run", "--quiet", "--no-usage-report", "--address", ""]);
        command.arg("-e").arg(format!("URL={}", load.url)).arg("-e").arg(format!("SCENARIO={scenario}"));
        command.arg("-e").arg(format!("CLOSE={}", u8::from(!load.keep_alive)));
        command.arg(&self.script).env("K6_AUTO_EXTENSION_RESOLUTION", "false");
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        said(stdout)
    }
}

fn said(stdout: &str) -> Result<Said> {
    let document: Value = serde_json::from_str(stdout)?;
    let metric = |name: &str| &document["metrics"][name]["values"];
    let all = metric("http_reqs")["count"].as_u64().ok_or("it says no number of requests")?;
    // "passes" of the metric "failed".
    let failed = metric("http_req_failed")["passes"].as_u64().unwrap_or(0);
    Ok(Said {
        answered: all.saturating_sub(failed),
        failed,
        latency: Quantiles::of(metric("http_req_duration"), ["med", "p(90)", "p(95)", "p(99)", "max"], 1e-3),
        ..Said::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_summary_is_understood() {
        let said = said(
            r#"{"root_group": {"name": ""}, "metrics": {
                "http_req_duration": {"type": "trend", "contains": "time",
                    "values": {"med": 0.303015, "p(90)": 0.372194, "p(95)": 0.410322, "p(99)": 0.552931, "max": 1.384005}},
                "http_reqs": {"values": {"rate": 100.9, "count": 101}, "type": "counter"},
                "http_req_failed": {"type": "rate", "values": {"rate": 0.01, "passes": 1, "fails": 100}}}}"#,
        )
        .unwrap();
        assert_eq!((said.answered, said.failed), (100, 1));
        assert_eq!(said.latency.p50.unwrap().as_nanos(), 303_015);
    }
}
