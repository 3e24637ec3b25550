//! The principal type is [`Head`]: the first line of a sample.

use super::place::{ADDRESS_END, CodeLocation, address_end};

/// perf writes periods at least this wide, and processes narrower.
const PERIOD_WIDTH: usize = 10;

/// `comm pid/tid [cpu] time: period event: frame`, all of which are optional.
#[derive(Debug, PartialEq)]
pub(super) struct Head<'a> {
    /// May contain spaces; empty if unknown.
    pub(super) command: &'a str,
    pub(super) has_process: bool,
    pub(super) has_time: bool,
    /// Whether it has a time as exact as perf's.
    pub(super) is_stamped: bool,
    /// Without its modifiers.
    pub(super) event: Option<&'a str>,
    pub(super) period: Option<u64>,
    /// The only frame, without a call graph.
    rest: &'a str,
}

impl<'a> Head<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let tokens: Vec<&'a str> = line.split_whitespace().take(64).collect();
        let time = tokens.iter().position(|token| is_time(token));
        // Without a time, the event separates the command from the rest.
        let (before, after) = match time {
            Some(at) => (&tokens[..at], &tokens[at + 1..]),
            None => match event_at(line, &tokens) {
                Some(at) => tokens.split_at(at - usize::from(ends_in_period(line, &tokens[..at]))),
                None => (&tokens[..], &tokens[..0]),
            },
        };
        let (period, after) = match after {
            [period, event, ..] if is_decimal(period) && is_event(event) => (period.parse().ok(), &after[1..]),
            _ => (None, after),
        };
        let event = after.first().copied().filter(|event| is_event(event));

        let mut names = before.len();
        let has_cpu = names > 0 && is_cpu(before[names - 1]);
        names -= usize::from(has_cpu);
        let has_process = names > 0 && is_process(before[names - 1]);
        names -= usize::from(has_process);
        let command = match &before[..names] {
            [] => "",
            [first, .., last] => between(line, first, last),
            [only] => only,
        };
        let time = time.map(|at| tokens[at]);
        // A period without an event is narrower than an address.
        let is_period = |token: &&&str| {
            let from = time.map_or(0, |time| end_in(line, time));
            is_decimal(token) && end_in(line, token) - from < ADDRESS_END
        };
        let rest_from = event.or(after.first().filter(is_period).copied()).or(time);
        (!tokens.is_empty()).then(|| Self {
            command,
            has_process,
            has_time: time.is_some(),
            is_stamped: time.is_some_and(|time| time.len() - time.find('.').unwrap_or(0) > ".000000".len()),
            event: event.map(without_modifiers),
            period,
            rest: rest_from.map_or("", |token| &line[end_in(line, token)..]),
        })
    }

    /// The frame in it.
    pub(super) fn frame(&self) -> Option<CodeLocation<'a>> {
        CodeLocation::parse(self.rest).filter(|place| place.address.is_some())
    }

    /// Whether `line`, which may be a frame, is this head without a command.
    fn begins(&self, line: &str) -> bool {
        let has_event = || {
            let is_whole = self.rest.trim().is_empty() || self.frame().is_some();
            let is_address = (self.has_process || self.period.is_some()) && address_end(line) >= ADDRESS_END;
            self.event.is_some() && is_whole && !is_address
        };
        self.command.is_empty() && !line.starts_with('\t') && (self.has_time || has_event())
    }

    /// Whether it can only be a sample's head.
    pub(super) fn is_certain(&self) -> bool {
        let is_bare = self.command.is_empty() && self.has_time;
        is_bare || (self.has_process && (self.has_time || self.event.is_some()))
    }

    /// Whether it has a process and a time, which no frame line has.
    fn is_timed(&self) -> bool {
        self.has_process && self.has_time
    }

    /// The period in ns, if the event is a clock.
    pub(super) fn clock_period(&self) -> Option<u64> {
        self.period.filter(|_| matches!(self.event, Some("cpu-clock" | "task-clock")))
    }
}

