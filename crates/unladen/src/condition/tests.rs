use super::*;

fn read(text: &str) -> Condition {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn conditions_are_read() {
    for (text, metric) in [
        ("mean > +1%", "latency.mean"),
        ("p99.9 > +5%", "latency.p99.9"),
        ("latency.p95 < -5%", "latency.p95"),
        ("cold.latency.p50 > 2s", "cold.latency.p50"),
        ("within.50ms < -1%", "within.50ms"),
        ("within.1000ms < 99%", "within.1s"),
        ("weight.cpu www-data php-fpm8.2 > +10%", "weight.cpu www-data php-fpm8.2"),
        ("errors > 0", "errors"),
        ("throughput < 100/s", "throughput"),
        ("bytes.body > +5%", "bytes.body"),
        ("statuses.5xx > 1%", "statuses.5xx"),
        ("statuses.304 < -1%", "statuses.304"),
    ] {
        assert_eq!(read(text).metric, metric);
        assert_eq!(read(text).to_string(), text);
    }
    assert_eq!(read("p99.9 > +5%").quantile(), Some("p99.9"));
}

#[test]
fn without_a_sign_a_bound_is_the_figure_itself() {
    let bound = |text: &str| {
        let Bound { is_change, value, unit } = read(text).bound;
        (is_change, value, unit)
    };
    assert_eq!(bound("p95 > 5ms"), (false, 5e6, BoundUnit::Time));
    assert_eq!(bound("p95 > +5ms"), (true, 5e6, BoundUnit::Time));
    assert_eq!(bound("p95 < -5%"), (true, -0.05, BoundUnit::Share));
    assert_eq!(bound("p95 < −5%"), (true, -0.05, BoundUnit::Share), "a minus as tables write it");
    assert_eq!(bound("within.50ms<95%"), (false, 0.95, BoundUnit::Share));
    assert_eq!(bound("errors > 1 %"), (false, 0.01, BoundUnit::Share));
    assert_eq!(bound("throughput < 12.5"), (false, 12.5, BoundUnit::Number));
    assert_eq!(bound("bytes.body > 20 kB"), (false, 20e3, BoundUnit::Number));
    assert_eq!(bound("bytes.body > +512B"), (true, 512.0, BoundUnit::Number));
    assert_eq!(bound("bytes.body > 512"), (false, 512.0, BoundUnit::Number));
    assert_eq!(bound("bytes.body < -5%"), (true, -0.05, BoundUnit::Share));
    assert_eq!(bound("statuses.2xx < 99%"), (false, 0.99, BoundUnit::Share));
    assert_eq!(bound("weight.read_calls www-data php-fpm8.2 > 3"), (false, 3.0, BoundUnit::Number));
    assert_eq!(bound("weight.cpu www-data php-fpm8.2 > 30ms"), (false, 30e6, BoundUnit::Time));
}

#[test]
fn what_is_no_condition_says_what_is_one() {
    let why = |text: &str| text.parse::<Condition>().map(drop).unwrap_err().to_string();
    assert!(why("p95 > 5%").contains("'+5%' or '-5%'"), "{}", why("p95 > 5%"));
    assert!(why("throughput < 5%").contains("'+5%'"));
    assert!(why("p95 > 5").contains("has no unit: expected a time such as 5ms"));
    assert!(why("within.50ms < 95").contains("such as 95%"));
    assert!(why("within.soon < 5%").contains("takes a time above 0"));
    assert!(why("errors > +1%").contains("leave out the sign"));
    assert!(why("bytes.body > 5%").contains("'+5%'"));
    assert!(why("statuses.2xx < 95").contains("such as 95%"));
    for wrong in [
        "",
        "p95",
        "p95 > ",
        "> 5%",
        "p0 > +5%",
        "cpu > +5%",
        "throughput > 5ms",
        "p95 > NaN%",
        "p95 > inf%",
        "p95 > ++5%",
        "p95 > +-5ms",
        "latency.max > 5ms",
        "latency.meen > 5ms",
        "cold.latency.meen > 5ms",
        "weight.cpuu www-data php-fpm8.2 > 5ms",
        "weight.cpu > 5ms",
        "weight. > 5",
        "within. < 5%",
        "p95 > 5parsecs",
        "p95 = 5ms",
        "p95 > -",
        "errors > 5ms",
        "bytes.body > 5ms",
        "bytes.body > 5KiB",
        "bytes.head > 5",
        "statuses.6xx > 1%",
        "statuses. > 1%",
    ] {
        assert!(why(wrong).contains("expected a metric, < or >, and a bound"), "{wrong}: {}", why(wrong));
    }
}

#[test]
fn statuses_and_classes() {
    for text in ["100", "304", "599", "2xx", "5xx"] {
        assert_eq!(StatusRange::read(text).map(|range| range.to_string()).as_deref(), Some(text));
    }
    for text in ["", "xx", "0xx", "6xx", "22xx", "099", "600", "+20", "2XX", "20x", "2000", "é00"] {
        assert_eq!(StatusRange::read(text), None, "{text}");
    }
    assert!(StatusRange::Class(3).holds(304) && !StatusRange::Class(3).holds(400));
    assert!(StatusRange::One(304).holds(304) && !StatusRange::One(304).holds(200));
    assert!(StatusRange::One(404).is_of_errors() && !StatusRange::Class(3).is_of_errors());
}
