//! What `unladen schema` prints, against documents that are written: by the commands that other tests do not ask for
//! JSON, and by the crates' own tests, which have the rare variants. Whatever JSON any other test reads of a command is
//! held against its schema too (`Done::document`).

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Value, json};
use unladen_tests::site::page;
use unladen_tests::{Call, Done, Server, Site, Upstream, schema};

/// Where the crates are.
fn crates() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates")
}

fn schema_of(done: &Done) -> String {
    let document = done.document();
    document["schema"].as_str().unwrap_or_else(|| panic!("{document} names no schema")).to_owned()
}

#[test]
fn each_schema_is_printed_and_listed() {
    let list = Call::new(["schema"]).run().succeeded().says_nothing().stdout;
    let names: Vec<&str> = list.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 12, "{list}");
    let page = std::fs::read_to_string(crates().join("../docs/reference/json.md")).unwrap();
    for name in names {
        let printed = Call::new(["schema", name]).run().succeeded().says_nothing().stdout;
        let printed: Value = serde_json::from_str(&printed).unwrap();
        let id = printed["properties"]["schema"]["const"].as_str().unwrap_or_default();
        assert_eq!(id, format!("unladen.{name}/1"));
        assert!(page.contains(&format!("`{id}`")), "docs/reference/json.md does not tell of {id}");
    }
    Call::new(["schema", "wiegh"]).run().ended_with(2).says(["wiegh", "weigh"]).shows_nothing();
}

/// The snapshots of the crates' tests have what a short run on this machine has not: agents, capacities, gates,
/// experiments of several changes.
#[test]
fn what_the_crates_tests_write_is_of_the_schemas() {
    let mut seen = BTreeSet::new();
    for file in std::fs::read_dir(crates().join("unladen-report/src/json/snapshots")).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let Some((_, body)) = text.trim_start_matches("---\n").split_once("\n---\n") else { continue };
        let Ok(document) = serde_json::from_str::<Value>(body) else { continue };
        let Some(name) = document["schema"].as_str() else { continue };
        seen.insert(name.to_owned());
        assert_eq!(schema::hold(&document), Vec::<String>::new(), "{}", path.display());
    }
    let expected =
        ["unladen.load/1", "unladen.profile-diff/1", "unladen.profile/1", "unladen.prove/1", "unladen.weigh/1"];
    assert_eq!(seen.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}

/// The check would be worth nothing if it let everything pass.
#[test]
fn documents_that_break_their_schema_are_told() {
    let good = json!({ "schema": "unladen.runs/1", "count": 0, "runs": [] });
    assert_eq!(schema::hold(&good), Vec::<String>::new());
    for (field, value, said) in [
        ("count", json!("0"), "not of the type"),
        ("count", json!(-1), "none of what may be there"),
        ("more", json!(1), "unladen.runs/1.more is not in the schema"),
        ("runs", json!([{ "id": 1 }]), "unladen.runs/1.runs[0].verb is missing"),
        ("schema", json!("unladen.none/1"), "knows no unladen.none/1"),
    ] {
        let mut bad = good.clone();
        bad[field] = value;
        let wrong = schema::hold(&bad);
        assert!(wrong.iter().any(|line| line.contains(said)), "{bad}: {wrong:?}");
    }
    let gate = json!({ "condition": "any", "broken": true, "untold": false, "found": 3 });
    let load = json!({ "schema": "unladen.load/1", "gates": [gate], "send_lag_ns": null, "pacing": 4,
        "distribution": [[5, 0.5], [6]], "ended": "broken" });
    let wrong = schema::hold(&load).join("\n");
    for said in [
        "gates[0].found: 3 is not of the type",
        "pacing: 4 is not of the type",
        "distribution[1] has 1 entries",
        "ended: \"broken\" is none",
        "unladen.load/1.rate is missing",
    ] {
        assert!(wrong.contains(said), "{said} is not in\n{wrong}");
    }
    assert!(!wrong.contains("send_lag_ns") && !wrong.contains("distribution[0]"), "{wrong}");
}

