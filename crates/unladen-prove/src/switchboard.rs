//! stub
use crate::arm::Arm;
use crate::error::SwitchError;
use crate::experiment::Experiment;
use crate::put_back::PutBack;
use std::path::{Path, PathBuf};
use std::time::Duration;
use unladen_load::Cancel;

/// Puts the knobs as an arm wants them.
#[derive(Debug)]
pub struct Switchboard {
    _experiment: Experiment,
}

/// What a switch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Switched {
    /// The knobs that were switched on the system, by index.
    pub knobs: Vec<usize>,
    /// The services that were restarted, by index.
    pub restarted: Vec<usize>,
    /// How long it took, readiness and settling included.
    pub took: Duration,
}

/// What a run that was killed left behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOver {
    /// The folder with the originals.
    pub journal: PathBuf,
    /// The knobs that it had switched, by name.
    pub knobs: Vec<String>,
}

impl Switchboard {
    /// Opens.
    ///
    /// # Errors
    /// x
    pub fn open(experiment: &Experiment) -> Result<Self, SwitchError> {
        Ok(Self { _experiment: experiment.clone() })
    }
    /// What open put back first.
    pub fn found(&self) -> Option<&PutBack> {
        None
    }
    /// Sets.
    ///
    /// # Errors
    /// x
    pub fn set(&mut self, _arm: &Arm, _cancel: &Cancel) -> Result<Switched, SwitchError> {
        Ok(Switched::default())
    }
    /// Restarts all.
    ///
    /// # Errors
    /// x
    pub fn restart_all(&mut self, _cancel: &Cancel) -> Result<Switched, SwitchError> {
        Ok(Switched::default())
    }
    /// Cold.
    ///
    /// # Errors
    /// x
    pub fn cold(&mut self, _cancel: &Cancel) -> Result<Duration, SwitchError> {
        Ok(Duration::ZERO)
    }
    /// Put back.
    pub fn put_back(&mut self) -> PutBack {
        PutBack::default()
    }
}

/// What a killed run left.
///
/// # Errors
/// x
pub fn left_over(_experiment: &Path) -> Result<Option<LeftOver>, SwitchError> {
    Ok(None)
}
/// Puts it back.
///
/// # Errors
/// x
pub fn restore(_experiment: &Path) -> Result<PutBack, SwitchError> {
    Ok(PutBack::default())
}
