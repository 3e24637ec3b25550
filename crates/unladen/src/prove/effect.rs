//! The principal type is [`Effect`]: one metric of one arm against the baseline, before and after it is judged.

use std::time::Duration;

use unladen_document::{Change, Comparison, Metric, OpenSpan, nanos};
use unladen_lockin::{
    Arm, Change as Judged, Contrast, Counts, Family, Floor, MARGIN, MARGIN_OF_SHARES, Scale, adjust_comparisons,
    contrast_counts, judge, time_to_settle,
};
use unladen_report::Span;

use crate::prove::measured::{BASELINE, BASELINE_AGAIN};

/// A smaller change in bytes matters to nobody, however exactly it is known.
pub(crate) const NEGLIGIBLE: f64 = 0.001;

pub(crate) struct Effect {
    pub(crate) arm: usize,
    pub(crate) metric: String,
    pub(crate) kind: Metric,
    pub(crate) baseline: f64,
    pub(crate) candidate: f64,
    pub(crate) ratio: Option<Contrast>,
    pub(crate) difference: Contrast,
    /// The arm's own figure, in the difference's unit.
    pub(crate) absolute: Option<Contrast>,
    /// Floor of the ratio, else of the difference.
    pub(crate) floor: Floor,
}

/// Judges the metrics of each arm, measured for `elapsed`, as a family whose headline is the first of them.
pub(crate) fn judged(arms: &[Arm], elapsed: Duration, effects: Vec<Effect>) -> Vec<Comparison> {
    let mut by_arm: Vec<Vec<Effect>> = arms.iter().map(|_| Vec::new()).collect();
    effects.into_iter().for_each(|effect| by_arm[effect.arm].push(effect));
    by_arm.retain(|effects| !effects.is_empty());
    let p = |effect: &Effect| effect.judged().p_value;
    let families: Vec<Family> = by_arm
        .iter()
        .map(|effects| Family { deciding: p(&effects[0]), others: effects[1..].iter().map(p).collect() })
        .collect();
    let adjusted = adjust_comparisons(&families);
    by_arm
        .iter()
        .zip(adjusted)
        .flat_map(|(effects, adjusted)| effects.iter().zip(std::iter::once(adjusted.deciding).chain(adjusted.others)))
        .map(|(effect, adjusted_p)| effect.comparison(&arms[effect.arm].name, elapsed, adjusted_p))
        .collect()
}

impl Effect {
    /// Of what was counted of each arm's answers; `None` if too few blocks have some. A share of nothing has no ratio,
    /// nor have no bytes.
    pub(crate) fn of_counts(arm: usize, metric: &str, kind: Metric, arms: &[Counts]) -> Option<Self> {
        let baseline = Counts::pooled(&[&arms[BASELINE], &arms[BASELINE_AGAIN]]);
        let terms = [(1.0, &arms[arm]), (-1.0, &baseline)];
        let same = [(1.0, &arms[BASELINE_AGAIN]), (-1.0, &arms[BASELINE])];
        let of = |terms: &[(f64, &Counts)], scale| contrast_counts(terms, None, scale).ok();
        let with_ratio: Option<(Contrast, Floor)> = of(&terms, Scale::Ratio)
            .zip(of(&same, Scale::Ratio))
            .filter(|_| matches!(kind, Metric::Bytes | Metric::Throughput))
            .map(|(ratio, same)| (ratio, Floor::of(&same)));
        let floor = match &with_ratio {
            Some((_, floor)) => *floor,
            None => Floor::of(&of(&same, Scale::Difference)?),
        };
        let absolute = of(&[(1.0, &arms[arm])], Scale::Difference)?;
        Some(Self {
            arm,
            metric: metric.to_owned(),
            kind,
            baseline: of(&[(1.0, &baseline)], Scale::Difference)?.value,
            candidate: absolute.value,
            ratio: with_ratio.map(|(ratio, _)| ratio),
            difference: of(&terms, Scale::Difference)?,
            absolute: Some(absolute),
            floor,
        })
    }

