use std::time::Instant;

use unladen_load::{Digest, Exchange};

use super::*;

fn came(bytes: u64, cache: Option<&str>) -> Came {
    let now = Instant::now();
    let exchange = Exchange {
        planned: now,
        sent: now,
        first_byte: now,
        done: now,
        status: 200,
        body_bytes: bytes,
        digest: Digest(7),
        connect: None,
        retried: false,
    };
    let sample = Sample {
        request: String::new(),
        exchange,
        version: hyper::Version::HTTP_11,
        status: hyper::StatusCode::OK,
        headers: hyper::HeaderMap::new(),
        body_start: bytes::Bytes::new(),
    };
    let answer = Answer { status: 200, bytes, cache: cache.map(str::to_owned), ..Answer::default() };
    Came { sample, answer }
}

/// Bodies stayed 1.74 kB on both sides, and that a cache was faster was said of compression.
#[test]
fn caching_was_proved_in_place_of_compression() {
    let baseline = came(1_740, None);
    let said = doubts(&came(1_740, Some("Cache-Status: unladen; hit")), &baseline, &baseline, &[AnswerPart::Size]);
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("size of the body (1740 B)") && said[0].contains("is not the cause"), "{said:?}");
    assert!(said[1].starts_with("a cache answers here (Cache-Status: unladen; hit)"), "{said:?}");
    assert_eq!(doubts(&came(612, None), &baseline, &baseline, &[AnswerPart::Size]), [""; 0]);
}

#[test]
fn a_cache_in_both_arms_hid_the_application() {
    let baseline = came(900, Some("Age: 3"));
    let said = doubts(&came(900, Some("Age: 4")), &baseline, &baseline, &[]);
    assert!(said[0].contains("in both arms (Age: 4)"), "{said:?}");
    let said = doubts(&came(900, None), &baseline, &baseline, &[]);
    assert!(said[0].starts_with("a cache answers the baseline (Age: 3)"), "{said:?}");
    // Where a cache is what is tried, it has to answer.
    let plain = came(900, None);
    assert_eq!(doubts(&baseline, &plain, &plain, &[AnswerPart::Cache]), [""; 0]);
    let said = doubts(&plain, &plain, &plain, &[AnswerPart::Cache]);
    assert!(said[0].contains("cache that answers (none)"), "{said:?}");
}

#[test]
fn arms_that_answer_something_else_were_compared() {
    let titled = |title: &str| {
        let mut came = came(900, None);
        came.answer.title = title.to_owned();
        came
    };
    let page = titled("Shop");
    let said = doubts(&titled("Log in"), &page, &page, &[]);
    assert!(said[0].contains("the answer differs from the baseline's (\"Shop\", 200, 900 B)"), "{said:?}");
    assert_eq!(doubts(&titled("3 new"), &titled("1 new"), &titled("2 new"), &[]), [""; 0], "it differs by itself");
    let header: AnswerPart = "Vary".parse().unwrap();
    let mut with = titled("Shop");
    with.sample.headers.insert("vary", "Cookie".parse().unwrap());
    assert_eq!(doubts(&with, &page, &page, std::slice::from_ref(&header)), [""; 0]);
    assert!(doubts(&page, &page, &page, &[header])[0].contains("header vary (absent)"));
}
