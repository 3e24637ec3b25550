//! The principal type is [`Tool`]: something that sends requests and says how long they took, of the table
//! contestants/tools.toml.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::children::{self, Ran};
use crate::program::{Origin, contestants, table};
use crate::scratch::ScratchFolder;
use crate::template::render;

/// What to send.
#[derive(Debug, Clone)]
pub(crate) struct Load {
    pub(crate) url: String,
    pub(crate) sends: Sends,
    /// The most requests under way at once; without a rate always so many.
    pub(crate) connections: u64,
    pub(crate) keep_alive: bool,
}

/// How many requests, and when.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sends {
    /// So many a second for so many seconds, whatever the answers do.
    Rate { rate: u64, seconds: u64 },
    /// Each after the answer to the one before: so many, or for so long where a tool takes no number.
    BackToBack { requests: u64, seconds: u64 },
}

/// What it says of what it did.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Said {
    /// Requests that were answered with status 200.
    pub(crate) answered: u64,
    /// Those that were not.
    pub(crate) failed: u64,
    /// p50, p90, p95, p99, max; None where the tool does not tell.
    pub(crate) latency: [Option<Duration>; 5],
    /// How late it says it sent: p50, p99, max.
    pub(crate) lag: [Option<Duration>; 3],
    /// What it says that keeping to its schedule cost.
    pub(crate) pacing: Option<Duration>,
}

/// A row of the table, with its program, if it can be had.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    pub(crate) name: String,
    /// The bench that it is for, of these alone.
    only: Option<String>,
    from: Origin,
    #[serde(default)]
    program: PathBuf,
    arguments: Vec<String>,
    #[serde(default)]
    environment: Vec<String>,
    script: Option<String>,
    report: Option<Vec<String>>,
    /// Why it cannot send at a constant rate, if so.
    pub(crate) unpaced: Option<String>,
    answered: String,
    #[serde(default)]
    failed: Vec<String>,
    all: Option<Whole>,
    latency: Option<[String; 5]>,
    lag: Option<[String; 3]>,
    pacing: Option<String>,
    #[serde(default)]
    unit: f64,
}

/// Which number is of all requests.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Whole {
    Answered,
    Failed,
}

#[derive(Deserialize)]
struct Tools {
    tool: Vec<Tool>,
}

/// Those that can be had for a bench; says which cannot.
pub(crate) fn all(bench: &str) -> Result<Vec<Tool>> {
    let mut tools = table::<Tools>("tools.toml")?.tool;
    tools.retain(|tool| tool.only.as_ref().is_none_or(|only| only == bench));
    let found = tools.into_iter().filter_map(|tool| {
        let program = tool.from.path(&tool.name, &tool.program.to_string_lossy())?;
        Some(Tool { program, ..tool })
    });
    Ok(found.collect())
}

impl Load {
    /// How many, for a tool that takes a number.
    pub(crate) fn requests(&self) -> u64 {
        match self.sends {
            Sends::Rate { rate, seconds } => rate * seconds,
            Sends::BackToBack { requests, .. } => requests,
        }
    }

    fn values(&self, scratch: &ScratchFolder, tool: &str) -> Value {
        let (Sends::Rate { seconds, .. } | Sends::BackToBack { seconds, .. }) = self.sends;
        let rate = if let Sends::Rate { rate, .. } = self.sends { Some(rate) } else { None };
        let file = |kind: &str| scratch.path(&format!("{tool}.{kind}"));
        json!({
            "url": self.url, "requests": self.requests(), "seconds": seconds, "connections": self.connections,
            "rate": rate, "close": !self.keep_alive, "script": file("script"), "recording": file("recording"),
        })
    }
}

impl Tool {
    /// Whether it tells percentiles that are worth a comparison.
    pub(crate) fn tells_latency(&self) -> bool {
        self.latency.is_some()
    }

    /// Runs it to its end.
    pub(crate) fn send(&self, load: &Load, scratch: &ScratchFolder) -> Result<(Ran, Said)> {
        let name = self.name.split(',').next().unwrap_or_default();
        let values = load.values(scratch, name);
        if let Some(script) = &self.script {
            scratch.file(&format!("{name}.script"), &render(script, &values, &contestants)?)?;
        }
        let ran = children::run(&mut self.command(&self.arguments, &values)?)?;
        let reported =
            self.report.as_ref().map(|report| children::run(&mut self.command(report, &values)?)).transpose()?;
        let stdout = reported.as_ref().map_or(&ran.stdout, |report| &report.stdout);
        let said = self.said(stdout).map_err(|error| format!("{}: {error}", self.name))?;
        Ok((ran, said))
    }

    fn command(&self, arguments: &[String], values: &Value) -> Result<Command> {
        let mut command = children::tied(&self.program);
        for template in arguments {
            let argument = render(template, values, &contestants)?;
            // What does not apply is left out.
            if !argument.is_empty() || template.is_empty() {
                command.arg(argument);
            }
        }
        command.envs(self.environment.iter().filter_map(|variable| variable.split_once('=')));
        Ok(command)
    }

