//! The principal type is [`KnobController`]: it sets the knobs of an [`Experiment`] for an [`Arm`], and puts everything
//! back in the end.
//!
//! ```
//! use unladen_load::Cancel;
//! use unladen_prove::{Experiment, KnobController};
//!
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("cache.toml");
//! # std::fs::write(folder.path().join("app.ini"), "cache = 1\n")?;
//! # std::fs::write(&file, r#"
//! # url = "http://127.0.0.1:8080/"
//! # load = { rate = 40, requests = 4800 }
//! # [[knob]]
//! # name = "no cache"
//! # on = { file = "app.ini", text = "cache = 0\n" }
//! # "#)?;
//! let experiment = Experiment::read(&file)?;
//! let arms = experiment.arms();
//! assert_eq!(arms[2].name, "no cache", "after the baseline, and the baseline again");
//!
//! let cancel = Cancel::new();
//! let mut board = KnobController::open(&experiment)?;
//! board.set(&arms[2], &cancel)?;
//! assert_eq!(std::fs::read_to_string(folder.path().join("app.ini"))?, "cache = 0\n");
//!
//! let report = board.put_back();
//! assert!(report.is_complete(), "{report}");
//! assert_eq!(std::fs::read_to_string(folder.path().join("app.ini"))?, "cache = 1\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Three stages, each with types of its own: the text becomes an [`Experiment`] or an [`ExperimentError`] that points
//! at the place; the experiment becomes [`Arm`]s, by arithmetic alone; and the [`KnobController`] acts on the system.
//! Before it changes anything, the originals and the way back are in a journal on disk, so that a killed run can be put
//! back by the next one, or by [`restore`].
//!
//! To add a kind of knob: a file in `kinds/` with a [`Knob`], and its line in [`kinds::KINDS`].

#![forbid(unsafe_code)]

mod answering;
mod error;
mod experiment;
mod journal;
pub mod kinds;
mod knob;
mod knob_controller;
mod knob_spec;
mod load;
mod original;
mod place;
mod plan;
mod read;
mod ready;
mod saver;
mod shell;
mod systemd;
mod undo;

pub use crate::error::{CommandFault, Fault, NotPutBack, PutBack, SwitchError};
pub use crate::knob::{Knob, Reach, Switch, Wanted};
pub use crate::knob_controller::{KnobController, LeftOver, Switched, left_over, restore};
pub use crate::knob_spec::KnobSpec;
pub use crate::load::{Budget, Load, Pace};
pub use crate::original::{Content, Original};
pub use crate::place::{Outsider, Place, outsider};
pub use crate::read::{ExperimentError, ReadFile};
pub use crate::ready::{Check, Ready, Restart, Service};
pub use crate::saver::Saver;
pub use crate::shell::{COMMAND_TIME, Shell};
pub use crate::undo::Undo;
pub use experiment::{AnswerPart, AnswerPartError, Cold, Experiment, Quantile, QuantileError};
