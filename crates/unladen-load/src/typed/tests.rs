use super::*;

#[test]
fn times_are_read() {
    let millis = |text: &str| time_of(text).unwrap().as_millis();
    assert_eq!(
        ["30", "30s", "1.5s", "0.5", "2min", "1.5min", "500ms", "1h", "1m30s", "2 min"].map(millis),
        [30_000, 30_000, 1_500, 500, 120_000, 90_000, 500, 3_600_000, 90_000, 120_000]
    );
    for wrong in ["", "soon", "-5", "-5s", "1e9999", "5 parsecs", ".", "1.2.3s", "s"] {
        assert_eq!(time_of(wrong), Err(TIME.to_owned()), "{wrong}");
    }
}

#[test]
fn counts_are_read() {
    assert_eq!(
        ["500", "1k", "1.5K", "2M", "1,000", "10_000"].map(|text| count_of(text).unwrap()),
        [500, 1_000, 1_500, 2_000_000, 1_000, 10_000]
    );
    for wrong in ["", "x", "-5", "1.5", "1.0001k", "1e999k", "10%", "1g", "NaN", "infM"] {
        assert_eq!(count_of(wrong), Err(COUNT.to_owned()), "{wrong}");
    }
}

#[test]
fn rates_are_read() {
    assert_eq!(
        ["10", "10/s", "600/min", "1k", "1k/s", "0.5", "3600/h"].map(|text| rate_of(text).unwrap()),
        [10.0, 10.0, 10.0, 1_000.0, 1_000.0, 0.5, 1.0]
    );
    for wrong in ["", "x", "0", "-1", "nan", "inf", "10/fortnight", "10/", "1e8"] {
        assert_eq!(rate_of(wrong), Err(RATE.to_owned()), "{wrong}");
    }
}

#[test]
fn a_url_without_a_scheme_is_of_http() {
    let url = |text: &str| with_scheme(text).unwrap().to_string();
    assert_eq!(url("localhost/x"), "http://localhost/x");
    assert_eq!(url("localhost:8080/x?a=b:c"), "http://localhost:8080/x?a=b:c");
    assert_eq!(url("127.0.0.1:8080"), "http://127.0.0.1:8080/");
    assert_eq!(url("[::1]:8080/x"), "http://[::1]:8080/x");
    assert_eq!(url("[::1]/x"), "http://[::1]/x");
    assert_eq!(url("https://example.org/x"), "https://example.org/x");
    assert_eq!(url("mailto:me"), "mailto:me");
    assert!(with_scheme("/page").is_err() && with_scheme("").is_err());
}