    fn said(&self, stdout: &str) -> Result<Said> {
        let document = document(stdout);
        let number = |pointer: &String| document.pointer(pointer).and_then(sum);
        let time = |pointer: &String| {
            let seconds = document.pointer(pointer)?.as_f64()? * self.unit;
            Duration::try_from_secs_f64(seconds).ok()
        };
        let mut failed: u64 = self.failed.iter().filter_map(number).sum();
        let mut answered = match (number(&self.answered), self.all) {
            (Some(answered), _) => answered,
            // Nothing of a status that never came.
            (None, Some(Whole::Failed)) if failed > 0 => 0,
            _ => return Err("it says no number of requests".into()),
        };
        match self.all {
            Some(Whole::Answered) => answered = answered.saturating_sub(failed),
            Some(Whole::Failed) => failed = failed.saturating_sub(answered),
            None => {}
        }
        Ok(Said {
            answered,
            failed,
            latency: self.latency.as_ref().map_or([None; 5], |names| names.each_ref().map(time)),
            lag: self.lag.as_ref().map_or([None; 3], |names| names.each_ref().map(time)),
            pacing: self.pacing.as_ref().and_then(time),
        })
    }
}

/// JSON, a line of it, or lines of `key: number`.
fn document(stdout: &str) -> Value {
    let line = || serde_json::from_str(stdout.lines().find(|line| line.starts_with('{'))?).ok();
    let lines = || {
        let pairs = stdout.lines().filter_map(|line| line.split_once(':'));
        pairs.filter_map(|(key, value)| Some((key.to_owned(), json!(value.trim().parse::<u64>().ok()?)))).collect()
    };
    serde_json::from_str(stdout).ok().or_else(line).unwrap_or_else(|| Value::Object(lines()))
}

/// A number, or the sum of an object's.
fn sum(value: &Value) -> Option<u64> {
    match value {
        Value::Object(members) => Some(members.values().filter_map(Value::as_u64).sum()),
        value => value.as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(tool: &str, stdout: &str) -> Said {
        let tools = table::<Tools>("tools.toml").unwrap().tool;
        tools.iter().find(|entry| entry.name.starts_with(tool)).unwrap().said(stdout).unwrap()
    }

    #[test]
    fn what_each_tool_prints_is_understood() {
        let us = |said: &Said| said.latency.map(|time| time.map(|time| time.as_micros()));
        let unladen = said(
            "unladen load",
            r#"{"schema": "unladen.load/1", "rate": 1000.0, "requests": 9998, "errors": {"timeout": 1}, "unsent": 1,
                "latency_ns": {"p50": 90000, "p90": 100000, "p95": 120000, "p99": 250000, "max": 1000000},
                "send_lag_ns": {"p50": 2000, "p99": 9000, "max": 70000}, "pacing": {"cpu_ns": 5000000}}"#,
        );
        assert_eq!((unladen.answered, unladen.failed), (9_998, 2));
        assert_eq!(us(&unladen), [90, 100, 120, 250, 1000].map(Some));
        assert_eq!(unladen.lag[1], Some(Duration::from_micros(9)));
        assert_eq!(unladen.pacing, Some(Duration::from_millis(5)));
        let closed = said("unladen load", r#"{"requests": 5, "errors": {}, "latency_ns": {}, "send_lag_ns": null}"#);
        assert_eq!(closed, Said { answered: 5, ..Said::default() });

        let wrk = said(
            "wrk",
            "Running 1s test @ http://127.0.0.1/\n  51 requests in 1.10s, 5.99KB read\n\
             {\"requests\": 51, \"failed\": 1, \"p50\": 43995, \"p90\": 44024, \"p95\": 44056, \"p99\": 45989, \"max\": 45990}\n",
        );
        assert_eq!((wrk.answered, wrk.failed), (50, 1));
        assert_eq!(us(&wrk), [43_995, 44_024, 44_056, 45_989, 45_990].map(Some));

        let ab = said(
            "ab",
            "Concurrency Level:      7\nComplete requests:      100\nFailed requests:        3\nNon-2xx responses:      2\n",
        );
        assert_eq!(ab, Said { answered: 95, failed: 5, ..Said::default() });

        let oha = said(
            "oha",
            r#"{"summary": {"successRate": 1.0, "total": 0.99, "slowest": 0.001271401},
                "latencyPercentiles": {"p50": 0.000255593, "p90": 0.000510111, "p95": 0.0006217, "p99": 0.00127, "p99.9": 0.00127},
                "statusCodeDistribution": {"200": 97, "503": 1}, "errorDistribution": {"connection closed": 2}}"#,
        );
        assert_eq!((oha.answered, oha.failed), (97, 3));
        assert_eq!(us(&oha), [255, 510, 621, 1270, 1271].map(Some));

        let vegeta = said(
            "vegeta",
            r#"{"latencies": {"total": 3279336477, "mean": 32793364, "50th": 40844840, "90th": 42862814, "95th": 42923144,
                "99th": 44339059, "max": 44878530, "min": 211654}, "requests": 100, "rate": 100.9, "success": 0.98,
                "status_codes": {"0": 2, "200": 98}, "errors": ["EOF"]}"#,
        );
        assert_eq!((vegeta.answered, vegeta.failed), (98, 2));
        assert_eq!(us(&vegeta)[3], Some(44_339));

        let k6 = said(
            "k6",
            r#"{"root_group": {"name": ""}, "metrics": {
                "http_req_duration": {"type": "trend", "contains": "time",
                    "values": {"med": 0.303015, "p(90)": 0.372194, "p(95)": 0.410322, "p(99)": 0.552931, "max": 1.384005}},
                "http_reqs": {"values": {"rate": 100.9, "count": 101}, "type": "counter"},
                "http_req_failed": {"type": "rate", "values": {"rate": 0.01, "passes": 1, "fails": 100}}}}"#,
        );
        assert_eq!((k6.answered, k6.failed), (100, 1));
        assert_eq!(us(&k6)[0], Some(303));
        assert_eq!(said("spinning", "12\n").answered, 12);
    }
}
