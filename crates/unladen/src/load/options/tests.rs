use super::*;

#[test]
fn limits_are_read() {
    let limit: Limit = "p95<100ms".parse().unwrap();
    assert_eq!((limit.quantile, limit.latency), (0.95, Duration::from_millis(100)));
    let limit: Limit = "p99.9 <= 1s".parse().unwrap();
    assert_eq!(limit.latency, Duration::from_secs(1));
    assert!((limit.quantile - 0.999).abs() < 1e-9);
    for wrong in ["", "p95", "95<1s", "p95<1", "p0<1s", "p100<1s", "p95<0s", "px<1s", "p95>1s", "pNaN<1s"] {
        assert!(wrong.parse::<Limit>().is_err(), "{wrong}");
    }
}
