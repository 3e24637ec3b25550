//! The principal type is [`Fix`]: what removes a waste.

use unladen_trace::Evidence;

use crate::application::Application;
use crate::knob::{InPlace, Knob, Part};

/// A command, or lines for files of the user's own stack, that remove a waste.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Fix {
    pub advice: String,
    pub audience: Audience,
    /// What the application's developers can do besides: a change of code, and where.
    pub developers: Option<String>,
    pub file: Option<String>,
    pub lines: Vec<String>,
    pub also: Vec<Part>,
    /// Commands to run once all lines are in place.
    pub commands: Vec<String>,
    pub in_place: Vec<InPlace>,
    /// Something that these commands do not change still keeps the fix from working: the advice names it.
    pub is_partial: bool,
    /// Group whose settings these are, if not the finding's own: a page has none.
    pub group: Option<usize>,
    /// Host for the lines and commands, if not the machine that weighed.
    pub host: Option<String>,
    pub knob: Option<Knob>,
}

/// Who can do what a fix advises: whoever runs the application (settings, services, own files) or writes its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case", const_into_str)]
pub enum Audience {
    #[default]
    Operator,
    Developer,
}

impl Fix {
    pub(crate) fn code(evidence: &Evidence, group: usize, advice: &str) -> Self {
        let advice = format!("for the developers of {}: {advice}", whose(evidence, group));
        Self { audience: Audience::Developer, ..Self::advice(advice) }
    }

    #[must_use]
    pub(crate) fn for_developers(self, evidence: &Evidence, group: usize, advice: &str) -> Self {
        let developers = format!("for the developers of {}: {advice}", whose(evidence, group));
        Self { developers: (!advice.is_empty()).then_some(developers), ..self }
    }

    /// A fix that is advice alone.
    pub fn advice(advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..Self::default() }
    }

    /// Adds lines for a file.
    #[must_use]
    pub fn lines(self, file: impl Into<String>, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { file: Some(file.into()), lines: lines.into_iter().map(Into::into).collect(), ..self }
    }

    /// Adds lines for one more file.
    #[must_use]
    pub fn also(mut self, file: impl Into<String>, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.also.push(Part { file: file.into(), lines: lines.into_iter().map(Into::into).collect(), group: None });
        self
    }

    /// Sets the group whose settings these are.
    #[must_use]
    pub fn of(self, group: Option<usize>) -> Self {
        Self { group, ..self }
    }

    /// Adds a command.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }
}

fn whose(evidence: &Evidence, group: usize) -> &'static str {
    Application::of(evidence, group).map_or("the application", Application::name)
}
