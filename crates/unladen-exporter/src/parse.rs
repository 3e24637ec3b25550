//! [`Exposition::parse`]: strict, as a guess here would be a wrong figure later. Invalid lines are left out.
//!
//! The text format 0.0.4 is described in Prometheus' "Exposition formats"; OpenMetrics 1.0 in its specification. Two
//! liberties are taken with the latter, as exporters in use take them: a counter's sample may lack `_total` (PHP-FPM's
//! status page), and types may come without a help text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::cursor::Cursor;
use crate::error::{Fault, ParseError};
use crate::exposition::{Exemplar, Exposition, Format, Kind, LeftOut, MetricFamily, Sample};
use crate::limits;

type Labels<'a> = Vec<(&'a str, Cow<'a, str>)>;

impl<'a> Exposition<'a> {
    /// Reads an answer. Lines are independent of each other: invalid ones are left out and counted. Fails if there are
    /// more invalid lines than samples, the answer is truncated, or a bound of [`limits`] is exceeded.
    pub fn parse(bytes: &'a [u8], format: Format) -> Result<Self, ParseError> {
        let at = |line: usize| move |fault: Fault| ParseError { line, fault };
        if bytes.len() > limits::BODY {
            return Err(at(1)(Fault::BodyTooLong));
        }
        let mut reader = Reader { is_open: format == Format::OpenMetrics, ..Reader::default() };
        let mut left_out: Option<LeftOut> = None;
        let mut count = 0;
        for (number, line) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
            count = number;
            reader.is_cut_off = !line.ends_with(b"\n");
            let read = std::str::from_utf8(line).map_err(|_| Fault::NotUtf8).and_then(|line| reader.line(line));
            match read.map_err(at(number)) {
                Ok(()) => {}
                Err(error) if !error.fault.is_of_line() => return Err(error),
                Err(error) => left_out.get_or_insert(LeftOut { lines: 0, first: error }).lines += 1,
            }
        }
        match left_out {
            Some(left_out) if left_out.lines > reader.samples.len() => Err(left_out.first),
            left_out => Ok(Exposition { left_out, ..reader.finish().map_err(at(count.max(1)))? }),
        }
    }
}

#[derive(Default)]
struct Reader<'a> {
    /// In OpenMetrics.
    is_open: bool,
    families: Vec<MetricFamily<'a>>,
    samples: Vec<Sample<'a>>,
    by_name: HashMap<&'a str, FamilyState>,
    seen: HashSet<(&'a str, Labels<'a>)>,
    current: Option<usize>,
    is_over: bool,
    /// The last line had no end.
    is_cut_off: bool,
}

