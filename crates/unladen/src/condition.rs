//! The principal type is [`Condition`]: what fails a run, `p95 > +5%` or `p95 > 5ms`. `prove` and `load` read it alike
//! and judge their own results by it.

use std::str::FromStr;

use unladen_probe::PROBES;

#[derive(Debug, Clone, PartialEq, derive_more::Display)]
#[display("{text}")]
pub(crate) struct Condition {
    text: String,
    pub(crate) metric: String,
    pub(crate) is_above: bool,
    pub(crate) bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Bound {
    /// With a sign, a change against the baseline; without, the figure itself.
    pub(crate) is_change: bool,
    pub(crate) value: f64,
    pub(crate) unit: BoundUnit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundUnit {
    /// A share as a fraction of one; of a change, relative to the baseline's figure.
    Share,
    /// Nanoseconds.
    Time,
    /// A plain number: requests a second, bytes, or a counter's unit.
    Number,
}

const EXPECTED: &str = "expected a metric, < or >, and a bound: with a sign for a change against the baseline ('p95 > \
     +5%', 'mean > +2ms', 'within.50ms < -1%', 'bytes.body > +5%', 'weight.cpu www-data php-fpm8.2 > +10%'), without \
     one for the figure itself ('p95 > 5ms', 'within.50ms < 95%', 'throughput < 100/s', 'bytes.body > 20kB', \
     'statuses.5xx > 1%', 'errors > 1%')";

// === impl Condition ===

impl Condition {
    /// The metric's quantile, as in `p95`.
    pub(crate) fn quantile(&self) -> Option<&str> {
        self.metric.strip_prefix("latency.").filter(|name| name.starts_with('p'))
    }

    /// The metric's time, as in `within.50ms`.
    pub(crate) fn within(&self) -> Option<std::time::Duration> {
        humantime::parse_duration(self.metric.strip_prefix("within.")?).ok().filter(|time| !time.is_zero())
    }

    /// The metric's statuses, as in `statuses.2xx`.
    pub(crate) fn status(&self) -> Option<StatusRange> {
        StatusRange::read(self.metric.strip_prefix("statuses.")?)
    }

    pub(crate) fn is_beyond(&self, figure: f64) -> bool {
        if self.is_above { figure > self.bound.value } else { figure < self.bound.value }
    }
}

fn full_name(metric: &str) -> Option<String> {
    let is_latency = |name: &str| name == "mean" || name.parse::<unladen_prove::Quantile>().is_ok();
    match metric {
        "throughput" | "errors" | "bytes.body" => Some(metric.to_owned()),
        _ if let Some(status) = metric.strip_prefix("statuses.") => {
            StatusRange::read(status).map(|_| metric.to_owned())
        }
        "mean" => Some("latency.mean".to_owned()),
        _ if let Some(name) = metric.strip_prefix("cold.latency.").or(metric.strip_prefix("latency.")) => {
            is_latency(name).then(|| metric.to_owned())
        }
        _ if let Some(time) = metric.strip_prefix("within.") => (!time.is_empty()).then(|| metric.to_owned()),
        // The group is known once there are results.
        _ if let Some(weight) = metric.strip_prefix("weight.") => {
            let (counter, group) = weight.split_once(' ')?;
            let is_counter = PROBES.iter().flat_map(|probe| probe.counters).any(|known| known.name == counter);
            (is_counter && !group.trim().is_empty()).then(|| metric.to_owned())
        }
        // `p95` means the latency.
        quantile if quantile.parse::<unladen_prove::Quantile>().is_ok() => Some(format!("latency.{quantile}")),
        _ => None,
    }
}

fn bound(metric: &str, text: &str) -> Result<Bound, String> {
    let (sign, rest) = match text.strip_prefix(['-', '−']) {
        Some(rest) => (Some(-1.0), rest),
        None => text.strip_prefix('+').map_or((None, text), |rest| (Some(1.0), rest)),
    };
    let is_change = sign.is_some();
    let number = |digits: &str| -> Result<f64, String> {
        let number: f64 = digits.trim().parse().map_err(|_| EXPECTED.to_owned())?;
        // One sign at most, and a possible figure.
        let is_plain = number.is_finite() && number >= 0.0 && !digits.trim().starts_with(['+', '-']);
        if is_plain { Ok(number * sign.unwrap_or(1.0)) } else { Err(EXPECTED.to_owned()) }
    };
    let is_time = metric.starts_with("latency.") || metric.starts_with("cold.");
    let is_share = metric.starts_with("within.") || metric.starts_with("statuses.") || metric == "errors";
    if let Some(digits) = rest.strip_suffix('%') {
        let value = number(digits)? / 100.0;
        if !is_change && !is_share {
            let signs = format!("{rest} needs a sign: a change against the baseline is '+{rest}' or '-{rest}'");
            return Err(signs);
        }
        return Ok(Bound { is_change, value, unit: BoundUnit::Share });
    }
    if let Some(digits) = rest.strip_suffix("/s").filter(|_| metric == "throughput") {
        return Ok(Bound { is_change, value: number(digits)?, unit: BoundUnit::Number });
    }
    if let (Some((digits, scale)), "bytes.body") = (bytes(rest), metric) {
        return Ok(Bound { is_change, value: number(digits)? * scale, unit: BoundUnit::Number });
    }
    let is_weight = metric.starts_with("weight.");
    let plain = number(rest);
    match (plain, is_weight || metric == "errors" || metric == "throughput") {
        (Ok(value), true) => return Ok(Bound { is_change, value, unit: BoundUnit::Number }),
        (Ok(_), false) if is_time => {
            return Err(format!("{rest} has no unit: expected a time such as {rest}ms, or +{rest}%"));
        }
        (Ok(_), false) => return Err(format!("{rest} has no unit: expected a share such as {rest}%")),
        (Err(_), _) => {}
    }
    if !is_time && !is_weight {
        return Err(EXPECTED.to_owned());
    }
    let time = humantime::parse_duration(rest.trim()).map_err(|_| EXPECTED.to_owned())?;
    Ok(Bound { is_change, value: time.as_nanos() as f64 * sign.unwrap_or(1.0), unit: BoundUnit::Time })
}

/// The number in a size such as `20kB`, and its multiplier, as tables write sizes.
pub(crate) fn bytes(text: &str) -> Option<(&str, f64)> {
    let units = [("kB", 1e3), ("MB", 1e6), ("GB", 1e9), ("B", 1.0), ("", 1.0)];
    units.into_iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))
}

