//! The principal type is [`Row`]: what a check found, and its remedy, a command of root's perhaps ([`as_root`]).

use serde::Serialize;

/// Whether a command gets what it needs, the gravest last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum Verdict {
    Ok,
    /// Works, with less than it could have.
    Limited,
    /// Some of its purpose cannot be fulfilled.
    Missing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "snake_case", const_into_str)]
pub(crate) enum Verb {
    Weigh,
    Load,
    Prove,
    Profile,
    Serve,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Row {
    pub(crate) verdict: Verdict,
    pub(crate) commands: &'static [Verb],
    pub(crate) what: String,
    /// The consequence; may be empty.
    pub(crate) why: String,
    /// Shell commands that remedy it, in order.
    pub(crate) fix: Vec<String>,
    /// What to do if no command remedies it; may be empty.
    pub(crate) advice: String,
}

impl Verb {
    pub(crate) const MEASURING: &[Self] = &[Self::Weigh, Self::Load, Self::Prove, Self::Profile];
    /// Those that look at processes.
    pub(crate) const LOOKING: &[Self] = &[Self::Weigh, Self::Prove, Self::Profile];
    /// Those that trace processes.
    pub(crate) const TRACING: &[Self] = &[Self::Weigh, Self::Profile];
    pub(crate) const ALL: &[Self] = &[Self::Weigh, Self::Load, Self::Prove, Self::Profile, Self::Serve];
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

    /// A name with control characters must not be copied to a shell: there is no command then.
    pub(crate) fn fix(mut self, command: impl Into<String>) -> Self {
        let command = command.into();
        if command.contains(char::is_control) {
            return self.advice("the file's name contains control characters: fix it by hand");
        }
        self.fix.push(command);
        self
    }

    pub(crate) fn advice(self, advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..self }
    }
}

pub(crate) const AS_ROOT: &str = "sudo unladen doctor";

/// Whether this is root, as far as users go.
pub(crate) fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

pub(crate) fn as_root(command: &str) -> String {
    if is_root() { command.to_owned() } else { format!("sudo {command}") }
}