#[derive(Debug, Clone, Copy)]
struct FamilyState {
    index: usize,
    is_typed: bool,
    has_samples: bool,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: &'a str) -> Result<(), Fault> {
        if line.len() > limits::LINE {
            return Err(Fault::LineTooLong);
        }
        if self.is_over {
            return Err(Fault::AfterEof);
        }
        let line = line.strip_suffix('\n').unwrap_or(line);
        // Some servers end lines as HTTP does.
        let line = if self.is_open { line } else { line.strip_suffix('\r').unwrap_or(line) };
        let mut cursor = Cursor::new(line);
        if !self.is_open {
            cursor.blanks();
        }
        if cursor.is_at_end() && !self.is_open {
            return Ok(());
        }
        if cursor.rest.starts_with('#') { self.comment(cursor) } else { self.sample(cursor) }
    }

    fn comment(&mut self, mut cursor: Cursor<'a>) -> Result<(), Fault> {
        if self.is_open {
            if cursor.rest == "# EOF" {
                self.is_over = true;
                return Ok(());
            }
            cursor.expect("# ", "`# HELP`, `# TYPE`, `# UNIT` or `# EOF`")?;
            let what = cursor.word();
            cursor.expect(" ", "a space")?;
            return self.description(what, cursor);
        }
        cursor.eat("#");
        cursor.blanks();
        let mut after = cursor;
        let what = after.word();
        after.blanks();
        // Anything else after `#` is a comment.
        if matches!(what, "HELP" | "TYPE") { self.description(what, after) } else { Ok(()) }
    }

    fn description(&mut self, what: &str, mut cursor: Cursor<'a>) -> Result<(), Fault> {
        let start = cursor;
        let name = cursor.metric_name()?;
        let is_bare = cursor.is_at_end();
        if !is_bare && !cursor.rest.starts_with([' ', '\t']) {
            return Err(start.unexpected("the name of a metric"));
        }
        if self.is_open {
            cursor.eat(" ");
        } else {
            cursor.blanks();
        }
        let state = self.enter(name)?;
        match what {
            "HELP" => {
                let help = cursor.help(self.is_open);
                self.families[state.index].help = Some(help);
            }
            "TYPE" => {
                let word = cursor.word();
                if !self.is_open {
                    cursor.blanks();
                }
                if !cursor.is_at_end() {
                    return Err(cursor.unexpected("the end of the line"));
                }
                let kind = Kind::parse(word).ok_or_else(|| {
                    Fault::UnknownType(word.chars().take(40).flat_map(char::escape_default).collect())
                })?;
                if state.is_typed || state.has_samples {
                    return Err(Fault::Late(name.to_owned()));
                }
                self.families[state.index].kind = kind;
                if let Some(state) = self.by_name.get_mut(name) {
                    state.is_typed = true;
                }
            }
            "UNIT" => self.families[state.index].unit = Some(cursor.rest).filter(|unit| !unit.is_empty()),
            _ => return Err(start.unexpected("`# HELP`, `# TYPE`, `# UNIT` or `# EOF`")),
        }
        Ok(())
    }

    fn enter(&mut self, name: &'a str) -> Result<FamilyState, Fault> {
        if let Some(state) = self.by_name.get(name).copied() {
            if self.is_open && self.current != Some(state.index) {
                return Err(Fault::Interleaved(name.to_owned()));
            }
            return Ok(state);
        }
        if self.families.len() == limits::FAMILIES {
            return Err(Fault::TooMany { what: "metric families", most: limits::FAMILIES });
        }
        let state = FamilyState { index: self.families.len(), is_typed: false, has_samples: false };
        self.families.push(MetricFamily { name, kind: Kind::Unknown, help: None, unit: None });
        self.by_name.insert(name, state);
        self.current = Some(state.index);
        Ok(state)
    }

    /// The family of a sample: by its name, or without the suffix of its type.
    fn family_of(&mut self, name: &'a str) -> Result<usize, Fault> {
        let by_suffix = || {
            ["_total", "_created", "_bucket", "_count", "_sum", "_gcount", "_gsum", "_info"].iter().find_map(|suffix| {
                let state = self.by_name.get(name.strip_suffix(suffix)?)?;
                self.families[state.index].kind.suffixes().contains(suffix).then(|| self.families[state.index].name)
            })
        };
        let exact = self.by_name.contains_key(name).then_some(name);
        let family = exact.or_else(by_suffix).unwrap_or(name);
        let state = self.enter(family)?;
        self.current = Some(state.index);
        if let Some(state) = self.by_name.get_mut(family) {
            state.has_samples = true;
        }
        Ok(state.index)
    }

    fn sample(&mut self, mut cursor: Cursor<'a>) -> Result<(), Fault> {
        if self.samples.len() == limits::SERIES {
            return Err(Fault::TooMany { what: "samples", most: limits::SERIES });
        }
        let name = cursor.metric_name()?;
        let family = self.family_of(name)?;
        self.blanks(&mut cursor);
        let labels = if cursor.eat("{") { self.labels(&mut cursor)? } else { Vec::new() };
        self.separator(&mut cursor, "a space and a value")?;
        let value = cursor.number("a value")?;
        let timestamp_ms = self.timestamp(&mut cursor)?;
        let exemplar = if self.is_open && cursor.eat(" # ") { Some(self.exemplar(&mut cursor)?) } else { None };
        self.blanks(&mut cursor);
        if !cursor.is_at_end() {
            return Err(cursor.unexpected("the end of the line"));
        }
        let mut sorted = labels.clone();
        sorted.sort_unstable();
        if !self.seen.insert((name, sorted)) {
            return Err(Fault::Duplicate(crate::series::shown(name, &labels)));
        }
        self.samples.push(Sample { family, name, labels, value, timestamp_ms, exemplar });
        Ok(())
    }

    /// Skips blanks where the text format allows them and OpenMetrics has none.
    fn blanks(&self, cursor: &mut Cursor<'a>) {
        if !self.is_open {
            cursor.blanks();
        }
    }

    /// One space in OpenMetrics; in the text format any, and none after a brace.
    fn separator(&self, cursor: &mut Cursor<'a>, expected: &'static str) -> Result<(), Fault> {
        if self.is_open {
            return cursor.expect(" ", expected);
        }
        cursor.blanks();
        Ok(())
    }

    /// From after the opening brace to after the closing one.
    fn labels(&self, cursor: &mut Cursor<'a>) -> Result<Labels<'a>, Fault> {
        let mut labels: Labels<'a> = Vec::new();
        self.blanks(cursor);
        if cursor.eat("}") {
            return Ok(labels);
        }
        loop {
            if labels.len() == limits::LABELS {
                return Err(Fault::TooMany { what: "labels of a sample", most: limits::LABELS });
            }
            let start = *cursor;
            let name = cursor.label_name()?;
            if labels.iter().any(|(other, _)| *other == name) {
                return Err(start.unexpected("a label that is not there already"));
            }
            self.blanks(cursor);
            cursor.expect("=", "`=` after a label's name")?;
            self.blanks(cursor);
            cursor.expect("\"", "a label's value in quotes")?;
            labels.push((name, cursor.quoted()?));
            self.blanks(cursor);
            if cursor.eat("}") {
                return Ok(labels);
            }
            cursor.expect(",", "`,` or `}` after a label")?;
            self.blanks(cursor);
            // The text format allows a trailing comma.
            if !self.is_open && cursor.eat("}") {
                return Ok(labels);
            }
        }
    }

    /// Milliseconds in the text format, seconds in OpenMetrics.
    fn timestamp(&self, cursor: &mut Cursor<'a>) -> Result<Option<i64>, Fault> {
        if !self.is_open {
            cursor.blanks();
            if cursor.is_at_end() {
                return Ok(None);
            }
            let start = *cursor;
            let word = cursor.word();
            return word.parse().map(Some).map_err(|_| start.unexpected("a timestamp in milliseconds"));
        }
        if cursor.is_at_end() || cursor.rest.starts_with(" # ") {
            return Ok(None);
        }
        cursor.expect(" ", "a space and a timestamp")?;
        let start = *cursor;
        let ms = (cursor.number("a timestamp in seconds")? * 1e3).round();
        // An i64 does not hold more.
        if ms.is_finite() && ms.abs() < 9e18 {
            Ok(Some(ms as i64))
        } else {
            Err(start.unexpected("a timestamp in seconds"))
        }
    }

    fn exemplar(&self, cursor: &mut Cursor<'a>) -> Result<Exemplar<'a>, Fault> {
        cursor.expect("{", "the labels of an exemplar")?;
        let labels = self.labels(cursor)?;
        cursor.expect(" ", "a space and an exemplar's value")?;
        let value = cursor.number("an exemplar's value")?;
        Ok(Exemplar { labels, value, timestamp_ms: self.timestamp(cursor)? })
    }

    fn finish(self) -> Result<Exposition<'a>, Fault> {
        if self.is_open {
            // The end of that line may be missing: the specification allows it.
            if !self.is_over {
                return Err(Fault::NoEof);
            }
        } else if self.is_cut_off {
            return Err(Fault::CutOff);
        }
        Ok(Exposition { families: self.families, samples: self.samples, left_out: None })
    }
}

#[cfg(test)]
mod tests;
