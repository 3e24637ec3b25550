//! The principal type is [`Progress`]: one line on standard error, on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use terminal_size::{Width, terminal_size_of};
use unladen_report::ascii;

use crate::locale;

/// Cells of the bar, if there is room.
const MOST_CELLS: usize = 24;
/// With fewer it tells nothing, and the words need the room.
const LEAST_CELLS: usize = 8;
/// Columns where the terminal does not tell.
const WIDTH: usize = 80;

/// Drawn at the edges of blocks only: a line that redraws itself would be work amid the phases.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// When the command began: what it does before it measures takes time, too.
    begun: Instant,
    is_ascii: bool,
}

impl Progress {
    /// `quiet` draws nothing, and neither does a standard error that is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        // The template is a constant; were it wrong, the default style would do.
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), is_ascii: locale::is_ascii() }
    }

    /// What is being done. How long it takes is not known, and so there is no bar.
    pub(crate) fn say(&self, what: impl Into<String>) {
        let words = format!("{:.0} s  {}", self.begun.elapsed().as_secs_f64(), what.into());
        self.draw(None, &words);
    }

    /// How far it is, and what is known by now. `elapsed` is of the measuring alone, `planned` what that is to take, if
    /// it has a time and not a number; what came before is added to both.
    pub(crate) fn at(&self, done: f64, elapsed: Duration, planned: Option<Duration>, what: &str) {
        let words = format!("{}  {what}", times(self.begun.elapsed(), elapsed, planned, done));
        self.draw(Some(done), &words);
    }

    /// How far one of several is, of which nobody knows how many there are to be.
    pub(crate) fn trial(&self, done: f64, what: &str) {
        self.draw(Some(done), &format!("{:.0} s  {what}", self.begun.elapsed().as_secs_f64()));
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn draw(&self, done: Option<f64>, words: &str) {
        let width = terminal_size_of(std::io::stderr()).map_or(WIDTH, |(Width(width), _)| usize::from(width));
        self.bar.set_message(line(done, words, width, self.is_ascii));
        self.bar.tick();
    }
}

/// `12 of 63 s`: warm-ups and restarts included; `12 of about 60 s` where a number of requests or blocks is what is
/// planned.
fn times(all: Duration, elapsed: Duration, planned: Option<Duration>, done: f64) -> String {
    // Nothing can be said of the whole by less than this.
    const LEAST_DONE: f64 = 0.01;
    let seconds = |time: Duration| format!("{:.0}", time.as_secs_f64());
    let before = all.saturating_sub(elapsed);
    match planned {
        Some(planned) if elapsed > planned => format!("{} s, {} planned", seconds(all), seconds(before + planned)),
        Some(planned) => format!("{} of {} s", seconds(all), seconds(before.saturating_add(planned))),
        None if (LEAST_DONE..1.0).contains(&done) => {
            format!("{} of about {} s", seconds(all), seconds(before + elapsed.div_f64(done)))
        }
        None => format!("{} s", seconds(all)),
    }
}

/// A bar and words in less than the width: a line that is broken by the terminal is not taken away as one.
fn line(done: Option<f64>, words: &str, width: usize, is_ascii: bool) -> String {
    // Names of groups are other programs', and may hold what a terminal obeys.
    let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let words = if is_ascii { ascii(&words).into_owned() } else { words };
    let room = width.saturating_sub(1);
    let Some(done) = done.filter(|_| room > 2 * LEAST_CELLS) else { return cut(&words, room, is_ascii) };
    let cells = room.saturating_sub(words.chars().count() + 1).clamp(LEAST_CELLS, MOST_CELLS);
    let full = (if done.is_finite() { done.clamp(0.0, 1.0) } else { 0.0 } * cells as f64) as usize;
    let (mark, rest) = if is_ascii { ("#", ".") } else { ("█", "░") };
    let bar = mark.repeat(full) + &rest.repeat(cells - full);
    format!("{bar} {}", cut(&words, room - cells - 1, is_ascii))
}

fn cut(words: &str, room: usize, is_ascii: bool) -> String {
    if words.chars().count() <= room {
        return words.to_owned();
    }
    let end = if is_ascii { "..." } else { "…" };
    words.chars().take(room.saturating_sub(end.chars().count())).chain(end.chars()).collect()
}

#[cfg(test)]
mod tests;
