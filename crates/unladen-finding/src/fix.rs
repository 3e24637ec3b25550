//! The principal type is [`Fix`]: what takes a waste off.

use unladen_trace::Evidence;

use crate::application::Application;
use crate::in_place::InPlace;
use crate::knob::Knob;
use crate::part::Part;

/// What takes it off: a command, or lines for files of the user's own stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fix {
    /// What to do, in one sentence.
    pub advice: String,
    pub audience: Audience,
    /// What the application's developers can do besides what an operator can: code, and where it is.
    pub developers: Option<String>,
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

/// Who can do what a fix advises.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Audience {
    /// Whoever runs the application: settings, services, files of their own.
    #[default]
    Operator,
    /// Whoever writes it: the advice is about its code.
    Developer,
}

impl Audience {
    /// As it stands in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Operator => "operator",
            Self::Developer => "developer",
        }
    }
}

impl Fix {
    /// Advice about the code of a group's application.
    pub(crate) fn code(evidence: &Evidence, group: usize, advice: &str) -> Self {
        let advice = format!("for the developers of {}: {advice}", whose(evidence, group));
        Self { audience: Audience::Developer, ..Self::advice(advice) }
    }

    /// What an operator can do, and besides what the application's developers can.
    #[must_use]
    pub(crate) fn for_developers(self, evidence: &Evidence, group: usize, advice: &str) -> Self {
        let developers = format!("for the developers of {}: {advice}", whose(evidence, group));
        Self { developers: (!advice.is_empty()).then_some(developers), ..self }
    }

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

/// Whose code it is: `MediaWiki`, `the application`.
fn whose(evidence: &Evidence, group: usize) -> &'static str {
    Application::of(evidence, group).map_or("the application", Application::name)
}