impl FromStr for Condition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| format!("`{text}` is not a condition: {why}");
        let place = text.rfind(['<', '>']).ok_or_else(|| wrong(EXPECTED))?;
        let (metric, rest) = text.split_at(place);
        let metric = full_name(metric.trim()).ok_or_else(|| wrong(EXPECTED))?;
        // Named as in results: 0.05s is 50ms.
        let metric = match metric.strip_prefix("within.").map(humantime::parse_duration) {
            Some(Ok(time)) if !time.is_zero() => format!("within.{}", unladen_report::bucket_name(time)),
            Some(_) => return Err(wrong("`within.` takes a time above 0, such as within.50ms")),
            None => metric,
        };
        let bound = bound(&metric, rest[1..].trim()).map_err(|why| wrong(&why))?;
        if metric == "errors" && bound.is_change {
            return Err(wrong("errors are counted in each arm separately: leave out the sign"));
        }
        Ok(Self { text: text.to_owned(), metric, is_above: rest.starts_with('>'), bound })
    }
}

/// A status, or a class of them (RFC 9110, section 15).
#[derive(Debug, Clone, Copy, PartialEq, Eq, derive_more::Display)]
pub(crate) enum StatusRange {
    /// `304`
    #[display("{_0}")]
    One(u16),
    /// `2xx`, by its first digit.
    #[display("{_0}xx")]
    Class(u16),
}

impl StatusRange {
    /// `None` if it is neither a status nor a class.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let is_number = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        if let Some(class) = text.strip_suffix("xx") {
            return class.parse().ok().filter(|class| class_of(*class) && text.len() == 3).map(Self::Class);
        }
        text.parse().ok().filter(|status| is_number && class_of(status / 100)).map(Self::One)
    }

    pub(crate) fn holds(self, status: u16) -> bool {
        match self {
            Self::One(one) => status == one,
            Self::Class(class) => status / 100 == class,
        }
    }

    /// Whether these are error statuses: 400 and above.
    pub(crate) fn is_of_errors(self) -> bool {
        match self {
            Self::One(status) => status >= 400,
            Self::Class(class) => class >= 4,
        }
    }
}

fn class_of(digit: u16) -> bool {
    (1..=5).contains(&digit)
}

#[cfg(test)]
mod tests;
