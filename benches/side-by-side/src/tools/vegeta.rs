//! vegeta. `vegeta attack` is what is measured; `vegeta report` reads its recording afterwards, at nobody's expense.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::install::{Kind, Program};
use crate::scratch::ScratchFolder;
use crate::tool::{Load, Quantiles, Said, Tool, sum};
use crate::{Result, children};

pub(super) const PROGRAM: Program = Program {
    name: "vegeta",
    version: "12.12.0",
    kind: Kind::Go { module: "github.com/tsenart/vegeta/v12", package: "", go: "1.22" },
};

pub(super) struct Vegeta {
    program: PathBuf,
    targets: PathBuf,
    recording: PathBuf,
}

impl Vegeta {
    pub(super) fn new(program: PathBuf, scratch: &ScratchFolder) -> Self {
        Self { program, targets: scratch.path("vegeta.targets"), recording: scratch.path("vegeta.bin") }
    }
}

impl Tool for Vegeta {
    fn name(&self) -> &'static str {
        "vegeta"
    }

    fn command(&self, load: &Load) -> Result<Command> {
        std::fs::write(&self.targets, format!("GET {}\n", load.url))?;
        let mut command = children::tied(&self.program);
        command.arg("attack").arg("-targets").arg(&self.targets).arg("-output").arg(&self.recording);
        // No rate is as fast as its workers can.
        command.arg(format!("-rate={}", load.rate().unwrap_or(0))).arg(format!("-duration={}", load.time()));
        command.arg(format!("-max-workers={}", load.connections));
        if load.rate().is_none() {
            command.arg(format!("-workers={}", load.connections));
        }
        command.arg(format!("-keepalive={}", load.keep_alive));
        Ok(command)
    }

    fn said(&self, _: &str) -> Result<Said> {
        let report = children::run(children::tied(&self.program).args(["report", "-type=json"]).arg(&self.recording))?;
        said(&report.stdout)
    }
}

fn said(report: &str) -> Result<Said> {
    let document: Value = serde_json::from_str(report)?;
    let statuses = &document["status_codes"];
    let answered = statuses["200"].as_u64().unwrap_or(0);
    Ok(Said {
        answered,
        // Those without an answer count under status 0.
        failed: sum(statuses) - answered,
        latency: Quantiles::of(&document["latencies"], ["50th", "90th", "95th", "99th", "max"], 1e-9),
        ..Said::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_report_is_understood() {
        let said = said(
            r#"{"latencies": {"total": 3279336477, "mean": 32793364, "50th": 40844840, "90th": 42862814, "95th": 42923144,
                "99th": 44339059, "max": 44878530, "min": 211654}, "requests": 100, "rate": 100.9, "success": 0.98,
                "status_codes": {"0": 2, "200": 98}, "errors": ["EOF"]}"#,
        )
        .unwrap();
        assert_eq!((said.answered, said.failed), (98, 2));
        assert_eq!(said.latency.p99.unwrap().as_nanos(), 44_339_059);
    }
}
