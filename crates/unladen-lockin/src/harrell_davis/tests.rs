use super::*;

#[test]
fn the_table_is_the_incomplete_beta() {
    for (n, q) in [(40, 0.5), (368, 0.99), (1_000, 0.95), (1_000, 0.05), (100_000, 0.5), (10_000_000, 0.999)] {
        let kernel = Kernel::new(n, q);
        let (a, b) = ((n as f64 + 1.0) * q, (n as f64 + 1.0) * (1.0 - q));
        let sd = (q * (1.0 - q) / n as f64).sqrt();
        for step in -60..=60 {
            let share = q + sd * f64::from(step) / 10.0;
            let expected = incomplete_beta(a, b, share);
            assert!((kernel.cumulative(share) - expected).abs() < 5e-5, "{n} {q} {share}");
        }
        let (from, to) = kernel.support();
        assert!(incomplete_beta(a, b, from) < 1e-8 && incomplete_beta(a, b, to) > 1.0 - 1e-8, "{n} {q}");
    }
}

#[test]
fn few_latencies_are_evaluated_directly() {
    let kernel = Kernel::new(10, 0.99);
    assert!(kernel.table.is_empty());
    assert!((kernel.cumulative(0.7) - incomplete_beta(10.89, 0.11, 0.7)).abs() < 1e-12);
}

#[test]
fn spacings_are_those_of_the_weights() {
    let (n, q) = (2_000_u64, 0.9);
    let kernel = Kernel::new(n, q);
    let weights =
        (1..=n).map(|i| kernel.cumulative(i as f64 / n as f64) - kernel.cumulative((i - 1) as f64 / n as f64));
    let spacings = 1.0 / weights.map(|weight| weight * weight).sum::<f64>();
    assert!((kernel.spacings() / spacings - 1.0).abs() < 0.02, "{} {spacings}", kernel.spacings());
}
