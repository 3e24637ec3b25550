//! [`gates`]: judges the result of a load by the conditions that fail it.

use unladen_document::{Gate, LoadDocument};

use crate::condition::{BoundUnit, Condition};

const UNJUDGED: &str = "could not be judged: an interval needs more answered requests, or a longer time";

struct Figure {
    value: f64,
    ends: Option<(f64, f64)>,
}

/// Refuses, before anything is sent, conditions that a load has no figure for. The error names the first.
pub(crate) fn check(conditions: &[Condition], quantiles: &[&str]) -> Result<(), String> {
    for condition in conditions {
        if condition.bound.is_change {
            return Err(format!(
                "`{condition}`: a load has no baseline to change against; leave out the sign, or compare two loads \
                 with `unladen prove`"
            ));
        }
        if let Some(quantile) = condition.quantile().filter(|quantile| !quantiles.contains(quantile)) {
            return Err(format!(
                "`{condition}`: {quantile} is not one of a load's quantiles: {}",
                quantiles.join(", ")
            ));
        }
        let prefix = condition.metric.split('.').next().unwrap_or_default();
        if !["latency", "within", "throughput", "errors"].contains(&prefix) {
            return Err(format!(
                "`{condition}`: a load has no {prefix}; it has p50 to p99.9, mean, within.TIME, throughput and errors"
            ));
        }
    }
    Ok(())
}

/// Judges the result by each condition. A gate is broken if the whole interval lies beyond the bound, or if there is no
/// figure.
pub(crate) fn gates(conditions: &[Condition], result: &LoadDocument) -> Vec<Gate> {
    let gate = |condition: &Condition| {
        let (broken, untold, found) = match figure(condition, result) {
            None => (true, false, UNJUDGED.to_owned()),
            Some(Figure { value, ends }) => {
                let (low, high) = ends.unwrap_or((value, value));
                let [is_low_beyond, is_high_beyond] = [low, high].map(|end| condition.is_beyond(end));
                let found = words(condition, value, ends);
                (is_low_beyond && is_high_beyond, is_low_beyond != is_high_beyond, found)
            }
        };
        Gate { condition: condition.to_string(), broken, untold, found, ..Gate::default() }
    };
    conditions.iter().map(gate).collect()
}

pub(crate) fn broken(gates: &[Gate]) -> Option<String> {
    gates.iter().find(|gate| gate.broken).map(|Gate { condition, found, .. }| match found.as_str() {
        UNJUDGED => format!("`{condition}` {UNJUDGED}"),
        _ => format!("{condition}: it is {found}"),
    })
}

fn figure(condition: &Condition, result: &LoadDocument) -> Option<Figure> {
    let exact = |value: f64| Some(Figure { value, ends: None });
    match condition.metric.split_once('.') {
        Some(("latency", name)) => {
            // A dot would split the field's name.
            let key = name.replace('.', "");
            let value = *result.latency_ns.get(&key)? as f64;
            let ends = result.latency_intervals_ns.get(&key).map(|ends| (ends.low as f64, ends.high as f64));
            // The mean of a few requests is known without an interval.
            (ends.is_some() || name == "mean").then_some(Figure { value, ends })
        }
        Some(("within", bound)) => exact(*result.within.get(bound)?),
        _ if condition.metric == "throughput" => exact(result.throughput),
        _ if condition.bound.unit == BoundUnit::Share => exact(result.failed() as f64 / result.planned.max(1) as f64),
        _ => exact(result.failed() as f64),
    }
}

fn words(condition: &Condition, value: f64, ends: Option<(f64, f64)>) -> String {
    let (scale, decimals, unit) = match condition.bound.unit {
        BoundUnit::Share => (100.0, 2, " %"),
        BoundUnit::Time => (1e-6, 2, " ms"),
        BoundUnit::Number if condition.metric == "throughput" => (1.0, 1, "/s"),
        BoundUnit::Number => (1.0, 0, ""),
    };
    let number = |value: f64| format!("{:.decimals$}", value * scale);
    let ends = ends.map_or(String::new(), |(low, high)| format!(" ({} to {})", number(low), number(high)));
    format!("{}{unit}{ends}", number(value))
}
