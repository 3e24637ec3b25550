use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::*;
use crate::record::tests::any_record;
use crate::{
    Arrivals, BodyText, ConnectTo, DriverConfig, Expect, HttpVersion, LoadPlan, Mix, Request, Roots, Schedule, Share,
    Step, Stop, TlsOptions,
};

/// There and back again, as a text: the way of serde that keeps every number.
fn sent<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn config() -> DriverConfig {
    let page = Request::get("http://wiki.example:8080/index.php?a=b#c")
        .unwrap()
        .header("Accept-Language: cy".parse().unwrap())
        .header("X-Twice: 1".parse().unwrap())
        .header("X-Twice: 2".parse().unwrap())
        .header("Host: other.example".parse().unwrap())
        .cookie("a=1")
        .unwrap()
        .cookie("b=2")
        .unwrap()
        .named("main page");
    let post = Request::get("http://wiki.example/form").unwrap().method("POST").unwrap().body(&b"\0\xffx=1"[..]);
    DriverConfig {
        connect_to: Some(ConnectTo::Unix("/run/wiki.sock".into())),
        concurrency: 7,
        keep_alive: false,
        keep_cookies: false,
        http: HttpVersion::Http2,
        timeout: Duration::from_millis(1_234),
        tls: TlsOptions { insecure: true, resume: true, ..TlsOptions::default() },
        expect: Expect { statuses: "200,304".parse().unwrap(), body: Some(BodyText::new("</html>")), same: true },
        max_body: 12_345,
        ..DriverConfig::new(vec![page.build().unwrap(), post.build().unwrap()])
    }
}

#[test]
fn a_driver_elsewhere_is_told_what_one_here_is() {
    let config = config();
    let form = ConfigForm::of(&config).unwrap();
    assert_eq!(sent(&form), form);
    let there = form.clone().config().unwrap();
    for (here, there) in config.requests.iter().zip(&there.requests) {
        assert_eq!(format!("{here:?}"), format!("{there:?}"), "both shapes, with their headers in order");
    }
    // All but the certificates, of which neither has any.
    let told = |config: &DriverConfig| {
        let tls = TlsOptions { carried: None, ..config.tls.clone() };
        format!("{:?}", DriverConfig { tls, ..config.clone() })
    };
    assert_eq!(told(&config), told(&there));
    assert_eq!(ConfigForm::of(&there).unwrap(), form);
}

#[test]
fn files_of_certificates_are_read_before_they_leave() {
    let config = DriverConfig {
        tls: TlsOptions { roots: Roots::Only("/nonexistent/ca.pem".into()), ..TlsOptions::default() },
        ..DriverConfig::new(vec![Request::get("https://localhost/").unwrap().build().unwrap()])
    };
    let refused = ConfigForm::of(&config).unwrap_err();
    assert!(refused.to_string().contains("/nonexistent/ca.pem"), "{refused}");

    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{}{}", key.cert.pem(), key.signing_key.serialize_pem())).unwrap();
    let identity = crate::ClientIdentity { certificate: file.path().to_owned(), key: None };
    let tls = TlsOptions { roots: Roots::Only(file.path().to_owned()), identity: Some(identity), ..Default::default() };
    let form = sent(&TlsForm::of(&tls, true).unwrap());
    drop(file);
    let options = form.clone().options().unwrap();
    options.client_config(HttpVersion::Auto).unwrap();
    let carried = options.carried.unwrap();
    assert_eq!((carried.authorities.len(), carried.chain.len(), carried.key.is_some()), (1, 1, true));
    assert!(!format!("{form:?} {carried:?}").contains("key"), "keys are not shown");
}

#[test]
fn nobody_is_left_without_a_worker() {
    let plan = LoadPlan { concurrency: 2, ..LoadPlan::new(Mix::only(0)) };
    let form = |index| PlanForm::of(&plan, Duration::from_secs(1), Share::new(index, 3).unwrap());
    assert!(form(0).is_ok() && form(1).is_ok());
    assert!(form(2).unwrap_err().to_string().contains("at least one request under way for each host"));
}

