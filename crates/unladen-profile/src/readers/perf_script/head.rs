//! The principal type is [`Head`]: the first line of a sample.

/// `comm pid/tid [cpu] time: period event: frame`, of which all but the command are optional.
#[derive(Debug, PartialEq)]
pub(super) struct Head<'a> {
    /// May contain spaces.
    pub(super) command: &'a str,
    has_process: bool,
    has_time: bool,
    /// Without its modifiers.
    pub(super) event: Option<&'a str>,
    period: Option<u64>,
    /// The only frame, without a call graph.
    pub(super) rest: &'a str,
}

impl<'a> Head<'a> {
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let tokens: Vec<&'a str> = line.split_whitespace().take(64).collect();
        let time = tokens.iter().skip(1).position(|token| is_time(token)).map(|at| at + 1);
        // Without a time, the event separates the command from the rest.
        let (before, after) = match time {
            Some(at) => (&tokens[..at], &tokens[at + 1..]),
            None => match tokens.iter().skip(1).position(|token| is_event(token)).map(|at| at + 1) {
                Some(at)
                    if at > 1
                        && is_decimal(tokens[at - 1])
                        && at > 2
                        && (is_process(tokens[at - 2]) || is_cpu(tokens[at - 2])) =>
                {
                    tokens.split_at(at - 1)
                }
                Some(at) => tokens.split_at(at),
                None => (&tokens[..], &tokens[..0]),
            },
        };
        let (period, after) = match after {
            [period, event, ..] if is_decimal(period) && is_event(event) => (period.parse().ok(), &after[1..]),
            _ => (None, after),
        };
        let event = after.first().copied().filter(|event| is_event(event));

        let mut names = before.len();
        let has_cpu = names > 1 && is_cpu(before[names - 1]);
        names -= usize::from(has_cpu);
        let has_process = names > 1 && is_process(before[names - 1]);
        names -= usize::from(has_process);
        let (first, last) = (before.first()?, before[..names].last()?);
        let rest_from = event.or(time.map(|at| tokens[at]));
        Some(Self {
            command: between(line, first, last),
            has_process,
            has_time: time.is_some(),
            event: event.map(without_modifiers),
            period,
            rest: rest_from.map_or("", |token| &line[end_in(line, token)..]),
        })
    }

    /// Whether it can only be a sample's head.
    pub(super) fn is_certain(&self) -> bool {
        self.has_process && (self.has_time || self.event.is_some())
    }

    /// Whether it has a process and a time, which no frame line has.
    pub(super) fn is_timed(&self) -> bool {
        self.has_process && self.has_time
    }

    /// The period in ns, if the event is a clock.
    pub(super) fn clock_period(&self) -> Option<u64> {
        self.period.filter(|_| matches!(self.event, Some("cpu-clock" | "task-clock")))
    }
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
