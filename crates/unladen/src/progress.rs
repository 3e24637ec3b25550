//! The principal type is [`Progress`]: one line on standard error, on a terminal only.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use terminal_size::{Width, terminal_size_of};
use unladen_report::ascii;

use crate::locale;

/// Cells of the bar, if there is room.
const MOST_CELLS: usize = 24;
/// With fewer the bar tells nothing, and the words need the room.
const LEAST_CELLS: usize = 8;
/// Columns if the terminal does not tell.
const WIDTH: usize = 80;

/// Drawn only at the edges of blocks: a line that redraws itself would be work amid the phases.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// Start of the command: what it does before it measures takes time, too.
    begun: Instant,
    is_ascii: bool,
}

impl Progress {
    /// Draws nothing if `quiet`, or if standard error is no terminal.
    pub(crate) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        let bar = ProgressBar::with_draw_target(None, target);
        // The template is a constant; were it wrong, the default style would do.
        if let Ok(style) = ProgressStyle::with_template("{msg}") {
            bar.set_style(style);
        }
        Self { bar, begun: Instant::now(), is_ascii: locale::is_ascii() }
    }

    /// Says what is being done. The duration is unknown, so there is no bar.
    pub(crate) fn say(&self, what: impl Into<String>) {
        let words = format!("{:.0} s  {}", self.begun.elapsed().as_secs_f64(), what.into());
        self.draw(None, &words);
    }

    /// Shows the progress and what is known so far. `elapsed` covers measuring alone, and so does `planned`, which is
    /// `None` if a number is planned rather than a time; what came before is added to both.
    pub(crate) fn at(&self, done: f64, elapsed: Duration, planned: Option<Duration>, what: &str) {
        let words = format!("{}  {what}", times(self.begun.elapsed(), elapsed, planned, done));
        self.draw(Some(done), &words);
    }

    /// Progress of one of an unknown number of trials.
    pub(crate) fn trial(&self, done: f64, what: &str) {
        self.draw(Some(done), &format!("{:.0} s  {what}", self.begun.elapsed().as_secs_f64()));
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn draw(&self, done: Option<f64>, words: &str) {
        let width = terminal_size_of(std::io::stderr()).map_or(WIDTH, |(Width(width), _)| usize::from(width));
        self.bar.set_message(line(done, words, width, self.is_ascii));
        self.bar.tick();
    }
}

/// `12 of 63 s`, warm-ups and restarts included; `12 of about 60 s` if a number of requests or blocks is planned.
fn times(all: Duration, elapsed: Duration, planned: Option<Duration>, done: f64) -> String {
    // With less done, the total cannot be estimated.
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

/// A bar and words, narrower than the terminal: a wrapped line could not be removed as one.
fn line(done: Option<f64>, words: &str, width: usize, is_ascii: bool) -> String {
    // Groups are named by other programs, perhaps with control characters.
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
