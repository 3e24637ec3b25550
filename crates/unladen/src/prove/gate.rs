//! The principal type is [`Condition`]: what fails a run, `p95 > +5%`.

use std::fmt;
use std::str::FromStr;

use unladen_report::{Comparison, Gate, Span};

/// A change that must not be.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Condition {
    text: String,
    /// The metric's name in results.
    pub(crate) metric: String,
    is_above: bool,
    bound: Bound,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Bound {
    /// Of the ratio's distance from 1.
    Share(f64),
    /// Of the difference, ns.
    Time(f64),
}

/// What is no condition.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{text}` is no condition: expected a metric, < or >, and a change, such as 'p95 > +5%', 'mean > +2ms', 'within.50ms < -1%' or 'weight.cpu www-data php-fpm8.2 > +10%'"
)]
pub(crate) struct ConditionError {
    text: String,
}

// === impl Condition ===

impl Condition {
    /// Holds it against every arm that has the metric. An arm is broken only if the whole interval lies beyond the bound:
    /// what cannot be told from chance fails nothing.
    pub(crate) fn judge(&self, comparisons: &[Comparison]) -> Vec<Gate> {
        comparisons.iter().filter(|comparison| comparison.metric == self.metric).map(|it| self.of(it)).collect()
    }

    /// The quantile that it asks for, as in `p95`.
    pub(crate) fn quantile(&self) -> Option<&str> {
        self.metric.strip_prefix("latency.").filter(|name| name.starts_with('p'))
    }

    fn of(&self, comparison: &Comparison) -> Gate {
        let (change, (scale, decimals, unit)) = match self.bound {
            Bound::Share(_) => (comparison.ratio.map(|ratio| around(ratio, 1.0)), (100.0, 1, "%")),
            Bound::Time(_) => (Some(comparison.difference), (1e-6, 2, "ms")),
        };
        // As the tables write it: a minus that is as wide as a plus, and the unit once.
        let number = |value: f64| format!("{:+.decimals$}", value * scale).replace('-', "−");
        let bound = match self.bound {
            Bound::Share(share) => share,
            Bound::Time(ns) => ns,
        };
        let broken = change.is_some_and(|change| if self.is_above { change.low > bound } else { change.high < bound });
        let found = change.map_or("no ratio: the baseline's cannot be told from nothing".to_owned(), |change| {
            format!("{} {unit} ({} to {})", number(change.value), number(change.low), number(change.high))
        });
        Gate { condition: self.text.clone(), arm: comparison.arm.clone(), broken, found }
    }
}

fn around(span: Span, center: f64) -> Span {
    Span { value: span.value - center, low: span.low - center, high: span.high - center }
}

impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Self, ConditionError> {
        let wrong = || ConditionError { text: text.to_owned() };
        let place = text.rfind(['<', '>']).ok_or_else(wrong)?;
        let (metric, rest) = text.split_at(place);
        let metric = metric.trim();
        let known = ["latency.", "cold.", "within.", "weight."].iter().any(|prefix| metric.starts_with(prefix));
        let metric = match metric {
            "" => return Err(wrong()),
            "throughput" => metric.to_owned(),
            _ if known => metric.to_owned(),
            // `p95` and `mean` are the latency's.
            "mean" => "latency.mean".to_owned(),
            quantile if quantile.parse::<unladen_prove::Quantile>().is_ok() => format!("latency.{quantile}"),
            _ => return Err(wrong()),
        };
        let value = rest[1..].trim();
        let (sign, value) = match value.strip_prefix(['-', '−']) {
            Some(value) => (-1.0, value),
            None => (1.0, value.strip_prefix('+').unwrap_or(value)),
        };
        let bound = match value.strip_suffix('%') {
            Some(number) => {
                let number: f64 = number.trim().parse().map_err(|_| wrong())?;
                Bound::Share(sign * number / 100.0)
            }
            None if metric.starts_with("latency.") || metric.starts_with("cold.") => {
                let time = humantime::parse_duration(value).map_err(|_| wrong())?;
                Bound::Time(sign * time.as_nanos() as f64)
            }
            None => return Err(wrong()),
        };
        let is_finite = match bound {
            Bound::Share(value) | Bound::Time(value) => value.is_finite(),
        };
        if !is_finite {
            return Err(wrong());
        }
        Ok(Self { text: text.to_owned(), metric, is_above: rest.starts_with('>'), bound })
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use unladen_report::{Change, Metric};

    use super::*;

    fn comparison(metric: &str, low: f64, high: f64) -> Comparison {
        let value = f64::midpoint(low, high);
        Comparison {
            arm: "candidate".into(),
            metric: metric.into(),
            kind: Metric::Latency,
            weight: None,
            baseline: 20e6,
            candidate: 20e6 * value,
            ratio: Some(Span { value, low, high }),
            difference: Span { value: 20e6 * (value - 1.0), low: 20e6 * (low - 1.0), high: 20e6 * (high - 1.0) },
            floor: 0.01,
            adjusted_p: 0.5,
            verdict: Change::None,
        }
    }

    fn is_broken(condition: &str, low: f64, high: f64) -> bool {
        let condition: Condition = condition.parse().unwrap();
        let [gate] = &condition.judge(&[comparison("latency.p95", low, high)])[..] else { panic!() };
        gate.broken
    }

    #[test]
    fn only_what_is_certain_fails() {
        assert!(is_broken("p95 > +5%", 1.06, 1.10));
        assert!(!is_broken("p95 > +5%", 1.04, 1.10), "it may be 4 %");
        assert!(!is_broken("p95>5%", 0.80, 0.90));
        assert!(is_broken("latency.p95 < -5%", 0.80, 0.90));
        assert!(is_broken("p95 > +1ms", 1.06, 1.10), "1.2 ms to 2 ms");
        assert!(!is_broken("p95 > +1.5ms", 1.06, 1.10) || humantime::parse_duration("1.5ms").is_err());
    }

    #[test]
    fn what_was_found_reads_as_in_the_tables() {
        let found = |condition: &str| {
            let condition: Condition = condition.parse().unwrap();
            condition.judge(&[comparison("latency.p95", 0.95, 1.01)]).remove(0).found
        };
        assert_eq!(found("p95 > +5%"), "−2.0 % (−5.0 to +1.0)");
        assert_eq!(found("p95 > +1ms"), "−0.40 ms (−1.00 to +0.20)");
    }

    #[test]
    fn conditions_are_read() {
        let metric = |text: &str| text.parse::<Condition>().map(|condition| condition.metric).ok();
        assert_eq!(metric("mean > 1%").as_deref(), Some("latency.mean"));
        assert_eq!(metric("within.50ms < -1%").as_deref(), Some("within.50ms"));
        assert_eq!(metric("weight.cpu www-data php-fpm8.2 > +10%").as_deref(), Some("weight.cpu www-data php-fpm8.2"));
        assert_eq!(metric("p99.9 > +5%").as_deref(), Some("latency.p99.9"));
        for wrong in ["", "p95", "p95 > ", "p95 > 5", "> 5%", "p0 > 5%", "cpu > 5%", "throughput > 5ms", "p95 > NaN%"] {
            assert_eq!(metric(wrong), None, "{wrong}");
        }
        assert_eq!("p99.9 > +5%".parse::<Condition>().unwrap().quantile(), Some("p99.9"));
    }
}
