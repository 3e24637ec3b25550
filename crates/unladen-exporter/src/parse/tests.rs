use proptest::prelude::*;

use super::*;

fn text(text: &str) -> Result<Exposition<'_>, ParseError> {
    Exposition::parse(text.as_bytes(), Format::Text)
}

fn open(text: &str) -> Result<Exposition<'_>, ParseError> {
    Exposition::parse(text.as_bytes(), Format::OpenMetrics)
}

fn refused(result: Result<Exposition<'_>, ParseError>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn the_text_format_is_read_with_its_escapes_blanks_and_timestamps() {
    let got = text(concat!(
        "# HELP http_requests_total The \\\\ total\\nnumber.\n",
        "# TYPE http_requests_total counter\n",
        "http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n",
        "http_requests_total{method=\"a\\\\b\\\"c\\nd\",} 3\n",
        "\n",
        "# a comment\n",
        "  bare \t 12.47e3  \n",
        "nan{ a = \"1\" , b = \"2\" } NaN\n",
    ))
    .unwrap();
    assert_eq!(got.families[0].kind, Kind::Counter);
    assert_eq!(got.families[0].help.as_deref(), Some("The \\ total\nnumber."));
    assert_eq!(got.samples[0].timestamp_ms, Some(1_395_066_363_000));
    assert_eq!(got.samples[1].labels, [("method", "a\\b\"c\nd".into())]);
    assert_eq!(got.samples[2].value, 12_470.0);
    assert!(got.samples[3].value.is_nan());
    assert_eq!(got.families[1].kind, Kind::Unknown);
}

#[test]
fn openmetrics_is_read_with_exemplars_dates_and_its_end() {
    let got = open(concat!(
        "# TYPE foo_seconds histogram\n",
        "# UNIT foo_seconds seconds\n",
        "# HELP foo_seconds Says \\\"foo\\\".\n",
        "foo_seconds_bucket{le=\"0.1\"} 8 # {trace_id=\"x\"} 0.054 1.5\n",
        "foo_seconds_bucket{le=\"+Inf\"} 17 # {} 9.8\n",
        "foo_seconds_count 17\n",
        "foo_seconds_sum 324789.3\n",
        "foo_seconds_created 1520430000.123\n",
        "# TYPE acme counter\n",
        "acme_total{a=\"b\"} 1 1520879607.789\n",
        "# EOF",
    ))
    .unwrap();
    assert_eq!((got.families.len(), got.samples.len()), (2, 6));
    assert_eq!(got.families[0].unit, Some("seconds"));
    let exemplar = got.samples[0].exemplar.as_ref().unwrap();
    assert_eq!((exemplar.value, exemplar.timestamp_ms), (0.054, Some(1_500)));
    assert_eq!(got.samples[5].timestamp_ms, Some(1_520_879_607_789));
}

/// PHP-FPM tells of counters without `_total`.
#[test]
fn the_openmetrics_of_php_fpm_is_read() {
    let got = open(
        "# HELP phpfpm_accepted_connections n\n# TYPE phpfpm_accepted_connections counter\nphpfpm_accepted_connections 6\n# EOF\n",
    );
    assert_eq!(got.unwrap().samples[0].value, 6.0);
}

#[test]
fn what_is_cut_off_is_refused() {
    assert!(refused(text("a 1\nb 2")).contains("cut off"));
    assert!(refused(open("# TYPE a counter\na_total 1\n")).contains("`# EOF` is missing"));
    assert!(refused(open("# EOF\na 1\n")).contains("follows"));
}

#[test]
fn what_is_no_metric_is_refused_with_its_line() {
    assert_eq!(
        refused(text("<html>\n")),
        "line 1: expected the name of a metric, found `<html>`; is this the exporter's /metrics?"
    );
    for (line, what) in [
        ("a{b=\"1\"} x\n", "a value"),
        ("a{b=1} 1\n", "in quotes"),
        ("a{b=\"1} 1\n", "the end of a label's value"),
        ("a{b=\"\\t\"} 1\n", "one of the escapes"),
        ("a{b=\"1\",b=\"2\"} 1\n", "is not there already"),
        ("a 1 2 3\n", "the end of the line"),
        ("a 1 1.5\n", "milliseconds"),
        ("# TYPE a magic\n", "is not a metric type"),
    ] {
        assert!(refused(text(line)).contains(what), "{line}: {}", refused(text(line)));
    }
    assert!(refused(text("<!DOCTYPE html>")).contains("the name of a metric"), "before its missing end");
    assert!(refused(open("a  1\n# EOF\n")).contains("a value"), "one space");
    assert_eq!(Exposition::parse(b"a 1\n\xff 1\n\xfe 1\n", Format::Text).unwrap_err().line, 2);
}