#[test]
fn commands_that_measure_nothing_write_what_their_schemas_say() {
    let of = |args: &[&str]| schema_of(&Call::new(args).run());
    assert_eq!(of(&["rules", "--json"]), "unladen.rules/1");
    assert_eq!(of(&["rules", "stat-storm", "--json"]), "unladen.rules/1");
    assert_eq!(of(&["doctor", "--json"]), "unladen.doctor/1");
    assert_eq!(of(&["fix", "--list", "--json"]), "unladen.fix/1");
    let app = tempfile::tempdir().unwrap();
    std::fs::create_dir(app.path().join("src")).unwrap();
    std::fs::write(app.path().join("composer.json"), r#"{"autoload": {"psr-4": {"A\\": "src/"}}}"#).unwrap();
    std::fs::write(app.path().join("src/B.php"), "<?php namespace A; class B {}").unwrap();
    let root = app.path().to_str().unwrap();
    assert_eq!(of(&["classmap", root, "--json"]), "unladen.classmap/1");
    assert_eq!(of(&["classmap", root, "--explain", "A\\B", "--json"]), "unladen.classmap-explain/1");
}

/// Right, wrong, explained, and with what becomes of a request.
#[test]
fn configurations_are_told_of_as_the_schema_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("serve.toml");
    let check = |config: &str, more: &[&str], code: i32| {
        std::fs::write(&file, config).unwrap();
        let name = file.to_str().unwrap();
        let done = Call::new(["serve", name]).args(more).args(["--json"]).run().ended_with(code);
        assert_eq!(schema_of(&done), "unladen.serve/1");
    };
    let good = "[[site]]\nname = \"shop\"\nlisten = \"127.0.0.1:1\"\nupstream = \"http://127.0.0.1:2\"\n\
        validator = [{ path = \"/p/{id}\", head = true }]\n";
    let plain = good.lines().take(4).collect::<Vec<_>>().join("\n");
    check(&plain, &["--check"], 0);
    check(&plain, &["--explain"], 0);
    check(&plain, &["--check", "--url", "http://127.0.0.1:1/p/1"], 0);
    check(&plain, &["--check", "--connect"], 3);
    check("[[site]]\nlisten = 7\nnonsense = true\n", &["--check"], 2);
}

/// A run, what is kept of it, and what is told of two.
#[test]
fn runs_are_written_as_their_schemas_say() {
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("runs.db");
    let server = Server::good();
    let call = |args: &[&str]| Call::new(args).env("UNLADEN_STORE", &store);
    for _ in 0..2 {
        call(&["load", "-n", "20", "-c", "2", "--json", &server.url("/")]).run().succeeded().document();
    }
    assert_eq!(schema_of(&call(&["runs", "list", "--json"]).run().succeeded()), "unladen.runs/1");
    assert_eq!(schema_of(&call(&["runs", "show", "1", "--json"]).run().succeeded()), "unladen.load/1");
    assert_eq!(schema_of(&call(&["runs", "compare", "1", "2", "--json"]).run().succeeded()), "unladen.compare/1");
    assert_eq!(schema_of(&call(&["runs", "trend", &server.url("/"), "--json"]).run().succeeded()), "unladen.trend/1");
    let lines = call(&["runs", "export"]).run().succeeded().stdout;
    assert_eq!(lines.lines().count(), 2, "{lines}");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!((line["schema"].as_str(), schema::hold(&line)), (Some("unladen.run/1"), Vec::new()));
    }
}

#[test]
fn a_purge_is_told_of_as_the_schema_says() {
    let app =
        Upstream::forgetful(
            |peer| {
                while peer.request().is_some() && peer.send(page("Cache-Control: max-age=60\r\n", "x")) {}
            },
        );
    let site = Site::of(&app, "");
    site.get("/a");
    let admin = format!("unix:{}", site.path("admin.sock").display());
    let done = Call::new(["purge", "--admin", &admin, "--all", "--json"]).run().succeeded();
    assert_eq!((schema_of(&done).as_str(), done.document()["purged"].as_u64()), ("unladen.purge/1", Some(1)));
}