/// Position of the event in a head without a time. It may be the first field; but commands may end in a colon.
fn event_at(line: &str, tokens: &[&str]) -> Option<usize> {
    let later = tokens.iter().skip(1).position(|token| is_event(token)).map(|at| at + 1);
    let Some(first) = tokens.first().filter(|first| is_event(first)) else { return later };
    let is_behind_process =
        |at: usize| is_process(tokens[at - 1]) || is_cpu(tokens[at - 1]) || is_decimal(tokens[at - 1]);
    if later.is_some_and(is_behind_process) {
        return later;
    }
    let rest = &line[end_in(line, first)..];
    let is_frame = |place: CodeLocation<'_>| place.address.is_some() && !is_process(place.name);
    let is_tracepoint = first.trim_end_matches(':').contains(':');
    let is_first = is_tracepoint || rest.trim().is_empty() || CodeLocation::parse(rest).is_some_and(is_frame);
    if is_first { Some(0) } else { later }
}

/// Whether the last field before an event is a period and no process.
fn ends_in_period(line: &str, before: &[&str]) -> bool {
    let [others @ .., last] = before else { return false };
    let begin = others.last().map_or(0, |token| end_in(line, token) + 1);
    let is_wide = end_in(line, last) - begin >= PERIOD_WIDTH;
    let is_behind_process = match others {
        [] => false,
        // `12 7 cycles:` may be a command and a process.
        [only] => is_cpu(only) || (is_process(only) && only.contains('/')),
        [.., other] => is_process(other) || is_cpu(other),
    };
    is_decimal(last) && (is_wide || is_behind_process)
}

/// `cycles` of `cycles:ppp:`, but all of `sched:sched_switch:`.
fn without_modifiers(event: &str) -> &str {
    let event = event.trim_end_matches(':');
    let is_modifier = |text: &str| text.bytes().all(|byte| b"ukhGHpPSDWeIbR".contains(&byte));
    event.rsplit_once(':').filter(|(_, modifiers)| is_modifier(modifiers)).map_or(event, |(name, _)| name)
}

fn is_decimal(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// A process, a thread or both: `12`, `12/13`; idle ones of other machines are -1.
fn is_process(text: &str) -> bool {
    let (process, thread) = text.split_once('/').unwrap_or((text, "0"));
    [process, thread].into_iter().all(|id| is_decimal(id.strip_prefix('-').unwrap_or(id)))
}

fn is_cpu(text: &str) -> bool {
    text.strip_prefix('[').and_then(|cpu| cpu.strip_suffix(']')).is_some_and(is_decimal)
}

fn is_time(text: &str) -> bool {
    let parts = text.strip_suffix(':').and_then(|time| time.split_once('.'));
    parts.is_some_and(|(seconds, rest)| is_decimal(seconds) && is_decimal(rest))
}

/// `cpu-clock:`, `cycles:u:`, `sched:sched_switch:`.
fn is_event(text: &str) -> bool {
    text.strip_suffix(':')
        .is_some_and(|event| event.starts_with(|first: char| first.is_ascii_alphabetic()) && !is_time(text))
}

fn between<'a>(text: &'a str, first: &str, last: &str) -> &'a str {
    &text[end_in(text, first) - first.len()..end_in(text, last)]
}

fn end_in(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize + part.len()
}

/// Whether a line that may be a frame is a sample's head.
pub(super) fn is_head(line: &str, has_address: bool) -> bool {
    // Without a call graph heads are indented, and some write frames without a space before them.
    let is_frame = has_address && line.starts_with([' ', '\t']);
    let is_named = |head: &Head<'_>| {
        let has_frame = head.event.is_some() && head.frame().is_some();
        !head.command.is_empty() && ((head.is_certain() && !is_frame) || has_frame)
    };
    let is_head = |head: Head<'_>| head.is_timed() || (!line.starts_with('\t') && is_named(&head)) || head.begins(line);
    line.contains(':') && Head::parse(line).is_some_and(is_head)
}
