//! [`Exposition::write`]: an exposition as text again.

use std::borrow::Cow;
use std::fmt::Write;

use crate::exposition::{Exposition, Format, Kind};

impl Exposition<'_> {
    /// Text that [`parse`](Self::parse) reads as the same. The samples of a family have to be together.
    pub fn write(&self, format: Format) -> String {
        let is_open = format == Format::OpenMetrics;
        let mut text = String::new();
        let mut described = 0;
        for sample in &self.samples {
            while described <= sample.family {
                self.describe(described, is_open, &mut text);
                described += 1;
            }
            text.push_str(sample.name);
            labels(&sample.labels, false, &mut text);
            // Writing to a String does not fail.
            let _ = write!(text, " {}", number(sample.value));
            time(sample.timestamp_ms, is_open, &mut text);
            if let Some(exemplar) = sample.exemplar.as_ref().filter(|_| is_open) {
                text.push_str(" # ");
                labels(&exemplar.labels, true, &mut text);
                let _ = write!(text, " {}", number(exemplar.value));
                time(exemplar.timestamp_ms, true, &mut text);
            }
            text.push('\n');
        }
        for index in described..self.families.len() {
            self.describe(index, is_open, &mut text);
        }
        if is_open {
            text.push_str("# EOF\n");
        }
        text
    }

    fn describe(&self, index: usize, is_open: bool, text: &mut String) {
        let family = &self.families[index];
        let kind = if family.kind == Kind::Unknown && !is_open { "untyped" } else { family.kind.into_str() };
        let _ = writeln!(text, "# TYPE {} {kind}", family.name);
        if let Some(unit) = family.unit.filter(|_| is_open) {
            let _ = writeln!(text, "# UNIT {} {unit}", family.name);
        }
        if let Some(help) = &family.help {
            let mut help = help.replace('\\', "\\\\").replace('\n', "\\n");
            if is_open {
                help = help.replace('"', "\\\"");
            }
            let _ = writeln!(text, "# HELP {} {help}", family.name);
        }
    }
}

fn labels(labels: &[(&str, Cow<'_, str>)], even_if_empty: bool, text: &mut String) {
    if labels.is_empty() && !even_if_empty {
        return;
    }
    for (index, (name, value)) in labels.iter().enumerate() {
        let separator = if index == 0 { '{' } else { ',' };
        let value = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = write!(text, "{separator}{name}=\"{value}\"");
    }
    text.push_str(if labels.is_empty() { "{}" } else { "}" });
}

fn time(timestamp_ms: Option<i64>, is_open: bool, text: &mut String) {
    let Some(ms) = timestamp_ms else { return };
    let _ = if is_open { write!(text, " {}", ms as f64 / 1e3) } else { write!(text, " {ms}") };
}

fn number(value: f64) -> String {
    if value.is_nan() {
        "NaN".to_owned()
    } else if value.is_infinite() {
        if value > 0.0 { "+Inf".to_owned() } else { "-Inf".to_owned() }
    } else {
        // With an exponent: the smallest have hundreds of digits without.
        format!("{value:e}")
    }
}

#[cfg(test)]
mod tests;
