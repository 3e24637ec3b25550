//! The principal type is [`Fix`]: what takes a waste off.

use crate::in_place::InPlace;
use crate::knob::Knob;
use crate::part::Part;

/// What takes it off: a command, or lines for files of the user's own stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fix {
    /// What to do, in one sentence.
    pub advice: String,
    /// The file that the lines go into, where it is known or can be named.
    pub file: Option<String>,
    /// The lines, ready to be copied.
    pub lines: Vec<String>,
    /// What belongs into other files besides.
    pub also: Vec<Part>,
    /// Commands, ready to be run, once all lines are where they belong.
    pub commands: Vec<String>,
    /// Lines of files that hold others, which some of its commands change.
    pub in_place: Vec<InPlace>,
    /// Something that no command of these changes keeps it from working: the advice says what.
    pub is_partial: bool,
    /// The group whose settings these are, where it is not the finding's own: a page has none.
    pub group: Option<usize>,
    /// The host on which the lines and commands belong, if that is not the machine that weighed.
    pub host: Option<String>,
    /// What switches it on and off, where that is known.
    pub knob: Option<Knob>,
}

impl Fix {
    /// Advice alone.
    pub fn advice(advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..Self::default() }
    }

    /// Lines for a file.
    #[must_use]
    pub fn lines(self, file: impl Into<String>, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { file: Some(file.into()), lines: lines.into_iter().map(Into::into).collect(), ..self }
    }

    /// Lines for one more file.
    #[must_use]
    pub fn also(mut self, file: impl Into<String>, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.also.push(Part { file: file.into(), lines: lines.into_iter().map(Into::into).collect(), group: None });
        self
    }

    /// For that group.
    #[must_use]
    pub fn of(self, group: Option<usize>) -> Self {
        Self { group, ..self }
    }

    /// A command.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }
}
