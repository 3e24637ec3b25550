//! How summaries write their numbers.

use unladen_trace::Interval;

/// `1,104 ± 3`, `1.00`, `12.4 ± 0.3`: as many digits as the interval supports, without ± if exact.
pub(crate) fn count(interval: Interval) -> String {
    let margin = interval.margin();
    if margin < 0.005 {
        return plain(interval.value);
    }
    // The first digit of the margin is the last significant one.
    let digits = usize::from(margin < 10.0 && interval.value.abs() < 100.0) + usize::from(margin < 1.0);
    format!("{} ± {:.digits$}", grouped(interval.value, digits), ceil(margin, digits))
}

/// `8.8 ± 0.4 %`
pub(crate) fn percent(part: Interval) -> String {
    let part = part.scaled(100.0);
    let margin = part.margin();
    if margin < 0.05 {
        format!("{:.1} %", part.value)
    } else {
        format!("{:.1} ± {:.1} %", part.value, ceil(margin, 1))
    }
}

/// `1 process`, `2 processes`, `0.50 processes`
pub(crate) fn many(interval: Interval, one: &str, more: &str) -> String {
    let count = count(interval);
    format!("{count} {}", if count == "1" { one } else { more })
}

/// `1,104`, `1`, `12.4`, `0.03`
pub(crate) fn plain(value: f64) -> String {
    let digits = match value.abs() {
        value if (value - value.round()).abs() < 0.005 => 0,
        value if value < 1.0 => 2,
        value if value < 100.0 => 1,
        _ => 0,
    };
    grouped(value, digits)
}

/// `1.9 s`, `58 ms`, `120 µs`: from ns, with two significant digits.
pub(crate) fn time(ns: f64) -> String {
    let (value, unit) = match ns.abs() {
        ns_abs if ns_abs >= 1e9 => (ns / 1e9, "s"),
        ns_abs if ns_abs >= 1e6 => (ns / 1e6, "ms"),
        ns_abs if ns_abs >= 1e3 => (ns / 1e3, "µs"),
        _ => (ns, "ns"),
    };
    format!("{} {unit}", grouped(value, usize::from(value.abs() < 9.95)))
}

/// `12 to 40 ms`, `at most 40 ms`: from ns; the upper end alone if the lower is zero.
pub(crate) fn between(interval: Interval) -> String {
    let (low, high) = (time(interval.low), time(interval.high.max(0.0)));
    if interval.low <= 0.0 {
        return format!("at most {high}");
    }
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((value, unit)), Some((_, same))) if unit == same => format!("{value} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// The first characters of a text, with `…` if there are more.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn ceil(value: f64, digits: usize) -> f64 {
    let scale = 10f64.powi(i32::try_from(digits).unwrap_or(0));
    (value * scale - 1e-6).ceil() / scale
}

fn grouped(value: f64, digits: usize) -> String {
    let text = format!("{:.digits$}", value.abs());
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut out = String::new();
    if value < 0.0 && text.bytes().any(|byte| matches!(byte, b'1'..=b'9')) {
        out.push('−');
    }
    for (index, digit) in whole.char_indices() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out + rest
}

#[cfg(test)]
mod tests;
