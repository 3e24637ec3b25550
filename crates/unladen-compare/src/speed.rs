//! The principal type is [`Speed`]: the machine's speed in the two runs.

use serde::Serialize;
use unladen_document::{Machine, Reference, Span};

use crate::between::Point;
use crate::measured::{MANY, margin};

/// Kinds of work that differ by more than this, and by more than their intervals, disagree on the machine's speed: then
/// no single figure applies to all of a request's work.
const TOLERANCE: f64 = 0.05;

/// The machine's speed in the two runs, by its reference work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Speed {
    pub kinds: Vec<ReferenceRatio>,
    /// Time of the reference work after / before, over all kinds: above 1, the machine was slower. Null if the kinds
    /// disagree.
    pub ratio: Option<Span>,
    pub disagreement: Option<String>,
}

/// One kind of reference work.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReferenceRatio {
    /// `arithmetic`, `memory` or `syscalls`.
    pub name: String,
    pub ratio: Span,
}

/// Speeds of the two runs for calculations.
#[derive(Debug, Clone)]
pub(crate) struct Clocks {
    /// Kinds that both runs have.
    pub(crate) names: Vec<String>,
    /// Logarithm of the ratio after / before.
    pub(crate) ratio: f64,
    /// Variance between the kinds beyond their own errors: the measured work may be any mixture of them.
    pub(crate) mixture: f64,
}

/// The reference work of a run. Pieces of different versions are different work, and no common kind.
pub(crate) fn references(machine: &Machine) -> Vec<Reference> {
    let named = |reference: &Reference| match machine.reference_version {
        None | Some(1) => reference.clone(),
        Some(version) => Reference { name: format!("{}, version {version}", reference.name), ..reference.clone() },
    };
    machine.reference.iter().map(named).collect()
}

/// The logarithm of a kind's time.
fn point(reference: &Reference) -> Option<Point> {
    let Reference { ns, low, high, .. } = *reference;
    let is_time = low > 0.0 && low <= ns && ns <= high && high.is_finite();
    is_time.then(|| Point { y: ns.ln(), variance: ((high.ln() - low.ln()) / 2.0 / margin(MANY)).powi(2) })
}

/// Logarithm of the mean time of these kinds; `None` if the run lacks one.
pub(crate) fn level(references: &[Reference], names: &[String]) -> Option<Point> {
    let mut sum = Point { y: 0.0, variance: 0.0 };
    let n = names.len() as f64;
    for name in names {
        let point = point(references.iter().find(|reference| reference.name == *name)?)?;
        sum.y += point.y / n;
        sum.variance += point.variance / (n * n);
    }
    (n > 0.0).then_some(sum)
}

pub(crate) fn common(before: &[Reference], after: &[Reference]) -> Vec<String> {
    let has = |of: &[Reference], name: &str| of.iter().any(|other| other.name == name && point(other).is_some());
    let mut names: Vec<String> = after.iter().map(|reference| reference.name.clone()).collect();
    names.retain(|name| has(before, name) && has(after, name));
    names.dedup();
    names
}

/// `None` if one of the runs has no reference work.
pub(crate) fn speed(before: &[Reference], after: &[Reference]) -> Option<(Speed, Option<Clocks>)> {
    let names = common(before, after);
    let ratios: Vec<Point> = names
        .iter()
        .filter_map(|name| {
            let of = |references: &[Reference]| level(references, std::slice::from_ref(name));
            let (before, after) = (of(before)?, of(after)?);
            Some(Point { y: after.y - before.y, variance: before.variance + after.variance })
        })
        .collect();
    if ratios.is_empty() {
        return None;
    }
    let span = |point: &Point| {
        let half = margin(MANY) * point.variance.sqrt();
        Span { value: point.y.exp(), low: (point.y - half).exp(), high: (point.y + half).exp() }
    };
    let kinds: Vec<ReferenceRatio> = names
        .iter()
        .zip(&ratios)
        .map(|(name, point)| ReferenceRatio { name: name.clone(), ratio: span(point) })
        .collect();
    if let Some(disagreement) = disagreement(&kinds, &ratios) {
        return Some((Speed { kinds, ratio: None, disagreement: Some(disagreement) }, None));
    }
    let n = ratios.len() as f64;
    let ratio = ratios.iter().map(|point| point.y).sum::<f64>() / n;
    let own = ratios.iter().map(|point| point.variance).sum::<f64>() / n;
    let spread = ratios.iter().map(|point| (point.y - ratio).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    let mixture = (spread - own).max(0.0);
    let joint = Point { y: ratio, variance: own / n + mixture };
    Some((Speed { kinds, ratio: Some(span(&joint)), disagreement: None }, Some(Clocks { names, ratio, mixture })))
}

/// The two kinds that differ most, if by more than their intervals and the tolerance.
fn disagreement(kinds: &[ReferenceRatio], ratios: &[Point]) -> Option<String> {
    let by = |a: &(usize, &Point), b: &(usize, &Point)| a.1.y.total_cmp(&b.1.y);
    let (least, low) = ratios.iter().enumerate().min_by(by)?;
    let (most, high) = ratios.iter().enumerate().max_by(by)?;
    let error = margin(MANY) * (low.variance + high.variance).sqrt();
    (high.y - low.y > TOLERANCE + error).then(|| {
        let said = |at: usize| format!("{} took ×{:.2} the time", kinds[at].name, kinds[at].ratio.value);
        format!("parts of the machine's reference work disagree about its speed: {}, {}", said(least), said(most))
    })
}

#[cfg(test)]
mod tests;
