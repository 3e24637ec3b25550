//! The principal type is [`Knob`]: one thing that can be switched. A knob of an experiment, a
//! [`KnobSpec`](crate::KnobSpec), is made of one or more of them.
//!
//! What is needed to put things back is data, an [`Undo`], and not a method: another process must be able to do it from
//! the journal, long after this one was killed.

use std::collections::BTreeMap;
use std::fmt;

use unladen_load::{Cancel, Header, UrlLine};

use crate::fault::Fault;
use crate::saver::Saver;
use crate::shell::Shell;
use crate::undo::Undo;

/// One thing that can be switched: one file in `kinds/` each.
pub trait Knob: fmt::Debug + Send + Sync {
    /// What it changes, as a part of a sentence: "the file /etc/app.ini".
    fn what(&self) -> String;

    /// What it changes, as keys: no two knobs of an experiment may have one in common, nor two changes of one side.
    fn claims(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether this side was given; the side that was not is "as it was".
    fn has(&self, on: bool) -> bool;

    /// What switching it changes.
    fn reach(&self) -> Reach {
        Reach::System
    }

    /// Looks whether it can be switched, keeps the original, and tells the way back. Changes nothing.
    ///
    /// # Errors
    /// When it could not be switched, or not be put back.
    fn prepare(&self, saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        let _ = saver;
        Ok(Undo::Nothing)
    }

    /// Puts it on or off. What was not given for that side is made as it was, of which `switch.undo` knows.
    ///
    /// # Errors
    /// When it fails or is cancelled; it may then be in any position.
    fn set(&self, on: bool, switch: &Switch<'_>) -> Result<(), Fault> {
        let _ = (on, switch);
        Ok(())
    }

    /// Changes what is requested.
    fn request(&self, on: bool, wanted: &mut Wanted) {
        let _ = (on, wanted);
    }

    /// Variables in the environment of the services that the knob restarts.
    fn environment(&self, on: bool) -> Option<&BTreeMap<String, String>> {
        let _ = on;
        None
    }
}

/// What switching a knob changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Something on the system, by what the experiment's author wrote: it can't be known how it is now.
    Command,
    /// Something on the system that was looked at before.
    System,
    /// Only what is requested.
    Request,
}

/// What a knob has at hand while it is switched.
#[derive(Debug)]
pub struct Switch<'a> {
    /// Runs commands in the folder of the experiment.
    pub shell: &'a Shell,
    /// The way back, from `prepare`.
    pub undo: &'a Undo,
    /// The folder of the journal, where originals are.
    pub journal: &'a std::path::Path,
    /// Ends it early.
    pub cancel: &'a Cancel,
}

/// What is requested in an arm.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub urls: Vec<UrlLine>,
    pub headers: Vec<Header>,
}