/// A text of thousands of lines was refused for one.
#[test]
fn one_bad_line_is_counted_and_refuses_nothing() {
    for (format, lines, what) in [
        (Format::Text, &b"a 1\nb{c=1} 1\nd 1\n"[..], "line 2: expected a label's value in quotes"),
        (Format::Text, b"a 1\nd 1\n# TYPE a counter\n", "line 3: the type of `a` is given twice, or after"),
        (Format::Text, b"a 1\nb \xff\nd 1\n", "line 2: bytes that are not UTF-8"),
        (
            Format::Text,
            b"a{b=\"1\",c=\"2\"} 1\na{c=\"2\",b=\"1\"} 2\nd 1\n",
            "line 2: `a{b=\"1\",c=\"2\"}` is there twice",
        ),
        (Format::OpenMetrics, b"a 1\nd 1\na{x=\"1\"} 1\n# EOF\n", "line 3: the samples of `a` are not together"),
    ] {
        let got = Exposition::parse(lines, format).unwrap();
        assert_eq!(
            got.samples.iter().map(|sample| (sample.name, sample.value)).collect::<Vec<_>>(),
            [("a", 1.0), ("d", 1.0)]
        );
        let left_out = got.left_out.unwrap();
        assert!(left_out.lines == 1 && left_out.first.to_string().starts_with(what), "{}", left_out.first);
    }
    let long = format!("a 1\nb{{c=\"{}\"}} 1\nd 1\n", "x".repeat(limits::LINE));
    assert_eq!(text(&long).unwrap().left_out.unwrap().first.fault, Fault::LineTooLong);
}

#[test]
fn all_is_bounded() {
    let many: String = (0..=limits::SERIES).map(|index| format!("a{{n=\"{index}\"}} 1\n")).collect();
    assert!(refused(text(&many)).contains("more than 50000 samples"));
    assert!(refused(text(&format!("a{{b=\"{}\"}} 1\n", "x".repeat(limits::LINE)))).contains("64 KiB"));
    let labels: String = (0..=limits::LABELS).map(|index| format!("l{index}=\"\",")).collect();
    assert!(refused(text(&format!("a{{{labels}}} 1\n"))).contains("labels"));
    assert!(refused(text(&format!("{} 1\n", "n".repeat(limits::NAME + 1)))).contains("bytes of a name"));
    assert_eq!(Exposition::parse(&vec![b'\n'; limits::BODY + 1], Format::Text).unwrap_err().fault, Fault::BodyTooLong);
}

/// What terminals take for commands does not come through.
#[test]
fn what_an_error_shows_is_inert() {
    assert!(!refused(text("\u{1b}[2Jx 1\n")).contains('\u{1b}'));
    let twice = "a{b=\"\u{1b}[2J\"} 1\n".repeat(3);
    assert!(!refused(text(&twice)).contains('\u{1b}'));
}

proptest! {
    /// Lines are the samples and what is left out.
    #[test]
    fn lines_add_up(lines in prop::collection::vec(prop_oneof!["[a-c]\\{x=\"[0-9]\"\\} 1", "[a-c] [a-z]", "\\{"], 0..30)) {
        let all = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        match text(&all) {
            Ok(got) => {
                let left_out = got.left_out.map_or(0, |left_out| left_out.lines);
                prop_assert_eq!(got.samples.len() + left_out, lines.len());
            }
            Err(error) => prop_assert!(error.line >= 1 && error.line <= lines.len()),
        }
    }

    #[test]
    fn any_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), lines in "([#a-z_{}=\",\\\\ 0-9\n]|EOF|TYPE|counter){0,80}") {
        for format in [Format::Text, Format::OpenMetrics] {
            let _ = Exposition::parse(&bytes, format);
            let _ = Exposition::parse(lines.as_bytes(), format);
        }
    }
}

/// No cAdvisor runs on the machines of these tests: the text is made as its documents list its metrics, with the times
/// that it gives each of a container's values.
#[test]
fn what_cadvisor_tells_is_read_with_its_times() {
    use crate::growth::Growth;
    use crate::series::Unit;

    let before = include_str!("cadvisor.txt");
    // One look of its housekeeping later.
    let after = before.replace("4021.6 1763900003871", "4022.85 1763900015902");
    let mut growth = Growth::default();
    growth.advance(&text(before).unwrap());
    let grown = growth.advance(&text(&after).unwrap());
    let units: Vec<Unit> = growth.series().iter().map(|series| series.unit).collect();
    assert_eq!(units, [Unit::Seconds, Unit::Seconds, Unit::Bytes, Unit::Bytes], "gauges are not read");
    let [(index, by)] = grown[..] else { panic!("{grown:?}") };
    assert!((by - 1.25).abs() < 1e-9, "{by}");
    assert_eq!(growth.timestamp_ms(index), Some(1_763_900_015_902));
    let name = &growth.series()[index].name;
    assert!(name.starts_with("container_cpu_usage_seconds_total{cpu=\"total\""), "{name}");
    assert!(name.contains("kubepods-burstable-pod1f2e.slice"), "{name}");
}
