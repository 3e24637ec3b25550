use super::*;
use crate::families::Point;

fn family(shape: Shape, unit: Unit, points: Vec<Point>) -> Family {
    Family { name: "http.server.request.duration", unit, shape, help: "Two\nlines, a \\ and \"quotes\".", points }
}

#[test]
fn a_counter_in_both_formats() {
    let upstream = ("upstream.name", "a\"b\\c\nd".into());
    let points = vec![Point::whole(vec![upstream], 7)];
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
    let points = vec![Point::histogram(vec![], totals)];
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

fn exemplar(n: u8, ns: u64) -> Exemplar {
    Exemplar { trace_id: [n; 16], span_id: [n; 8], ns, at: std::time::Instant::now() }
}

fn of_a_counter(n: u8) -> Family {
    let point = Point::whole(vec![], 3).like(Some(Examples::Last(exemplar(n, 7_000))));
    Family {
        name: "unladen.requests",
        unit: Unit::Of("{request}"),
        shape: Shape::Counter,
        help: "",
        points: vec![point],
    }
}

fn of_a_histogram(totals: HistogramTotals, examples: [Option<Exemplar>; BOUNDS.len() + 1]) -> Family {
    let point = Point::histogram(vec![], totals).like(Some(Examples::Buckets(Box::new(examples))));
    family(Shape::Histogram, Unit::Seconds, vec![point])
}

#[test]
fn exemplars_stand_in_open_metrics_alone() {
    let mut totals = HistogramTotals::default();
    let mut examples = [None; BOUNDS.len() + 1];
    for (bucket, ns) in [(3, 777_000), (BOUNDS.len(), 12_500_000_000)] {
        totals.record(std::time::Duration::from_nanos(ns));
        examples[bucket] = Some(exemplar(0xab, ns));
    }
    let families = [of_a_counter(0xcd), of_a_histogram(totals, examples)];
    let text = write(&families, Format::OpenMetrics);
    let with: Vec<&str> = text.lines().filter(|line| line.contains(" # {")).collect();
    let [counter, bucket, last] = &with[..] else { panic!("{text}") };
    let ids = |n: &str| format!(r##"# {{trace_id="{}",span_id="{}"}}"##, n.repeat(16), n.repeat(8));
    assert!(counter.starts_with(&format!("unladen_requests_total 3 {} 1 ", ids("cd"))), "{counter}");
    let name = "http_server_request_duration_seconds_bucket";
    assert!(bucket.starts_with(&format!(r#"{name}{{le="0.001"}} 1 {} 0.000777 "#, ids("ab"))), "{bucket}");
    assert!(last.starts_with(&format!(r#"{name}{{le="+Inf"}} 2 {} 12.5 "#, ids("ab"))), "{last}");
    assert!(!write(&families, Format::Text).contains(" # "));
}

mod read_back {
    use proptest::prelude::*;
    use unladen_exporter::{Exposition, Kind};

    use super::*;

    /// A label, a count, and durations in ns with whether each was sampled.
    type Drawn = (String, u32, Vec<(u64, bool)>);

    fn points(shape: Shape) -> impl Strategy<Value = Vec<Point>> {
        // Each of another label, as families have them.
        let one = (".{0,12}", any::<u32>(), prop::collection::vec((0..20_000_000_000_u64, any::<bool>()), 0..6));
        prop::collection::vec(one, 0..4).prop_map(move |all| {
            let point = |(index, (text, n, durations)): (usize, Drawn)| {
                let attributes = vec![("upstream.name", text.into()), ("n", index.to_string().into())];
                if shape != Shape::Histogram {
                    let last = durations.iter().find(|(_, is_sampled)| *is_sampled);
                    let last = last.map(|(ns, _)| Examples::Last(exemplar(9, *ns)));
                    return Point::whole(attributes, n.into()).like(last);
                }
                let mut totals = HistogramTotals::default();
                let mut examples = [None; BOUNDS.len() + 1];
                for (ns, is_sampled) in durations {
                    let duration = std::time::Duration::from_nanos(ns);
                    totals.record(duration);
                    if is_sampled {
                        examples[crate::histogram::bucket_of(duration).0] = Some(exemplar(9, ns));
                    }
                }
                Point::histogram(attributes, totals).like(Some(Examples::Buckets(Box::new(examples))))
            };
            all.into_iter().enumerate().map(point).collect()
        })
    }

    fn any_family(name: &'static str) -> impl Strategy<Value = Family> {
        let shape = prop::sample::select(vec![Shape::Counter, Shape::UpDown, Shape::Gauge, Shape::Histogram]);
        let unit = prop::sample::select(vec![Unit::Seconds, Unit::Bytes, Unit::Of("{request}")]);
        (shape, unit).prop_flat_map(move |(shape, unit)| {
            points(shape).prop_map(move |points| Family {
                name,
                unit,
                shape,
                help: "A \"help\" \\ of\ntwo lines.",
                points,
            })
        })
    }

    proptest! {
        /// Both formats say the same, whatever stands in labels; exemplars fit their buckets.
        #[test]
        fn both_formats_are_read_by_a_strict_reader(
            one in any_family("unladen.one"), other in any_family("http.other.duration")
        ) {
            let families = [one, other];
            let texts = [Format::Text, Format::OpenMetrics].map(|format| write(&families, format));
            let [text, open] = [(0, "text/plain; version=0.0.4"), (1, "application/openmetrics-text; version=1.0.0")]
                .map(|(index, kind)| Exposition::parse(texts[index].as_bytes(), unladen_exporter::Format::of(Some(kind))));
            let (text, open) = (text.unwrap(), open.unwrap());
            prop_assert_eq!(text.samples.len(), open.samples.len());
            for (a, b) in text.samples.iter().zip(&open.samples) {
                prop_assert_eq!((a.name, &a.labels, a.value), (b.name, &b.labels, b.value));
                prop_assert!(a.exemplar.is_none() && a.timestamp_ms.is_none());
                let family = &open.families[b.family];
                if let Some(exemplar) = &b.exemplar {
                    prop_assert!(exemplar.timestamp_ms.is_some());
                    prop_assert!(exemplar.labels.iter().map(|(k, v)| k.len() + v.len()).sum::<usize>() <= 128);
                    let le = b.labels.iter().find(|(key, _)| *key == "le").map(|(_, le)| le.parse::<f64>().unwrap());
                    let fits = match family.kind {
                        Kind::Histogram => le.is_some_and(|le| exemplar.value <= le),
                        _ => family.kind == Kind::Counter && b.name.ends_with("_total"),
                    };
                    prop_assert!(fits);
                }
            }
            prop_assert_eq!(text.samples.iter().filter(|sample| sample.name.ends_with("_bucket")).count() % 16, 0);
        }
    }
}
