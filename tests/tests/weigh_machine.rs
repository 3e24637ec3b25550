//! `unladen weigh --exporter` with all that a machine tells: hundreds of counters, of which a few follow.
//!
//! Measures: what follows requests, beside the CPU of processes. What is told late on a busy machine makes phases long.
//! Waits: exporters are asked a few times a second, and a page that costs nothing is.

use serde_json::Value;
use unladen_tests::Nginx;
use unladen_tests::exporter::{Exporter, adds, series, weigh};

#[test]
fn nginx_and_its_machine_tell_what_a_request_adds() {
    let nginx = Nginx::plain("location = /page { return 200 'some text'; } location = /counts { stub_status; }");
    let counts = format!("-nginx.scrape-uri=http://{}/counts", nginx.address());
    let of_nginx = Exporter::start("prometheus-nginx-exporter", "-web.listen-address", &[&counts], &[]);
    let of_node = Exporter::start("prometheus-node-exporter", "--web.listen-address", &[], &[]);
    let page = format!("http://{}/page", nginx.address());
    let document = weigh(&page, &[&of_nginx.named("web"), &of_node.named("node")], &["--requests", "12"]);
    adds(&document, "web/nginx_http_requests_total", 1.0);
    let row = series(&document, "web/nginx_http_requests_total");
    assert_eq!((row["counter"].as_str(), row["unit"].as_str()), (Some("count"), Some("1")), "{row}");

    // Of the machine's hundreds of counters only those that follow are told, and how many were looked at.
    let told: Vec<&Value> =
        document.list("weights").iter().filter(|row| row["group"].as_str().unwrap().starts_with("node/")).collect();
    let hosts = document.list("hosts");
    let node = hosts.iter().find(|host| host["name"] == "node").unwrap_or_else(|| panic!("{document}"));
    let looked_at = node["series"].as_u64().unwrap();
    assert!(looked_at > 100 && (told.len() as u64) < looked_at / 2, "{looked_at}, {}", told.len());
    assert!(told.iter().all(|row| row["follows"] == true), "{told:?}");
    // The CPU of processes is counted here; what an exporter tells of it is not added to that.
    assert!(document["urls"][0]["total_cpu_ns"]["value"].as_f64().unwrap() > 0.0, "{document}");
}
