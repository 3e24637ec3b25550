//! The principal type is [`Effect`]: one metric of one arm against the baseline, before and after it is judged.

use unladen_lockin::{Arm, Change as Judged, Contrast, Family, Floor, adjust_comparisons, judge};
use unladen_report::{Change, Comparison, Metric, Span};

/// A figure that changes by less than this share is the same to anybody, however exactly it is known.
pub(crate) const NEGLIGIBLE: f64 = 0.001;

/// One metric of one arm before it is judged.
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
    /// Of the ratio, else of the difference.
    pub(crate) floor: Floor,
}

/// Judges the metrics of each arm as a family whose headline is the first of them.
pub(crate) fn judged(arms: &[Arm], effects: Vec<Effect>) -> Vec<Comparison> {
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
        .map(|(effect, adjusted_p)| effect.comparison(&arms[effect.arm].name, adjusted_p))
        .collect()
}

// === impl Effect ===

impl Effect {
    /// What is judged: the ratio, where there is one.
    fn judged(&self) -> &Contrast {
        self.ratio.as_ref().unwrap_or(&self.difference)
    }

    /// Shares lie between 0 and 1, and their differences between −1 and 1, whatever Student's t says.
    fn bounded(&self, contrast: &Contrast, least: f64) -> Span {
        let Span { value, low, high } = span(contrast);
        if self.kind.is_share() { Span { value, low: low.max(least), high: high.min(1.0) } } else { span(contrast) }
    }

    /// What the floor is held against: of bytes without a ratio, those of the arm that has more.
    fn whole(&self) -> f64 {
        match (self.kind, self.ratio) {
            (Metric::Bytes, None) => self.baseline.max(self.candidate),
            _ => 1.0,
        }
    }

    fn comparison(&self, arm: &str, adjusted_p: f64) -> Comparison {
        let effect = self.judged();
        let is_more_better = matches!(self.kind, Metric::Within | Metric::Throughput | Metric::Status);
        // Bytes are counted, and exact: one more of thousands would be told for certain.
        let is_negligible = self.kind == Metric::Bytes && self.ratio.is_some() && effect.change().abs() < NEGLIGIBLE;
        let verdict = match judge(effect, &self.floor, adjusted_p, self.whole()) {
            Judged::NoMeasurableDifference => Change::Equal,
            Judged::TooFewBlocks => Change::TooFewBlocks,
            _ if is_negligible => Change::Equal,
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
            adjusted_p,
            verdict,
        }
    }
}

/// A contrast as a result shows it.
pub(crate) fn span(contrast: &Contrast) -> Span {
    Span { value: contrast.value, low: contrast.low, high: contrast.high }
}
