//! The principal type is [`Row`]: what a check found, and what mends it.

use serde::Serialize;

/// Whether a command gets what it needs, the gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Ok,
    /// It works, with less than it could have.
    Limited,
    /// Some of what it is for cannot be had.
    Missing,
}

/// A command that something is needed for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verb {
    Weigh,
    Load,
    Prove,
    Profile,
    Serve,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Row {
    /// How grave it is.
    pub(crate) verdict: Verdict,
    pub(crate) commands: &'static [Verb],
    pub(crate) what: String,
    /// What follows from it; empty if nothing does.
    pub(crate) why: String,
    /// Commands of a shell that mend it, in this order.
    pub(crate) fix: Vec<String>,
    /// What to do where no command mends it; empty if nothing is to be done.
    pub(crate) advice: String,
}

impl Verdict {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Limited => "limited",
            Self::Missing => "missing",
        }
    }
}

impl Verb {
    /// All that measure.
    pub(crate) const MEASURING: &[Self] = &[Self::Weigh, Self::Load, Self::Prove, Self::Profile];
    /// Those that look at processes.
    pub(crate) const LOOKING: &[Self] = &[Self::Weigh, Self::Prove, Self::Profile];
    /// Those that look into them.
    pub(crate) const TRACING: &[Self] = &[Self::Weigh, Self::Profile];
    /// All.
    pub(crate) const ALL: &[Self] = &[Self::Weigh, Self::Load, Self::Prove, Self::Profile, Self::Serve];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Weigh => "weigh",
            Self::Load => "load",
            Self::Prove => "prove",
            Self::Profile => "profile",
            Self::Serve => "serve",
        }
    }
}

impl Row {
    pub(crate) fn ok(commands: &'static [Verb], what: impl Into<String>) -> Self {
        Self::new(Verdict::Ok, commands, what.into())
    }

    pub(crate) fn limited(commands: &'static [Verb], what: impl Into<String>) -> Self {
        Self::new(Verdict::Limited, commands, what.into())
    }

    pub(crate) fn missing(commands: &'static [Verb], what: impl Into<String>) -> Self {
        Self::new(Verdict::Missing, commands, what.into())
    }

    fn new(verdict: Verdict, commands: &'static [Verb], what: String) -> Self {
        Self { verdict, commands, what, why: String::new(), fix: Vec::new(), advice: String::new() }
    }

    pub(crate) fn so(self, why: impl Into<String>) -> Self {
        Self { why: why.into(), ..self }
    }

    /// A name with characters upon which a terminal acts is not to be copied: there is no command then.
    pub(crate) fn fix(mut self, command: impl Into<String>) -> Self {
        let command = command.into();
        if command.contains(char::is_control) {
            return self.advice("the name of the file holds control characters: mend it by hand");
        }
        self.fix.push(command);
        self
    }

    pub(crate) fn advice(self, advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..self }
    }
}
