//! What `unladen prove` writes: JSON as others rely on it, tables for people, pictures.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use unladen_tests::{Ability, Call, Lab, Reply, SHORT_LOAD, Server, copy_binary, skip_without};

/// `/slow` takes twice as long.
fn server() -> Server {
    Server::replying(|asked| {
        std::thread::sleep(Duration::from_millis(if asked.request.line.contains("/slow") { 10 } else { 5 }));
        Reply::good()
    })
}

fn lab(server: &Server) -> Lab {
    Lab::of(&format!(
        "title = \"A page <and> its double\"\nurl = \"{}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"double & slow\"\non = {{ url = \"{}\" }}\n",
        server.url("/"),
        server.url("/slow")
    ))
}

#[test]
fn the_document_is_as_the_contract_says_and_every_field_is_documented() {
    let server = server();
    let lab = lab(&server);
    let picture = lab.path("result.svg");
    let tables = lab.path("result.txt");
    let again = lab.path("result.json");
    let mut call = lab.prove().args(["--json", "--fail-on", "p50 > +1000%"]);
    for file in [&picture, &tables, &again] {
        call = call.args(["-o".as_ref(), file.as_os_str()]);
    }
    let document = call.run().succeeded().document();
    assert_eq!(document["schema"], "unladen.prove/1");
    assert_eq!(document["design"], "ab");
    assert_eq!(document["title"], "A page <and> its double");
    assert_eq!(document.arms().into_iter().collect::<Vec<_>>(), ["baseline", "baseline again", "double & slow"]);
    assert!(document["blocks"].as_u64() >= Some(6));
    for row in document.list("comparisons") {
        let metric = row["metric"].as_str().unwrap();
        let verdict = row["verdict"].as_str().unwrap();
        assert!(row["floor"].as_f64() >= Some(0.0), "{row}");
        assert!(row["difference"]["low"].as_f64() <= row["difference"]["high"].as_f64(), "{row}");
        if let (Some(low), Some(ratio), Some(high)) = (row["low"].as_f64(), row["ratio"].as_f64(), row["high"].as_f64())
        {
            assert!(low <= ratio && ratio <= high, "{row}");
        }
        let is_light = metric.starts_with("weight.") || metric == "bytes.body";
        let words = if is_light { ["lighter", "heavier"] } else { ["faster", "slower"] };
        let is_untold = ["no measurable difference", "unclear"].contains(&verdict);
        assert!(is_untold || words.contains(&verdict), "{row}");
        if metric.starts_with("latency.") {
            // Durations are whole ns.
            assert!(row["baseline"].is_u64() && row["candidate"].is_u64() && row["unit"] == "ns", "{row}");
            // The figures of a row belong together: the baseline is what the candidate was held against.
            let figure = |value: &serde_json::Value| value.as_f64().unwrap();
            let difference = figure(&row["candidate"]) - figure(&row["baseline"]);
            assert!((difference - figure(&row["difference"]["value"])).abs() <= 2.0, "{row}");
        }
    }
    assert_eq!(document.compared("double & slow", "latency.p50").verdict, "slower", "{document}");

    let schema = format!("{:#}", unladen_document::Schema::named("prove").unwrap().json());
    let mut fields: Vec<&String> = document.0.as_object().unwrap().keys().collect();
    fields.extend(document["machine"].as_object().unwrap().keys());
    for list in ["arms", "comparisons", "gates"] {
        fields.extend(document.list(list)[0].as_object().unwrap().keys());
    }
    for field in fields {
        assert!(schema.contains(&format!("\"{field}\": {{")), "{field} is not in the schema");
    }

    let written: serde_json::Value = serde_json::from_str(&lab.read("result.json")).unwrap();
    assert_eq!(written, document.0);

    let text = lab.read("result.txt");
    for words in ["A page <and> its double", "p50", "slower by", "noise floor", "█", "baseline again", "PASS"] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
    let svg = lab.read("result.svg");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{svg}");
    assert!(svg.contains("double &amp; slow") && svg.contains("&lt;and&gt;"), "{svg}");
}

#[test]
fn text_has_the_table_and_the_boxes_in_eighty_columns_or_so() {
    let server = server();
    let done = lab(&server).prove().args(["--no-weights", "--details"]).run().succeeded().says_nothing();
    for line in done.stdout.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    done.shows([
        "A page <and> its double",
        "verdict, 95 % interval",
        "p50",
        "slower by",
        "noise floor",
        "baseline again",
    ])
    .shows(["p5 ├─▒█▒─┤ p95"]);
}

#[test]
fn a_result_that_cannot_be_written_is_known_before_anything_is_switched() {
    let server = server();
    let lab = lab(&server);
    lab.prove().args(["-o", "/nonexistent/result.json"]).run().ended_with(6).says(["/nonexistent/result.json"]);
    assert!(server.received().is_empty());
}

/// It ended with 101, and no result.
#[test]
fn a_full_disk_behind_standard_error_loses_nothing() {
    let server = server();
    let (a, b) = (server.url("/"), server.url("/slow"));
    let call = Call::prove(["--no-weights", "--requests", "12", "--a", &a, "--b", &b]);
    call.through_shell(r#"exec "$@" 2>/dev/full"#).run().ended_with(0).shows(["per request", "baseline"]);
}

#[test]
fn what_an_experiment_sends_cannot_be_said_in_two_places() {
    let server = server();
    let done = lab(&server).prove().args(["-H", "X-Y: z"]).run();
    done.ended_with(2).says(["[load]"]).shows_nothing();
    assert!(server.received().is_empty());
}

#[test]
fn a_seed_is_told_and_may_be_given() {
    let server = server();
    let document = lab(&server).prove().args(["--no-weights", "--seed", "42"]).document();
    assert_eq!(document["seed"], 42);
}

#[test]
fn nobody_may_prove_too() {
    if skip_without(Ability::Root, "nobody_may_prove_too") {
        return;
    }
    let server = server();
    let lab = lab(&server);
    let open = |mode| Permissions::from_mode(mode);
    copy_binary(lab.path("unladen").as_ref());
    std::fs::set_permissions(lab.folder(), open(0o777)).unwrap();
    std::fs::set_permissions(lab.path("experiment.toml"), open(0o644)).unwrap();
    let call = lab.prove().program(lab.path("unladen"));
    let call = call.through(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"]);
    let document = call.document();
    assert_eq!(document.compared("double & slow", "latency.p50").verdict, "slower", "{document}");
    let has_cpu = document.list("comparisons").iter().any(|row| row["counter"] == "cpu");
    assert!(has_cpu, "the CPU of every process is there for all");
}
