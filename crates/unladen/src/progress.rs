//! The principal type is [`Progress`]: one line on standard error, on a terminal only.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Drawn at the edges of blocks only: a line that redraws itself would be work amid the phases.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// `quiet` draws nothing, and neither does a standard error that is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(Some(1_000), target);
        // The template is a constant; were it wrong, the default style would do.
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {msg}") {
            bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        }
        Self(bar)
    }

    /// What is being done.
    pub(crate) fn say(&self, what: impl Into<String>) {
        self.0.set_message(what.into());
        self.0.tick();
    }

    /// How far it is, and what is known by now.
    pub(crate) fn at(&self, done: f64, elapsed: Duration, what: &str) {
        self.0.set_position((done.clamp(0.0, 1.0) * 1_000.0) as u64);
        self.say(format!("{:.0} s  {what}", elapsed.as_secs_f64()));
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.0.finish_and_clear();
    }
}
