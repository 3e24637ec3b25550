use super::*;
use crate::families::Point;

fn family(shape: Shape, unit: Unit, points: Vec<Point>) -> Family {
    Family { name: "http.server.request.duration", unit, shape, help: "Two\nlines, a \\ and \"quotes\".", points }
}

#[test]
fn a_counter_in_both_formats() {
    let upstream = ("upstream.name", "a\"b\\c\nd".into());
    let points = vec![Point { attributes: vec![upstream], value: Amount::Whole(7) }];
    let families = [family(Shape::Counter, Unit::Bytes, points)];
    assert_eq!(
        write(&families, Format::Text),
        r#"# TYPE http_server_request_duration_bytes_total counter
# HELP http_server_request_duration_bytes_total Two\nlines, a \\ and "quotes".
http_server_request_duration_bytes_total{upstream_name="a\"b\\c\nd"} 7
"#
    );
    assert_eq!(
        write(&families, Format::OpenMetrics),
        r#"# TYPE http_server_request_duration_bytes counter
# UNIT http_server_request_duration_bytes bytes
# HELP http_server_request_duration_bytes Two\nlines, a \\ and \"quotes\".
http_server_request_duration_bytes_total{upstream_name="a\"b\\c\nd"} 7
# EOF
"#
    );
}

#[test]
fn a_histogram_is_cumulative() {
    let mut totals = HistogramTotals { sum_ns: 1_500_000_000, ..Default::default() };
    totals.buckets[0] = 1;
    totals.buckets[3] = 2;
    totals.buckets[BOUNDS.len()] = 4;
    let points = vec![Point { attributes: vec![], value: Amount::Histogram(totals) }];
    let text = write(&[family(Shape::Histogram, Unit::Seconds, points)], Format::Text);
    let samples: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let name = "http_server_request_duration_seconds";
    assert_eq!(samples.len(), BOUNDS.len() + 3);
    assert_eq!(samples[0], format!("{name}_bucket{{le=\"0.0001\"}} 1"));
    assert_eq!(samples[2], format!("{name}_bucket{{le=\"0.0005\"}} 1"));
    assert_eq!(samples[3], format!("{name}_bucket{{le=\"0.001\"}} 3"));
    assert_eq!(samples[11], format!("{name}_bucket{{le=\"1.0\"}} 3"));
    assert_eq!(samples[14], format!("{name}_bucket{{le=\"10.0\"}} 3"));
    assert_eq!(samples[15], format!("{name}_bucket{{le=\"+Inf\"}} 7"));
    assert_eq!(samples[16..], [format!("{name}_sum 1.5"), format!("{name}_count 7")]);
}

#[test]
fn what_a_reader_accepts() {
    for (accept, format) in [
        ("", Format::Text),
        ("*/*", Format::Text),
        ("text/plain", Format::Text),
        ("application/openmetrics-text", Format::OpenMetrics),
        ("application/openmetrics-text;q=0, text/plain", Format::Text),
        ("application/openmetrics-text;version=1.0.0;q=0.3,text/plain;version=0.0.4;q=0.5", Format::Text),
        // What Prometheus 2 and 3 send.
        (
            "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
            Format::OpenMetrics,
        ),
        (
            "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
            Format::OpenMetrics,
        ),
    ] {
        assert_eq!(Format::of(accept), format, "{accept}");
    }
}
