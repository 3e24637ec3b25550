//! Runs `unladen weigh`, and reads what it says. The principal type is [`Weights`].

use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::real::binaries::Binaries;
use crate::real::burn::Burn;
use crate::real::error::RealError;
use crate::real::setting::Setting;
use crate::real::weighed::Weighed;

/// The document of `unladen weigh --json`, as far as it is needed.
#[derive(Debug, Deserialize)]
pub(super) struct Weights {
    weights: Vec<Row>,
}

#[derive(Debug, Deserialize)]
struct Row {
    group: String,
    counter: String,
    per_request: f64,
    low: f64,
    high: f64,
    follows: bool,
}

pub(super) fn run(binaries: &Binaries, subject: &Burn, setting: &Setting) -> Result<Weights, RealError> {
    let text = document(binaries, &subject.url(), setting)?;
    serde_json::from_slice(&text).map_err(|source| RealError::Json { what: "unladen weigh", source })
}

/// The whole document.
pub(super) fn document(binaries: &Binaries, url: &str, setting: &Setting) -> Result<Vec<u8>, RealError> {
    let mut unladen = Command::new(binaries.path("unladen"));
    unladen.env("UNLADEN_STORE", "off");
    unladen.args(["weigh", url, "--json", "--quiet", "--no-findings"]);
    unladen.args(["--group-by", if setting.in_unit { "auto" } else { "exe" }]);
    unladen.args(["--time", &humantime::format_duration(setting.time).to_string()]);
    unladen.args(["--seed", &setting.seed.to_string()]);
    if let Some(phase) = setting.phase {
        unladen.args(["--phase", &humantime::format_duration(phase).to_string()]);
    }
    // It ends by itself: its time is bounded, and so is each request.
    let output = unladen.stdin(Stdio::null()).output().map_err(RealError::io("unladen"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(RealError::failed(format!("unladen weigh: {}: {said}", output.status)));
    }
    Ok(output.stdout)
}

impl Weights {
    /// What is said of the CPU of a group, named without its user.
    pub(super) fn of(&self, group: &'static str, truth: f64) -> Result<Weighed, RealError> {
        let row = self
            .weights
            .iter()
            .filter(|row| row.counter == "cpu")
            .find(|row| row.group.rsplit(' ').next() == Some(group))
            .ok_or_else(|| RealError::failed(format!("unladen weigh says nothing of {group}")))?;
        let Row { per_request: value, low, high, follows, .. } = *row;
        Ok(Weighed { group, truth, value, low, high, follows })
    }
}
