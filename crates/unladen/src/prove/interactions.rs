//! [`interactions`]: what changes do together that they do not do alone.

use unladen_document::{Change, Interaction, Metric, Span};
use unladen_lockin::{
    Change as Judged, Contrast, FALSE_DISCOVERY_RATE, Floor, MARGIN, Observations, Scale, Statistic,
    benjamini_hochberg, contrast, interaction, judge, main_effect,
};
use unladen_lockin::{Design, Role};

use crate::prove::latencies::Arms;
use crate::prove::measured::{BASELINE, BASELINE_AGAIN, Measured};

/// The effect of all together against the product of their single effects; in a factorial design, main effects and
/// pairs.
pub(crate) fn interactions(measured: &Measured<'_>, arms: &Arms) -> Vec<Interaction> {
    let found = all(measured, arms);
    // A factorial design has dozens: without control of false discoveries some would be reported by chance.
    let p_values: Vec<f64> = found.iter().map(|(_, beyond, _)| beyond.p_value).collect();
    let adjusted = benjamini_hochberg(&p_values);
    let judged = |((interaction, beyond, floor), p): (Found, f64)| {
        let is_equal = floor.is_some_and(|floor| judge(&beyond, &floor, p, MARGIN) == Judged::NoMeasurableDifference);
        let told = p <= FALSE_DISCOVERY_RATE;
        let verdict = match (told, is_equal) {
            (true, _) => "told",
            (false, true) => Change::Equal.as_str(Metric::Latency),
            (false, false) => Change::Unclear.as_str(Metric::Latency),
        };
        Interaction { told, verdict: verdict.to_owned(), ..interaction }
    };
    found.into_iter().zip(adjusted).map(judged).collect()
}

/// Each with its contrast, and the floor of such contrasts.
type Found = (Interaction, Contrast, Option<Floor>);

fn all(measured: &Measured<'_>, arms: &Arms) -> Vec<Found> {
    let design = measured.options.experiment.design;
    if matches!(design, Design::Ab | Design::Each) {
        return Vec::new();
    }
    let has_cold = measured.options.experiment.cold.is_some();
    let first = measured.options.quantiles().into_iter().next();
    let quantile = first.map(|(name, share)| (format!("latency.{name}"), Statistic::Quantile(share)));
    let statistics: Vec<_> = quantile.into_iter().chain([("latency.mean".to_owned(), Statistic::Mean)]).collect();
    let mut found = Vec::new();
    for is_cold in [false, true].into_iter().filter(|is_cold| !is_cold || has_cold) {
        for (name, statistic) in &statistics {
            let of = Of {
                measured,
                arms: if is_cold { &arms.cold } else { &arms.warm },
                baseline: &arms.baseline(is_cold),
                metric: format!("{}{name}", if is_cold { "cold." } else { "" }),
                statistic: *statistic,
            };
            match design {
                Design::Ablate => found.extend(of.all_against_alone()),
                Design::Factorial => found.extend(of.factorial()),
                Design::Ab | Design::Each => {}
            }
        }
    }
    found
}

struct Of<'a> {
    measured: &'a Measured<'a>,
    arms: &'a [Observations],
    baseline: &'a Observations,
    metric: String,
    statistic: Statistic,
}

impl Of<'_> {
    fn arm(&self, role: Role) -> Option<&Observations> {
        let place = self.measured.arms.iter().position(|arm| arm.is(role))?;
        // The baseline is known from both of its arms.
        if role == Role::Baseline { Some(self.baseline) } else { self.arms.get(place) }
    }

    fn ratio(&self, terms: &[(f64, &Observations)]) -> Option<Contrast> {
        contrast(terms, self.statistic, Scale::Ratio).ok()
    }

    fn found(&self, kind: &str, knobs: Vec<String>, of: &Contrast, expected: Option<Span>) -> Found {
        let (metric, kind) = (self.metric.clone(), kind.to_owned());
        let (ratio, low, high) = (of.value, of.low, of.high);
        let interaction = Interaction { metric, kind, knobs, ratio, low, high, expected, ..Interaction::default() };
        (interaction, *of, self.floor())
    }

    fn floor(&self) -> Option<Floor> {
        self.ratio(&[(1.0, &self.arms[BASELINE_AGAIN]), (-1.0, &self.arms[BASELINE])]).map(|same| Floor::of(&same))
    }

    fn knobs(&self) -> Vec<String> {
        self.measured.options.experiment.knobs.iter().map(|knob| knob.name.clone()).collect()
    }

    fn all_against_alone(&self) -> Option<Found> {
        let knobs = self.knobs();
        let all = self.arm(Role::All)?;
        let alone: Vec<&Observations> =
            (0..knobs.len()).map(|knob| self.arm(Role::Alone(knob))).collect::<Option<_>>()?;
        let together = self.ratio(&[(1.0, all), (-1.0, self.baseline)])?;
        let mut product: Vec<(f64, &Observations)> = alone.iter().map(|arm| (1.0, *arm)).collect();
        product.push((-(alone.len() as f64), self.baseline));
        let product = self.ratio(&product)?;
        let beyond = self.ratio(&interaction(all, &alone, self.baseline))?;
        let expected = Span { value: product.value, low: product.low, high: product.high };
        let (found, _, floor) = self.found(Interaction::ALL_AGAINST_ALONE, knobs, &together, Some(expected));
        Some((found, beyond, floor))
    }

    fn factorial(&self) -> Vec<Found> {
        let knobs = self.knobs();
        let combinations: Vec<(u32, &Observations)> = (0..1_u32 << knobs.len())
            .filter_map(|bits| Some((bits, if bits == 0 { self.baseline } else { self.arm(Role::Combination(bits))? })))
            .collect();
        let mut found = Vec::new();
        for (knob, name) in knobs.iter().enumerate() {
            let of = |on: bool| -> Vec<&Observations> {
                combinations.iter().filter(|(bits, _)| (bits >> knob & 1 == 1) == on).map(|(_, arm)| *arm).collect()
            };
            if let Some(effect) = self.ratio(&main_effect(&of(true), &of(false))) {
                found.push(self.found(Interaction::MAIN_EFFECT, vec![name.clone()], &effect, None));
            }
        }
        for first in 0..knobs.len() {
            for second in first + 1..knobs.len() {
                // The second's effect with the first on, against that with the first off: averaged over all others.
                let weight = 2.0 / combinations.len() as f64 * 2.0;
                let terms: Vec<(f64, &Observations)> = combinations
                    .iter()
                    .map(|(bits, arm)| {
                        let is_even = (bits >> first & 1) == (bits >> second & 1);
                        (if is_even { weight } else { -weight }, *arm)
                    })
                    .collect();
                if let Some(effect) = self.ratio(&terms) {
                    let pair = vec![knobs[first].clone(), knobs[second].clone()];
                    found.push(self.found(Interaction::PAIR, pair, &effect, None));
                }
            }
        }
        found
    }
}
