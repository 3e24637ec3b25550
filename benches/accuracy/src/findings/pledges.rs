//! The principal type is [`Pledges`]: the subject, up with a state of its own.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::folder;
use crate::real::RealError;

/// Work whose amount is in PHP's settings; what it uses goes with its function.
const STEPS: &str = "<?php
(static function (): void {
    for ($i = 0, $steps = (int) get_cfg_var('unladen.steps'); $i < $steps; $i++) {
        crc32((string) $i);
    }
})();
";

/// The running subject; it goes down, and its data with it, when this is dropped.
#[derive(Debug)]
pub struct Pledges {
    state: PathBuf,
    url: String,
}

impl Pledges {
    /// Brings it up.
    pub fn start() -> Result<Self, RealError> {
        let state = std::env::temp_dir().join(format!("unladen-findings-{}", std::process::id()));
        std::fs::create_dir_all(&state).map_err(RealError::of(state.display().to_string()))?;
        let mut subject = Self { state, url: String::new() };
        subject.url = subject.run(&["up"])?.trim().to_owned();
        Ok(subject)
    }

    /// The page.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Switches all faults off and, if one is given, that one on.
    pub fn only(&self, fault: Option<&str>) -> Result<(), RealError> {
        self.run(&["fault", "none"])?;
        match fault {
            Some(fault) => self.run(&["fault", fault, "on"]).map(drop),
            None => Ok(()),
        }
    }

    /// Restarts PHP, which then does so many steps of work of its own before each page.
    pub fn restart_with_steps(&self, steps: u64) -> Result<(), RealError> {
        let (folder, program) = (self.folder(), self.folder().join("app/steps.php"));
        if !program.exists() {
            write(&program, STEPS)?;
        }
        let settings = format!("unladen.steps = {steps}\nauto_prepend_file = {}\n", program.display());
        write(&folder.join("php.d/zz-steps.ini"), &settings)?;
        self.run(&["restart"]).map(drop)
    }

    /// PHP's processes: the manager, and those that answer.
    pub fn php(&self) -> Result<Vec<u32>, RealError> {
        let read = |path: &Path| std::fs::read_to_string(path).map_err(RealError::of(path.display().to_string()));
        let manager = read(&self.folder().join("fpm.pid"))?;
        let manager = manager.trim();
        let children = read(&PathBuf::from(format!("/proc/{manager}/task/{manager}/children")))?;
        let pids = std::iter::once(manager).chain(children.split_whitespace());
        pids.map(|pid| pid.parse().map_err(|_| RealError::failed(format!("no process: {pid}")))).collect()
    }

    /// Where it listens.
    pub fn address(&self) -> Result<SocketAddr, RealError> {
        let address = self.url.split('/').nth(2).and_then(|address| address.parse().ok());
        address.ok_or_else(|| RealError::failed(format!("no address: {}", self.url)))
    }

    fn folder(&self) -> PathBuf {
        self.state.join("pledges")
    }

    fn run(&self, arguments: &[&str]) -> Result<String, RealError> {
        let mut command = Command::new(folder().join("run"));
        command.args(arguments).env("UNLADEN_STATE", &self.state).stdin(Stdio::null());
        let output = command.output().map_err(RealError::of("subjects/pledges/run"))?;
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

fn write(path: &Path, text: &str) -> Result<(), RealError> {
    std::fs::write(path, text).map_err(RealError::of(path.display().to_string()))
}
