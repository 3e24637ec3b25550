//! The principal type is [`Knob`]: one thing that can be switched. A knob of an experiment, a
//! [`KnobSpec`](crate::KnobSpec), consists of one or more of them.
//!
//! The way back is data, an [`Undo`], and not a method: another process must be able to follow it from the journal,
//! long after this one was killed.

use std::collections::BTreeMap;
use std::fmt;

use unladen_load::{Cancel, Header, UrlLine};

use crate::error::Fault;
use crate::saver::Saver;
use crate::shell::Shell;
use crate::undo::Undo;

/// One thing that can be switched; each kind is a file in `kinds/`.
pub trait Knob: fmt::Debug + Send + Sync {
    /// What it changes, as a part of a sentence: "the file /etc/app.ini".
    fn what(&self) -> String;

    /// What switching it to this side would change now, for people: lines of a diff, or a command after `$ `.
    fn preview(&self, on: bool) -> Vec<String> {
        if self.has(on) { vec![self.what()] } else { Vec::new() }
    }

    /// Keys of what it changes: no two knobs of an experiment may share one, nor two changes of one side.
    fn claims(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether this side was given; the other one is "as it was".
    fn has(&self, on: bool) -> bool;

    fn reach(&self) -> Reach {
        Reach::System
    }

    /// Checks that it can be switched, saves the original, and returns the way back. Changes nothing. Fails when it
    /// could not be switched, or not be put back.
    fn prepare(&self, saver: &mut Saver<'_>) -> Result<Undo, Fault> {
        let _ = saver;
        Ok(Undo::Nothing)
    }

    /// Switches it on or off. A side that was not given restores the original, by `switch.undo`. When it fails or is
    /// cancelled, it may be in any position.
    fn set(&self, on: bool, switch: &Switch<'_>) -> Result<(), Fault> {
        let _ = (on, switch);
        Ok(())
    }

    fn request(&self, on: bool, wanted: &mut Wanted) {
        let _ = (on, wanted);
    }

    fn environment(&self, on: bool) -> Option<&BTreeMap<String, String>> {
        let _ = on;
        None
    }
}

/// What switching a knob changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    Command,
    /// Something on the system whose state was inspected.
    System,
    Request,
}

/// Context of a switch.
#[derive(Debug)]
pub struct Switch<'a> {
    pub shell: &'a Shell,
    pub undo: &'a Undo,
    pub journal: &'a std::path::Path,
    pub cancel: &'a Cancel,
}

/// The requests of an arm.
#[derive(Clone, Debug)]
pub struct Wanted {
    pub urls: Vec<UrlLine>,
    pub headers: Vec<Header>,
}
