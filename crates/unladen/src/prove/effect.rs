//! The principal type is [`Effect`]: one metric of one arm against the baseline, before and after it is judged.

use std::time::Duration;

use unladen_lockin::{
    Arm, Change as Judged, Contrast, Counts, Family, Floor, MARGIN, MARGIN_OF_SHARES, Scale, adjust_comparisons,
    contrast_counts, judge, time_to_settle,
};

use unladen_report::{Change, Comparison, Metric, Span};

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
        Comparison {
            arm: arm.to_owned(),
            metric: self.metric.clone(),
            kind: self.kind,
            weight: None,
            baseline: self.baseline,
            candidate: self.candidate,
            absolute: self.absolute.as_ref().map(|absolute| self.bounded(absolute, 0.0)),
            ratio: self.ratio.as_ref().map(span),
            difference: self.bounded(&self.difference, -1.0),
            floor: self.floor.for_effect(effect),
            margin: Some(margin),
            settled_after: settled_after(verdict, effect, elapsed, margin),
            on_path: None,
            adjusted_p,
            verdict,
        }
    }
}

pub(crate) fn settled_after(verdict: Change, effect: &Contrast, elapsed: Duration, margin: f64) -> Option<Duration> {
    // Unknown if the time so far should suffice, and the floor or many metrics make it unclear.
    let is_more = |time: &Duration| *time > elapsed;
    (verdict == Change::Unclear).then(|| time_to_settle(effect, elapsed, margin)).flatten().filter(is_more)
}

pub(crate) fn span(contrast: &Contrast) -> Span {
    Span { value: contrast.value, low: contrast.low, high: contrast.high }
}
