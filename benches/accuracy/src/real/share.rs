//! Shares of few experiments, exactly: [`interval`] and [`chance_of_as_many`].

/// The 95 % interval of a share (Clopper & Pearson 1934, *Biometrika* 26:404): it holds the true one at least as often,
/// for few experiments too.
pub fn interval(hits: u64, of: u64) -> (f64, f64) {
    const TAIL: f64 = 0.025;
    // Each bound is the share at which as many, or as few, would come in a fortieth of all series.
    let low = if hits == 0 { 0.0 } else { at(|share| chance_of_as_many(hits, of, share) < TAIL) };
    let high = if hits == of { 1.0 } else { at(|share| 1.0 - chance_of_as_many(hits + 1, of, share) > TAIL) };
    (low, high)
}

/// The chance of so many hits or more, where each has this chance.
pub fn chance_of_as_many(hits: u64, of: u64, share: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return f64::from(u8::from(hits == 0 || share >= 1.0));
    }
    let mut fewer = 0.0;
    let mut log_chance = of as f64 * (1.0 - share).ln();
    for k in 0..hits {
        fewer += log_chance.exp();
        log_chance += ((of - k) as f64 / (k + 1) as f64 * share / (1.0 - share)).ln();
    }
    (1.0 - fewer).clamp(0.0, 1.0)
}

/// The greatest share for which it is so, by halving: it is so for all below.
fn at(is_below: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_has_the_interval_of_the_tables() {
        // Binomial tables: 1 of 20 is 0.13 to 24.87 %, 0 of 10 is up to 30.85 %.
        let (low, high) = interval(1, 20);
        assert!((low - 0.0013).abs() < 1e-4 && (high - 0.2487).abs() < 1e-4, "{low} {high}");
        let (low, high) = interval(0, 10);
        assert!(low == 0.0 && (high - 0.3085).abs() < 1e-4, "{low} {high}");
        assert_eq!(interval(5, 5).1, 1.0);
    }

    #[test]
    fn as_many_is_a_tail() {
        assert!((chance_of_as_many(0, 7, 0.05) - 1.0).abs() < 1e-12);
        assert!((chance_of_as_many(1, 2, 0.5) - 0.75).abs() < 1e-12);
        // 200 experiments at 5 %: 10 on average; 17 and more are rare.
        assert!(chance_of_as_many(17, 200, 0.05) < 0.03 && chance_of_as_many(10, 200, 0.05) > 0.4);
    }
}