    fn judged(&self) -> &Contrast {
        self.ratio.as_ref().unwrap_or(&self.difference)
    }

    /// Shares lie between 0 and 1, and their differences between −1 and 1, whatever Student's t says.
    fn bounded(&self, contrast: &Contrast, least: f64) -> Span {
        let Span { value, low, high } = span(contrast);
        if self.kind.is_share() { Span { value, low: low.max(least), high: high.min(1.0) } } else { span(contrast) }
    }

    /// Differences within it count as none. For bytes without a ratio, it is a share of the larger arm's bytes.
    fn margin(&self) -> f64 {
        match (self.kind, self.ratio) {
            (Metric::Bytes, None) => MARGIN * self.baseline.max(self.candidate),
            (kind, _) if kind.is_share() => MARGIN_OF_SHARES,
            _ => MARGIN,
        }
    }

    fn comparison(&self, arm: &str, elapsed: Duration, adjusted_p: f64) -> Comparison {
        let effect = self.judged();
        let is_more_better = matches!(self.kind, Metric::Within | Metric::Throughput | Metric::Status);
        // Bytes are exact counts: one more in thousands would be certain.
        let is_negligible = self.kind == Metric::Bytes && self.ratio.is_some() && effect.change().abs() < NEGLIGIBLE;
        let margin = self.margin();
        let verdict = match judge(effect, &self.floor, adjusted_p, margin) {
            Judged::NoMeasurableDifference => Change::Equal,
            Judged::Unclear => Change::Unclear,
            _ if is_negligible && effect.is_within(margin) => Change::Equal,
            _ if (effect.change() > 0.0) == is_more_better => Change::Better,
            _ => Change::Worse,
        };
        let (absolute, ratio) = (self.absolute.as_ref(), self.ratio.as_ref());
        Comparison {
            arm: arm.to_owned(),
            metric: self.metric.clone(),
            unit: self.kind.unit().to_owned(),
            floor: Some(self.floor.for_effect(effect)),
            margin: Some(margin),
            time_to_settle_ns: settled_after(verdict, effect, elapsed, margin),
            adjusted_p,
            verdict: verdict.as_str(self.kind).to_owned(),
            ..figures(
                self.kind,
                [self.baseline, self.candidate],
                absolute.map(|absolute| self.bounded(absolute, 0.0)),
                ratio.map(span),
                self.bounded(&self.difference, -1.0),
            )
        }
    }
}

/// The figures of a comparison: those of the baseline and of the arm, the latter's interval, their ratio and difference.
pub(crate) fn figures(
    kind: Metric,
    [baseline, candidate]: [f64; 2],
    absolute: Option<Span>,
    ratio: Option<Span>,
    difference: Span,
) -> Comparison {
    // Durations are whole nanoseconds.
    let number = |value: f64| if kind == Metric::Latency { value.round() } else { value };
    let known = |value: f64| Some(number(value)).filter(|value| value.is_finite());
    let Span { value, low, high } = difference;
    Comparison {
        baseline: known(baseline),
        candidate: known(candidate),
        candidate_low: absolute.and_then(|span| known(span.low)),
        candidate_high: absolute.and_then(|span| known(span.high)),
        ratio: ratio.map(|ratio| ratio.value),
        low: ratio.map(|ratio| ratio.low),
        high: ratio.map(|ratio| ratio.high),
        difference: OpenSpan { value: number(value), low: known(low), high: known(high) },
        ..Comparison::default()
    }
}

/// Total time in ns to settle an unclear verdict.
pub(crate) fn settled_after(verdict: Change, effect: &Contrast, elapsed: Duration, margin: f64) -> Option<u64> {
    // Unknown if the time so far should suffice, and the floor or many metrics make it unclear.
    let is_more = |time: &Duration| *time > elapsed;
    let time = (verdict == Change::Unclear).then(|| time_to_settle(effect, elapsed, margin)).flatten();
    time.filter(is_more).map(nanos)
}

pub(crate) fn span(contrast: &Contrast) -> Span {
    Span { value: contrast.value, low: contrast.low, high: contrast.high }
}
