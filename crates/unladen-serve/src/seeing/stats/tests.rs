use serde_json::Value;

use crate::seeing::families::tests::busy;

#[test]
fn what_the_page_asks_for() {
    let document: Value = super::document(&busy().snapshot());
    assert_eq!(document["schema"], "unladen.serve-stats/1");
    assert_eq!(document["draining"], false);
    assert_eq!(document["bounds_ns"].as_array().unwrap().len(), 15);
    let upstreams = document["upstreams"].as_array().unwrap();
    let names: Vec<_> = upstreams.iter().map(|upstream| upstream["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["search", "im\"ages", "gone"]);
    let search = &upstreams[0];
    assert_eq!((&search["requests"], &search["in_flight"], &search["retries"]), (&5.into(), &1.into(), &1.into()));
    assert_eq!(search["url"], "https://search.example:9243");
    assert_eq!(search["by_status"], serde_json::json!({ "200": 1, "418": 1, "500": 1, "503": 1 }));
    assert_eq!(search["by_outcome"], serde_json::json!({ "2xx": 1, "4xx": 1, "5xx": 1, "local": 1, "client_gone": 1 }));
    assert_eq!(search["by_reason"], serde_json::json!({ "breaker_open": 1 }));
    assert_eq!(
        search["by_connection"],
        serde_json::json!({ "none": 0, "own": 4, "sibling": 0, "new": 1, "resumed": 0 })
    );
    assert_eq!(search["pool"]["breaker"], "half_open");
    assert_eq!(search["pool"]["endpoints"][1]["ejected"], true);
    assert_eq!(search["pool"]["counts"]["handshakes_resumed"], 4);
    assert_eq!(search["latency"]["total"]["buckets"][3], 5);
    assert_eq!((&upstreams[2]["configured"], &upstreams[2]["pool"]), (&false.into(), &Value::Null));
}
