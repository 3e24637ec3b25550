//! Real runs of `unladen weigh` and `unladen prove` against `subjects/burn`, whose requests burn a known time. The
//! principal types are [`Setting`] and [`Experiment`]: what runs beside them, and how.

mod burn;
mod cgroup;
mod disturbance;
mod prove;
pub mod share;
mod weigh;

use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::unistd::Uid;

use burn::Burn;
use cgroup::Unit;
use disturbance::Disturbance;
pub use disturbance::Neighbour;
pub use prove::{Experiment, Proved};

/// What is run: where it lies.
#[derive(Debug, Clone)]
pub struct Binaries {
    /// The folder of `unladen`, `burn` and `burn-child`.
    folder: PathBuf,
}

/// One run.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// What else the machine does.
    pub beside: Neighbour,
    /// The subject is in a control group of its own, and groups are found by that.
    pub in_unit: bool,
    /// As `weigh --time`.
    pub time: Duration,
    /// As `weigh --phase`.
    pub phase: Option<Duration>,
    /// Of the plan and of the background.
    pub seed: u64,
}

/// What was said of one group, and what is true.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighed {
    /// The group, without its user.
    pub group: &'static str,
    /// CPU per request, ns.
    pub truth: f64,
    /// What `weigh` says.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// Whether it says that the group follows.
    pub follows: bool,
}

/// Why a run gave no result.
#[derive(Debug, thiserror::Error)]
pub enum RealError {
    /// A file or process.
    #[error("{what}: {source}")]
    Io {
        /// Which, or what for.
        what: String,
        /// Why.
        source: std::io::Error,
    },
    /// A program of ours failed.
    #[error("{what}")]
    Failed {
        /// What it said.
        what: String,
    },
    /// An answer is not as agreed.
    #[error("{what}: {source}")]
    Json {
        /// Whose.
        what: &'static str,
        /// Why.
        source: serde_json::Error,
    },
}

impl RealError {
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { what: what.into(), source }
    }

    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self::Failed { what: what.into() }
    }
}

/// Whether a setting may be `in_unit` here: a cgroup v2 hierarchy is mounted, and may be written.
pub fn can_make_units() -> bool {
    Unit::is_possible()
}

// === impl Binaries ===

impl Binaries {
    /// Builds them beside the running program, in its profile.
    ///
    /// # Errors
    /// If cargo fails.
    pub fn build() -> Result<Self, RealError> {
        let program = std::env::current_exe().map_err(RealError::io("this program"))?;
        // A test lies a folder deeper than a program.
        let folder = program.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).unwrap_or(Path::new("/"));
        // One by one: together they would be built with other features than alone, all dependencies anew.
        for package in ["unladen", "unladen-burn"] {
            let mut cargo = std::process::Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
            cargo.args(["build", "--locked", "--quiet", "--package", package]);
            cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
            if let Some(target) = folder.parent() {
                cargo.arg("--target-dir").arg(target);
            }
            if folder.ends_with("release") {
                cargo.arg("--release");
            }
            let status = cargo.status().map_err(RealError::io("cargo"))?;
            if !status.success() {
                return Err(RealError::failed(format!("cargo could not build {package}")));
            }
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Where the built `unladen` is.
    pub(crate) fn unladen(&self) -> PathBuf {
        self.path("unladen")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

// === impl Setting ===

impl Setting {
    /// Half a minute beside something.
    pub fn beside(beside: Neighbour, seed: u64) -> Self {
        Self { beside, in_unit: false, time: Duration::from_secs(30), phase: None, seed }
    }

    /// Runs it. Whatever it starts is stopped, on failure too.
    ///
    /// # Errors
    /// If a program fails, or a control group cannot be made.
    pub fn run(&self, binaries: &Binaries) -> Result<Vec<Weighed>, RealError> {
        // In the order of their ends, from last to first: the group can go when the subject has ended.
        let unit = self.in_unit.then(Unit::create).transpose()?;
        let subject = Burn::start(binaries, self.time * 3 + Duration::from_secs(60))?;
        if let Some(unit) = &unit {
            unit.take(subject.pid())?;
        }
        let disturbance = Disturbance::start(self.beside, self.seed, subject.address());
        let before = subject.truth()?;
        let weights = weigh::run(binaries, &subject, self)?;
        let after = subject.truth()?;
        drop(disturbance);

        let (own, children) = after.per_request_since(&before);
        let groups = if self.in_unit {
            vec![(cgroup::NAME, own + children)]
        } else if Uid::effective().is_root() {
            vec![("burn", own), ("burn-child", children)]
        } else {
            // Who has ended is told to root alone; the parent is credited.
            vec![("burn", own + children)]
        };
        groups.into_iter().map(|(group, truth)| weights.of(group, truth)).collect()
    }
}

// === impl Weighed ===

impl Weighed {
    /// How far off the estimate is, as a share of the truth.
    pub fn error(&self) -> f64 {
        self.value / self.truth - 1.0
    }

    /// Whether the interval holds the truth.
    pub fn covers(&self) -> bool {
        self.low <= self.truth && self.truth <= self.high
    }

    /// Half of the interval's width, as a share of the truth.
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.truth
    }
}
