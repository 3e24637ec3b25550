//! The principal type is [`Pledges`]: the subject, up with a state of its own.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::fault::folder;
use crate::real::RealError;

/// The running subject; it goes down, and its data with it, when this is dropped.
#[derive(Debug)]
pub struct Pledges {
    state: PathBuf,
    url: String,
}

impl Pledges {
    /// Brings it up.
    ///
    /// # Errors
    /// If it does not come up: its own words say why.
    pub fn start() -> Result<Self, RealError> {
        let state = std::env::temp_dir().join(format!("unladen-findings-{}", std::process::id()));
        std::fs::create_dir_all(&state).map_err(RealError::io(state.display().to_string()))?;
        let mut subject = Self { state, url: String::new() };
        subject.url = subject.run(&["up"])?.trim().to_owned();
        Ok(subject)
    }

    /// The page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Switches all faults off and, if one is given, that one on.
    ///
    /// # Errors
    /// If it cannot be switched.
    pub fn only(&self, fault: Option<&str>) -> Result<(), RealError> {
        self.run(&["fault", "none"])?;
        match fault {
            Some(fault) => self.run(&["fault", fault, "on"]).map(drop),
            None => Ok(()),
        }
    }

    fn run(&self, arguments: &[&str]) -> Result<String, RealError> {
        let mut command = Command::new(folder().join("run"));
        command.args(arguments).env("UNLADEN_STATE", &self.state).stdin(Stdio::null());
        let output = command.output().map_err(RealError::io("subjects/pledges/run"))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.trim().lines().last().unwrap_or("it did not say why").to_owned();
            return Err(RealError::failed(format!("subjects/pledges/run {}: {said}", arguments.join(" "))));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

impl Drop for Pledges {
    fn drop(&mut self) {
        // What is left of it is found and ended by the next `up` there; the folder is kept for that.
        if self.run(&["down", "--purge"]).is_ok() {
            let _ = std::fs::remove_dir_all(&self.state);
        }
    }
}
