use super::*;
use crate::exposition::Format;

fn advance(growth: &mut Growth, text: &str, format: Format) -> Vec<(String, f64)> {
    advance_at(growth, text, format, None)
}

fn advance_at(growth: &mut Growth, text: &str, format: Format, at: Option<f64>) -> Vec<(String, f64)> {
    let grown = growth.advance_at(&Exposition::parse(text.as_bytes(), format).unwrap(), at);
    grown.into_iter().map(|(index, by)| (growth.series()[index].name.clone(), by)).collect()
}

#[test]
fn counters_counts_sums_and_buckets_grow_and_gauges_and_quantiles_do_not() {
    let text = |n: u32| {
        format!(
            "# TYPE c counter\nc {n}\n# TYPE g gauge\ng {n}\n# TYPE h histogram\nh_bucket{{le=\"+Inf\"}} {n}\nh_sum {n}.5\nh_count {n}\n\
             # TYPE s summary\ns{{quantile=\"0.5\"}} {n}\ns_sum {n}\ns_count {n}\nu {n}\n"
        )
    };
    let mut growth = Growth::default();
    assert_eq!(advance(&mut growth, &text(1), Format::Text), []);
    let grown = advance(&mut growth, &text(4), Format::Text);
    let names: Vec<&str> = grown.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["c", "h_bucket{le=\"+Inf\"}", "h_sum", "h_count", "s_sum", "s_count", "u"]);
    assert!(grown.iter().all(|(_, by)| *by == 3.0));
    assert!(growth.series()[6].is_presumed && !growth.series()[0].is_presumed);
}

#[test]
fn a_counter_that_begins_again_has_grown_by_its_value() {
    let mut growth = Growth::default();
    let text = |n: u32| format!("# TYPE c counter\nc {n}\n");
    advance(&mut growth, &text(100), Format::Text);
    assert_eq!(advance(&mut growth, &text(3), Format::Text), [("c".to_owned(), 3.0)]);
    assert_eq!(advance(&mut growth, &text(5), Format::Text), [("c".to_owned(), 2.0)]);
    assert_eq!(growth.resets(), 1);
}

/// Squares of what it told were infinite, and the interval of whoever was summed with it was none.
#[test]
fn a_counter_that_grows_by_more_than_anything_can_is_none() {
    let mut growth = Growth::default();
    let text = |value: &str| format!("# TYPE c counter\nc {value}\nu {value}\n# TYPE d counter\nd 1\n");
    advance(&mut growth, &text("1"), Format::Text);
    assert_eq!(advance(&mut growth, &text("1e300"), Format::Text), []);
    assert_eq!(growth.series().iter().map(|series| series.is_refuted).collect::<Vec<_>>(), [true, true, false]);
    assert_eq!(advance(&mut growth, &text("2e300"), Format::Text), []);
}

/// A restart between two answers, after which more was counted than before, was taken for growth of the difference.
#[test]
fn another_date_of_creation_is_another_beginning() {
    let text = |n: u32, at: u32| format!("# TYPE c counter\nc_total {n}\nc_created {at}\n# EOF\n");
    let mut growth = Growth::default();
    advance_at(&mut growth, &text(10, 100), Format::OpenMetrics, Some(150.0));
    let grown = advance_at(&mut growth, &text(12, 200), Format::OpenMetrics, Some(210.0));
    assert_eq!(grown, [("c_total".to_owned(), 12.0)]);
    assert_eq!(growth.resets(), 1);
}

/// A date that is worked out anew for each answer, from how long the exporter has run, made the whole count growth.
#[test]
fn a_date_of_creation_that_wavers_is_no_beginning() {
    let text = |n: u32, at: f64| format!("# TYPE c counter\nc_total {n}\nc_created {at}\n# EOF\n");
    let mut growth = Growth::default();
    for (n, created, at) in [(1000, 100.0, 150.0), (1001, 100.2, 151.0), (1002, 99.9, 152.0)] {
        let grown = advance_at(&mut growth, &text(n, created), Format::OpenMetrics, Some(at));
        assert!(grown.iter().all(|(_, by)| *by == 1.0), "{grown:?}");
    }
    assert_eq!(growth.resets(), 0);
}

/// Labels may be long: a hundred thousand series would have been gigabytes of names.
#[test]
fn series_with_long_labels_are_kept_only_up_to_so_many_bytes() {
    let mut growth = Growth::default();
    let long = "y".repeat(60 << 10);
    let mut answers = 0;
    while !growth.is_full() {
        let text: String = (0..100).map(|index| format!("c{{a=\"{answers}-{index}{long}\"}} 1\n")).collect();
        advance(&mut growth, &text, Format::Text);
        answers += 1;
        assert!(answers < 20);
    }
    assert!(growth.key_bytes <= limits::KEPT_BYTES && growth.key_bytes > limits::KEPT_BYTES / 2);
    assert!(growth.series().len() < answers * 100);
}

#[test]
fn a_series_that_comes_later_grows_from_where_it_is_found() {
    let mut growth = Growth::default();
    advance(&mut growth, "# TYPE c counter\nc{a=\"1\"} 5\n", Format::Text);
    assert_eq!(advance(&mut growth, "# TYPE c counter\nc{a=\"1\"} 5\nc{a=\"2\"} 900\n", Format::Text), []);
    let after = advance(&mut growth, "# TYPE c counter\nc{a=\"2\"} 901\n", Format::Text);
    assert_eq!(after, [("c{a=\"2\"}".to_owned(), 1.0)]);
    // One that was away grows from where it was.
    let back = advance(&mut growth, "# TYPE c counter\nc{a=\"1\"} 8\n", Format::Text);
    assert_eq!(back, [("c{a=\"1\"}".to_owned(), 3.0)]);
}

#[test]
fn a_series_that_tells_that_it_is_new_grows_from_nothing() {
    let one = "c_total{a=\"1\"} 5\nc_created{a=\"1\"} 100\n";
    let text = |more: &str| format!("# TYPE c counter\n{one}{more}# EOF\n");
    let mut growth = Growth::default();
    advance(&mut growth, &text(""), Format::OpenMetrics);
    let grown = advance(&mut growth, &text("c_total{a=\"2\"} 2\nc_created{a=\"2\"} 160\n"), Format::OpenMetrics);
    assert_eq!(grown, [("c_total{a=\"2\"}".to_owned(), 2.0)]);
}

/// A gauge that nobody calls one, such as the threads that run.
#[test]
fn what_is_only_presumed_to_grow_counts_no_more_once_it_falls() {
    let mut growth = Growth::default();
    advance(&mut growth, "threads 5\n", Format::Text);
    assert_eq!(advance(&mut growth, "threads 4\n", Format::Text), []);
    assert_eq!(advance(&mut growth, "threads 9\n", Format::Text), []);
    assert!(growth.series()[0].is_refuted);
    assert_eq!(growth.resets(), 0);
}

#[test]
fn names_that_are_shown_are_short_and_inert() {
    let mut growth = Growth::default();
    advance(&mut growth, &format!("c{{b=\"\u{1b}[2J{}\",a=\"x\"}} 1\n", "y".repeat(300)), Format::Text);
    let name = &growth.series()[0].name;
    assert!(name.starts_with("c{a=\"x\",b=\"\\u{1b}[2J") && name.ends_with('…'), "{name}");
    assert_eq!(name.chars().count(), limits::SHOWN + 1);
}
