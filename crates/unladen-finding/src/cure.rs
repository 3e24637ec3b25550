//! The principal type is [`Cure`]: what takes a waste off.

/// What takes it off: a command, or lines for a file of the user's own stack.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cure {
    /// What to do, in one sentence.
    pub advice: String,
    /// The file that the lines go into, where it is known or can be named.
    pub file: Option<String>,
    /// The lines, ready to be copied.
    pub lines: Vec<String>,
    /// Commands, ready to be run.
    pub commands: Vec<String>,
}

impl Cure {
    /// Advice alone.
    pub fn advice(advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..Self::default() }
    }

    /// Lines for a file.
    #[must_use]
    pub fn lines(self, file: impl Into<String>, lines: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { file: Some(file.into()), lines: lines.into_iter().map(Into::into).collect(), ..self }
    }

    /// A command.
    #[must_use]
    pub fn command(mut self, command: impl Into<String>) -> Self {
        self.commands.push(command.into());
        self
    }
}
