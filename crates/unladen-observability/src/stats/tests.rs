use serde_json::Value;

use crate::families::tests::busy;
use crate::observability::tests::observability;
use crate::sites;
use crate::upstreams::tests::told;

#[test]
fn what_the_page_asks_for() {
    let document: Value = super::document(&busy().snapshot());
    assert_eq!(document["schema"], "unladen.serve-stats/1");
    assert_eq!(document["draining"], false);
    assert_eq!(document["bounds_ns"].as_array().unwrap().len(), 15);
    let upstreams = document["upstreams"].as_array().unwrap();
    let names: Vec<_> = upstreams.iter().map(|upstream| upstream["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "im\"ages", "site", "gone"]);
    let search = &upstreams[0];
    assert_eq!((&search["requests"], &search["in_flight"], &search["retries"]), (&5.into(), &1.into(), &1.into()));
    assert_eq!(search["url"], "https://search.example:9243");
    assert_eq!(search["by_status"], serde_json::json!({ "200": 1, "418": 1, "500": 1, "503": 1 }));
    assert_eq!(
        search["by_outcome"],
        serde_json::json!({ "2xx": 1, "4xx": 1, "5xx": 1, "local_reply": 1, "client_gone": 1 })
    );
    assert_eq!(search["by_reason"], serde_json::json!({ "breaker_open": 1 }));
    assert_eq!(
        search["by_connection"],
        serde_json::json!({ "none": 0, "same_thread": 4, "other_thread": 0, "new": 1, "resumed": 0 })
    );
    assert_eq!(search["pool"]["breaker"], "half_open");
    assert_eq!(search["pool"]["endpoints"][1]["ejected"], true);
    assert_eq!(search["pool"]["counts"]["handshakes_resumed"], 4);
    assert_eq!(search["latency"]["total"]["buckets"][3], 5);
    assert_eq!((&upstreams[3]["configured"], &upstreams[3]["pool"]), (&false.into(), &Value::Null));
    assert_eq!((&search["site"], &upstreams[3]["site"]), (&Value::Null, &Value::Null));
}

#[test]
fn what_the_page_is_told_of_a_site() {
    let document: Value = super::document(&busy().snapshot());
    let site = &document["upstreams"][2]["site"];
    let results = serde_json::json!([
        { "result": "hit", "reason": "", "requests": 1, "bytes": 476 },
        { "result": "miss", "reason": "private", "requests": 1, "bytes": 476 },
        { "result": "pass", "reason": "", "requests": 1, "bytes": 476 },
    ]);
    assert_eq!(site["results"], results);
    assert_eq!((&site["bytes_from_memory"], &site["bytes_from_application"]), (&476.into(), &952.into()));
    let application = &site["application"];
    assert_eq!((&application["bytes"], &application["saved_estimate_ns"]), (&2_476.into(), &888_000.into()));
    assert_eq!(application["fetches"]["whole"]["sum_ns"], 888_000);
    assert_eq!(application["passes"]["whole"]["sum_ns"], 888_000);
    assert_eq!(application["fetches"]["not_modified"]["sum_ns"], 0);
    let store = serde_json::json!({
        "bytes": 4_096, "limit_bytes": 65_536, "resources": 3, "stored": 9, "evicted": 2, "purged": 4, "fetches_in_flight": 1,
        "fetch_bytes": 512,
    });
    assert_eq!(site["store"], store);
    assert_eq!(
        (&site["validators"][1]["path"], &site["validators"][1]["collapsed"]),
        (&"/{ref} (2)".into(), &5.into())
    );
    let misses = site["misses"].as_array().unwrap();
    let told: Vec<_> = misses.iter().map(|miss| (miss["target"].as_str().unwrap(), &miss["reason"])).collect();
    assert_eq!(told, [("/<i>\u{fffd}", &"".into()), ("/index/_search?q=a", &"private".into())]);
}

#[test]
fn a_site_that_nobody_has_asked_yet_is_there() {
    let observability = observability(vec![told("site")]);
    observability.set_sites(vec![sites::tests::told("site", None)]);
    let site = &super::document(&observability.snapshot())["upstreams"][0]["site"];
    assert_eq!((&site["results"], &site["store"]), (&serde_json::json!([]), &Value::Null));
}
