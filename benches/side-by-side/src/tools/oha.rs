//! oha.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::install::{Kind, Program};
use crate::tool::{Load, Quantiles, Said, Tool, sum};
use crate::{Result, children};

pub(super) const PROGRAM: Program = Program { name: "oha", version: "1.16.0", kind: Kind::Crate };

pub(super) struct Oha {
    pub(super) program: PathBuf,
}

impl Tool for Oha {
    fn name(&self) -> &'static str {
        "oha"
    }

    fn command(&self, load: &Load) -> Result<Command> {
        let mut command = children::tied(&self.program);
        command.args(["--no-tui", "--output-format", "json"]);
        command.args(["-n", &load.requests().to_string(), "-c", &load.connections.to_string()]);
        if let Some(rate) = load.rate() {
            command.args(["-q", &rate.to_string(), "--latency-correction"]);
        }
        if !load.keep_alive {
            command.arg("--disable-keepalive");
        }
        command.arg(&load.url);
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        said(stdout)
    }
}

fn said(stdout: &str) -> Result<Said> {
    let document: Value = serde_json::from_str(stdout)?;
    let statuses = &document["statusCodeDistribution"];
    let answered = statuses["200"].as_u64().unwrap_or(0);
    let latency = Quantiles::of(&document["latencyPercentiles"], ["p50", "p90", "p95", "p99", "-"], 1.0);
    let slowest = document["summary"]["slowest"].as_f64().ok_or("it says no slowest")?;
    Ok(Said {
        answered,
        failed: sum(statuses) - answered + sum(&document["errorDistribution"]),
        latency: Quantiles { max: Some(std::time::Duration::try_from_secs_f64(slowest)?), ..latency },
        ..Said::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn its_json_is_understood() {
        let said = said(
            r#"{"summary": {"successRate": 1.0, "total": 0.99, "slowest": 0.001271401},
                "latencyPercentiles": {"p50": 0.000255593, "p90": 0.000510111, "p95": 0.0006217, "p99": 0.00127, "p99.9": 0.00127},
                "statusCodeDistribution": {"200": 97, "503": 1}, "errorDistribution": {"connection closed": 2}}"#,
        )
        .unwrap();
        assert_eq!((said.answered, said.failed), (97, 3));
        assert_eq!(said.latency.p50.unwrap().as_nanos(), 255_593);
        assert_eq!(said.latency.max.unwrap().as_nanos(), 1_271_401);
    }
}