#[test]
fn damaged_forms_are_refused() {
    let form = PlanForm::of(&LoadPlan::new(Mix::only(0)), Duration::from_secs(1), Share::WHOLE).unwrap();
    let text = serde_json::to_string(&form).unwrap();
    for (whole, damaged) in [
        (r#""mix":[[0,1.0]]"#, r#""mix":[]"#),
        (r#""mix":[[0,1.0]]"#, r#""mix":[[0,1.0],[1,0.5]]"#),
        (
            r#""schedule":null"#,
            r#""schedule":{"steps":[{"from":-1.0,"to":5.0,"time":{"secs":1,"nanos":0}}],"arrivals":"Constant","seed":0}"#,
        ),
        (r#""of":1"#, r#""of":0"#),
    ] {
        assert!(text.contains(whole), "{text}");
        let form: PlanForm = serde_json::from_str(&text.replace(whole, damaged)).unwrap();
        assert!(form.plan(Instant::now()).is_err(), "{damaged}");
    }
    let form = serde_json::to_string(&ConfigForm::of(&config()).unwrap()).unwrap();
    for (whole, damaged) in [("POST", "PO ST"), ("http://wiki", "ftp://wiki"), ("x-twice", "x twice")] {
        let form: ConfigForm = serde_json::from_str(&form.replace(whole, damaged)).unwrap();
        assert!(form.config().is_err(), "{damaged}");
    }
    for damaged in ["", "0-65535", "299-200"] {
        let text = form.replace(r#""statuses":"200,304""#, &format!(r#""statuses":"{damaged}""#));
        assert_ne!(text, form);
        assert!(serde_json::from_str::<ConfigForm>(&text).is_err(), "{damaged}");
    }
}

/// Eighths, which JSON's decimals hold exactly.
fn any_rate() -> impl Strategy<Value = f64> {
    (1_u32..800_000).prop_map(|eighths| f64::from(eighths) / 8.0)
}

proptest! {
    #[test]
    fn a_plan_arrives_as_it_is(
        steps in prop::collection::vec((any_rate(), any_rate(), 1_u64..1 << 40), 0..4),
        weights in prop::collection::vec(any_rate(), 1..6),
        (seed, arrivals_seed) in (any::<u64>(), any::<u64>()),
        most in prop::option::of(any::<u64>()),
        (index, workers) in (0_u32..3, 3_usize..9_000),
    ) {
        let steps: Vec<Step> =
            steps.into_iter().map(|(from, to, ns)| Step { from, to, time: Duration::from_nanos(ns) }).collect();
        let schedule = (!steps.is_empty()).then(|| Schedule::new(steps, Arrivals::Poisson, arrivals_seed).unwrap());
        let plan = LoadPlan {
            schedule: schedule.clone(),
            stop: Stop { max_requests: most, ..Stop::after(Duration::ZERO) },
            concurrency: workers,
            seed,
            ..LoadPlan::new(Mix::weighted(weights.into_iter().enumerate()))
        };
        let share = Share::new(index, 3).unwrap();
        let form = PlanForm::of(&plan, Duration::from_secs(9), share).unwrap();
        let start = Instant::now();
        let there = sent(&form).plan(start).unwrap();
        prop_assert_eq!(&there.mix, &plan.mix);
        prop_assert_eq!(&there.schedule, &schedule);
        prop_assert_eq!((there.seed, there.share, there.start), (seed, share, Some(start)));
        prop_assert_eq!((there.stop.max_requests, there.stop.until), (most, start + Duration::from_secs(9)));
        prop_assert_eq!(there.concurrency, share.of_workers(workers));
    }

    #[test]
    fn batches_hold_exactly_their_records(records in prop::collection::vec(any_record(), 0..40), cut in 0_usize..2_000) {
        let mut batch = RecordBatch::default();
        records.iter().for_each(|record| batch.push(record));
        prop_assert_eq!(batch.len(), records.len());
        let batch = sent(&batch);
        prop_assert_eq!(batch.records().unwrap(), records);
        // Cut off anywhere, or of other bytes, it is an error and no panic.
        let text = serde_json::to_value(&batch).unwrap();
        let mut damaged = text.clone();
        let bytes = damaged["bytes"].as_array_mut().unwrap();
        if cut < bytes.len() {
            bytes.truncate(cut);
            let damaged: RecordBatch = serde_json::from_value(damaged).unwrap();
            prop_assert!(damaged.records().is_err());
        }
    }

    #[test]
    fn any_bytes_are_records_or_an_error(count in any::<u32>(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let batch: RecordBatch =
            serde_json::from_value(serde_json::json!({"count": count, "before": 0, "bytes": bytes})).unwrap();
        let _ = batch.records();
    }
}

#[test]
fn no_share_has_more_than_at_most() {
    for arrivals in [Arrivals::Constant, Arrivals::Poisson] {
        for (from, to) in [(10.0, 10.0), (0.0, 900.0), (3_000.0, 1.0)] {
            let steps =
                vec![Step { from, to, time: Duration::from_secs(20) }, Step::steady(5.0, Duration::from_secs(9))];
            for most in [None, Some(50)] {
                let plan = LoadPlan {
                    schedule: Some(Schedule::new(steps.clone(), arrivals, 7).unwrap()),
                    concurrency: 3,
                    stop: Stop { max_requests: most, ..Stop::after(Duration::from_secs(15)) },
                    ..LoadPlan::new(Mix::weighted([(0, 1.0)]))
                };
                for index in 0..3 {
                    let length = Duration::from_secs(15);
                    let form = PlanForm::of(&plan, length, Share::new(index, 3).unwrap()).unwrap();
                    let (planned, at_most) = (form.planned(length).unwrap(), form.at_most().unwrap());
                    assert!(planned <= at_most && at_most <= planned + planned / 4 + 200, "{planned}, {at_most}");
                }
            }
        }
    }
}

/// A load from another host is sent as it would be from here.
#[test]
fn a_target_that_no_url_holds_stays_as_it_is() {
    let page = Request::get("http://localhost/").unwrap().target("//x/../y/%2e%2e/z?a=../b").unwrap().build().unwrap();
    let again = RequestForm::of(&page).request().unwrap();
    assert_eq!((again.target(), again.http1.uri()), ("//x/../y/%2e%2e/z?a=../b", page.http1.uri()));
    assert_eq!(again.http2.uri(), "http://localhost//x/../y/%2e%2e/z?a=../b");
}

#[test]
fn more_headers_than_a_map_holds_are_refused() {
    let page = Request::get("http://localhost/").unwrap().build().unwrap();
    let headers = (0..40_000).map(|number| (format!("x-{number}"), Vec::new())).collect();
    let form = RequestForm { headers, ..RequestForm::of(&page) };
    assert!(matches!(form.request(), Err(LoadError::Config { expected: "fewer headers", .. })));
}
