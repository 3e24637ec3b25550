//! Writes metrics for Prometheus: [`write`], in the format that [`Format::of`] derives from the reader's `Accept`.

use std::fmt::Write;

use super::exemplar::Exemplar;
use super::families::{Amount, Attributes, Examples, Family, Shape, Unit};
use super::hex;
use super::histogram::{BOUNDS, HistogramTotals};
use super::wall::Wall;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    OpenMetrics,
}

pub(super) fn write(families: &[Family], format: Format) -> String {
    let mut out = String::with_capacity(64 * 1024);
    for family in families {
        // Writing to a String does not fail.
        let _ = write_family(family, format, &mut out);
    }
    if format == Format::OpenMetrics {
        out.push_str("# EOF\n");
    }
    out
}

fn write_family(family: &Family, format: Format, out: &mut String) -> std::fmt::Result {
    let name = name_of(family);
    let total = if family.shape == Shape::Counter { "_total" } else { "" };
    // OpenMetrics omits the sample suffix in the name of a counter's family.
    let told = if format == Format::OpenMetrics { "" } else { total };
    let shape = match family.shape {
        Shape::Counter => "counter",
        Shape::UpDown | Shape::Gauge => "gauge",
        Shape::Histogram => "histogram",
    };
    writeln!(out, "# TYPE {name}{told} {shape}")?;
    if let (Format::OpenMetrics, Some(unit)) = (format, suffix(family.unit)) {
        writeln!(out, "# UNIT {name} {unit}")?;
    }
    writeln!(out, "# HELP {name}{told} {}", escaped(family.help, format == Format::OpenMetrics))?;
    for point in &family.points {
        let labels = labels(&point.attributes);
        // The text format has no exemplars; in OpenMetrics, only counters and buckets have.
        let examples = point.exemplars.as_deref().filter(|_| format == Format::OpenMetrics);
        match point.value {
            Amount::Whole(n) => {
                write!(out, "{name}{total}{} {n}", braced(&labels))?;
                if let (Some(Examples::Last(exemplar)), Shape::Counter) = (examples, family.shape) {
                    // The exemplar is one of the counted requests.
                    write_exemplar(exemplar, "1", out)?;
                }
                writeln!(out)?;
            }
            Amount::Real(x) => writeln!(out, "{name}{total}{} {x}", braced(&labels))?,
            Amount::Histogram(totals) => write_histogram(&name, &labels, &totals, examples, out)?,
        }
    }
    Ok(())
}

fn write_histogram(
    name: &str,
    labels: &str,
    totals: &HistogramTotals,
    examples: Option<&Examples>,
    out: &mut String,
) -> std::fmt::Result {
    let exemplars: &[Option<Exemplar>] = match examples {
        Some(Examples::Buckets(exemplars)) => &**exemplars,
        Some(Examples::Last(_)) | None => &[],
    };
    let end = |bucket: usize, out: &mut String| {
        if let Some(Some(exemplar)) = exemplars.get(bucket) {
            write_exemplar(exemplar, &seconds(exemplar.ns).to_string(), out)?;
        }
        writeln!(out)
    };
    let comma = if labels.is_empty() { "" } else { "," };
    let mut below = 0;
    for (bucket, (bound, n)) in BOUNDS.iter().zip(totals.buckets).enumerate() {
        below += n;
        // Always with a decimal point: OpenMetrics requires 1.0, and so does Prometheus from 3.0 on.
        write!(out, "{name}_bucket{{{labels}{comma}le=\"{:?}\"}} {below}", seconds(*bound))?;
        end(bucket, out)?;
    }
    write!(out, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {}", totals.count())?;
    end(BOUNDS.len(), out)?;
    writeln!(out, "{name}_sum{} {}", braced(labels), seconds(totals.sum_ns))?;
    writeln!(out, "{name}_count{} {}", braced(labels), totals.count())
}

/// Trace and time of a request: leads from a metric to its trace.
fn write_exemplar(exemplar: &Exemplar, value: &str, out: &mut String) -> std::fmt::Result {
    let (trace, span) = (hex::string(&exemplar.trace_id), hex::string(&exemplar.span_id));
    // In ms: readers keep seconds since 1970 as floats, which have no room for more.
    let at = Wall::of(exemplar.at).ns() / 1_000_000;
    write!(out, " # {{trace_id=\"{trace}\",span_id=\"{span}\"}} {value} {}.{:03}", at / 1000, at % 1000)
}

fn name_of(family: &Family) -> String {
    let mut name = family.name.replace('.', "_");
    if let Some(unit) = suffix(family.unit) {
        name.push('_');
        name.push_str(unit);
    }
    name
}

fn suffix(unit: Unit) -> Option<&'static str> {
    match unit {
        Unit::Seconds => Some("seconds"),
        Unit::Bytes => Some("bytes"),
        Unit::Of(_) => None,
    }
}

fn labels(attributes: &Attributes) -> String {
    let mut labels = String::new();
    for (index, (key, value)) in attributes.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(labels, "{comma}{}=\"{}\"", key.replace('.', "_"), escaped(value, true));
    }
    labels
}

fn braced(labels: &str) -> String {
    if labels.is_empty() { String::new() } else { format!("{{{labels}}}") }
}

fn escaped(text: &str, quotes: bool) -> String {
    let text = text.replace('\\', "\\\\").replace('\n', "\\n");
    if quotes { text.replace('"', "\\\"") } else { text }
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}

impl Format {
    /// Preferred format of the reader's `Accept` (RFC 9110, section 12.5.1); the text format by default.
    pub(super) fn of(accept: &str) -> Self {
        let quality = |wanted: &str| {
            let ranges = accept.split(',').filter_map(|range| {
                let mut parts = range.split(';').map(str::trim);
                parts.next().filter(|kind| kind.eq_ignore_ascii_case(wanted))?;
                let q = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
                Some(q.map_or(1.0, |q| q.parse::<f64>().unwrap_or(0.0)))
            });
            ranges.fold(0.0, f64::max)
        };
        let (open, text) = (quality("application/openmetrics-text"), quality("text/plain"));
        if open > 0.0 && open >= text { Self::OpenMetrics } else { Self::Text }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Text => "text/plain; version=0.0.4; charset=utf-8",
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

#[cfg(test)]
mod tests;
