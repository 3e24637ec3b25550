//! The rules as a user meets them: listed, explained, run again on what an earlier run has kept, and as a gate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use unladen_tests::{Call, Document};

/// What was kept of a real run, and what the rules find there.
fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/unladen-finding/tests/recordings").join(name)
}

fn from(name: &str) -> Call {
    Call::new(["weigh", "--replay"]).args([recording(name)])
}

#[test]
fn rules_are_listed_and_explained() {
    let list = Call::new(["rules"]).run().succeeded().says_nothing();
    let list = list.shows(["stat-storm", "n-plus-one", "cacheable", "[root]", "unladen rules RULE"]);
    let document = Call::new(["rules", "--json"]).run().succeeded().document();
    assert_eq!(document["schema"], "unladen.rules/1");
    for rule in document.list("rules") {
        let name = rule["rule"].as_str().expect("a name");
        assert!(list.stdout.contains(name), "{name}");
        let page = Call::new(["rules", name]).run().succeeded().stdout;
        assert!(page.starts_with(&format!("{name}: ")) && !page.contains("**"), "{page}");
    }
    let one = Call::new(["rules", "--json", "stat-storm"]).run().succeeded().document();
    assert_eq!((one.list("rules").len(), &one["rules"][0]["rule"]), (1, &"stat-storm".into()), "{one}");
    assert!(one["rules"][0]["page"].as_str().unwrap().starts_with("# stat-storm"), "{one}");
}

#[test]
fn a_rule_that_does_not_exist_is_told_with_the_nearest() {
    let call = Call::new(["rules", "statstorm"]);
    call.run().ended_with(2).says(["no rule is called `statstorm`", "`stat-storm`", "unladen rules"]).shows_nothing();
    let condition = Call::weigh(["--fail-on", "p95 > 5ms", "http://127.0.0.1:9/"]).run().ended_with(2);
    condition.says(["`p95 > 5ms` is not a condition", "`unladen load`"]).shows_nothing();
    // `uncompressed` is no more like it than any other.
    let nonsense = Call::new(["rules", "nonsense"]).run().ended_with(2).says(["no rule is called `nonsense`"]);
    assert!(!nonsense.stderr.contains("nearest"), "{nonsense}");
    let call = Call::weigh(["--fail-on", "n-plus-two", "http://127.0.0.1:9/"]);
    call.run().ended_with(2).says(["n-plus-two", "n-plus-one"]).shows_nothing();
}

#[test]
fn what_was_kept_is_looked_at_again_on_any_machine() {
    let done = from("unpooled-tls.json").run().succeeded().says_nothing();
    done.shows(["things to fix", "unpooled-tls", "fix: ", "saves at most"]);
    let done = from("unpooled-tls.json").args(["--details"]).run().succeeded().says_nothing();
    let done = done.shows(["what to fix", "unpooled-tls", "fix", "check again"]);
    // What is looked at again is no kept run, and `unladen fix 1` would fix another one's.
    assert!(!done.stdout.contains("unladen fix"), "{done}");
    let document = from("unpooled-tls.json").args(["--json"]).run().succeeded().document();
    assert_eq!(document["schema"], "unladen.weigh/1");
    let found = document.list("findings").iter().find(|finding| finding["rule"] == "unpooled-tls").expect("a finding");
    assert!(
        found["share"]["known"] == true && found["share"]["low"].as_f64() <= found["share"]["high"].as_f64(),
        "{found}"
    );
    assert!(document.list("counts").iter().any(|count| count["counter"] == "connections.tls"), "{document}");

    let folder = tempfile::tempdir().unwrap();
    let picture = folder.path().join("findings.svg");
    from("unpooled-tls.json").args(["-o"]).args([&picture]).run().succeeded();
    assert!(std::fs::read_to_string(picture).unwrap().contains("unpooled-tls"));
}

#[test]
fn a_finding_that_is_not_accepted_ends_with_8() {
    let done = from("unpooled-tls.json").args(["--fail-on", "unpooled-tls"]).run().ended_with(8);
    done.says(["unpooled-tls"]).shows(["things to fix"]);
    from("unpooled-tls.json").args(["--fail-on", "n-plus-one"]).run().succeeded();
    from("unpooled-tls.json").args(["--fail-on", "any"]).run().ended_with(8);
    from("lean.json").args(["--fail-on", "any"]).run().succeeded().shows(["no finding"]);
    from("lean.json").args(["--fail-on", "sleep"]).run().succeeded().says_nothing();
    // What was not looked at is not clean: who takes part was not looked for when this was recorded.
    from("base.json").args(["--fail-on", "sleep"]).run().ended_with(8).says(["not judged", "the request's path"]);
}

#[test]
fn a_file_that_is_none_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept.json");
    let call = || Call::new(["weigh", "--replay"]).args([&file]);
    call().run().ended_with(2).says(["kept.json", "cannot read"]).shows_nothing();
    std::fs::write(&file, "{\"schema\": \"unladen.evidence/1\",\n \"pages\": [{\"warm\": {\"locks\": 7}}]}").unwrap();
    call().run().ended_with(2).says(["kept.json:2:", "expected an evidence file", "--record"]).shows_nothing();
    std::fs::write(&file, "{\"schema\": \"unladen.evidence/9\", \"pages\": []}").unwrap();
    call().run().ended_with(2).says(["unladen.evidence/9", "record again"]).shows_nothing();
}

#[test]
fn what_does_not_go_together_is_refused() {
    let url = "http://127.0.0.1:9/";
    for args in [
        ["--replay", "kept.json", url].as_slice(),
        &["--replay", "kept.json", "--record", "other.json"],
        &["--no-findings", "--record", "other.json", url],
    ] {
        Call::weigh(args).run().ended_with(2).says(["cannot be used with"]).shows_nothing();
    }
    let traced = Call::weigh(["--no-findings", "--fail-on", "any", url]);
    traced.run().ended_with(2).says(["'any'", "--no-findings"]).shows_nothing();
    let call = Call::weigh(["--record", "/nonexistent/kept.json", url]);
    call.run().ended_with(6).says(["/nonexistent/kept.json"]).shows_nothing();
}

/// Services of all kinds, of which rules print lines for `unladen serve`: their names, addresses, protocols, and whose
/// they are.
const SERVICES: &[(Option<&str>, &str, &str, usize)] = &[
    (Some("api.example"), "10.0.0.5:443", "tls", 1),
    (Some("api.example"), "10.0.0.6:443", "tls", 1),
    (Some("api.example"), "10.0.0.5:8443", "tls", 1),
    (Some("under_score.example"), "10.0.0.5:443", "tls", 1),
    (Some("no name"), "10.0.0.8:443", "tls", 1),
    (Some("xn--bcher-kva.example"), "10.0.0.5:9243", "tls", 1),
    (None, "[2001:db8::5]:9243", "tls", 1),
    (None, "10.0.0.7:8081", "http", 1),
    (None, "[2001:db8::7]:80", "http", 1),
    // The same as the recording's own, whose caller trusts a file of its own.
    (Some("localhost"), "127.0.0.1:30992", "tls", 0),
];

/// What the recording's page does, and calls of [`SERVICES`] besides.
fn with_services(authority: &Path) -> Value {
    let mut record: Value = serde_json::from_slice(&std::fs::read(recording("unpooled-tls.json")).unwrap()).unwrap();
    let page = &mut record["pages"][0]["warm"];
    let files = page["files"].as_array_mut().unwrap();
    let opened = files.iter_mut().find(|file| file["path"].as_str().unwrap().ends_with("/ca.pem")).unwrap();
    opened["path"] = authority.to_str().into();
    let connections = page["connections"].as_array_mut().unwrap();
    let model = connections.iter().find(|seen| seen["protocol"] == "tls").unwrap().clone();
    for (name, peer, protocol, group) in SERVICES {
        let mut seen = model.clone();
        for (key, value) in [
            ("server_name", json!(name)),
            ("peer", json!(peer)),
            ("protocol", json!(protocol)),
            ("group", json!(group)),
        ] {
            seen[key] = value;
        }
        seen["local"] = peer.starts_with("127.").into();
        if *protocol == "http" {
            seen["handshakes"] = json!({ "count": [], "requests": [], "time_ns": [] });
        }
        connections.push(seen);
    }
    let asked =
        |name| json!({ "group": 1, "name": name, "kind": "A", "server": "10.0.0.2:53", "counted": model["opened"] });
    page["dns"] = json!([asked("api.example"), asked("localhost.here.example")]);
    record
}

/// All that findings print for `unladen serve`, each listener once, and which rules do.
fn for_serve(document: &Document) -> (BTreeSet<&str>, BTreeSet<String>) {
    let of_serve = || {
        let all = document.list("findings").iter().filter(|found| found["fix"]["file"] == "unladen.toml");
        all.filter(|found| found["fix"]["lines"][0] == "[[outbound]]")
    };
    let lines =
        of_serve().flat_map(|found| found["fix"]["lines"].as_array().unwrap()).map(|line| line.as_str().unwrap());
    let text = lines.collect::<Vec<_>>().join("\n");
    let listeners = text.split("[[outbound]]\n").skip(1).map(|lines| lines.trim_end().to_owned()).collect();
    (of_serve().map(|found| found["rule"].as_str().unwrap()).collect(), listeners)
}

#[test]
fn lines_for_serve_are_a_configuration_that_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let authority = folder.path().join("ca.pem");
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Ours"])
        .args(["-addext", "basicConstraints=critical,CA:TRUE", "-keyout", "/dev/null", "-out"])
        .arg(&authority)
        .output()
        .expect("openssl starts");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let record = folder.path().join("record.json");
    std::fs::write(&record, with_services(&authority).to_string()).unwrap();
    let document = Call::new(["weigh", "--json", "--replay"]).args([&record]).run().succeeded().document();

    let (rules, listeners) = for_serve(&document);
    assert_eq!(rules, ["dns-again", "unpooled-connection", "unpooled-tls"].into(), "{document}");
    // api.example has two addresses.
    let services = SERVICES.len() - 1 + 1;
    assert_eq!(listeners.len(), services, "{listeners:#?}");
    let config = folder.path().join("unladen.toml");
    let lines: String = listeners.iter().map(|lines| format!("[[outbound]]\n{lines}\n\n")).collect();
    std::fs::write(&config, &lines).unwrap();
    let check = Call::new(["serve", "--check", "--config"]).args([&config]).run().succeeded().says_nothing();
    // Both services in clear are elsewhere.
    check.shows([&format!("OK: {services} listeners, 2 warnings"), "others on the path can read"]);
}

/// What stands in front: whatever the page's address is, and without a question for a database, which might miss a
/// change.
#[test]
fn lines_for_the_site_are_a_configuration_that_it_takes() {
    let folder = tempfile::tempdir().unwrap();
    let (record, config) = (folder.path().join("record.json"), folder.path().join("unladen.toml"));
    let mut asked = BTreeSet::new();
    for (url, database, protocol) in [
        ("http://127.0.0.1:20731/pledge.php?ref=blood", "/tmp/nowhere/.s.PGSQL.5433", "postgres"),
        ("http://127.0.0.1:20731/a%20b/blood", "127.0.0.1:1", "postgres"),
        ("https://[::1]:8443/", "[::1]:1", "mysql"),
        ("http://site.example/blood", "127.0.0.1:1", "mysql"),
        ("http://site.example:8080/blood/?a=b", "/usr/lib/libsqlite3.so.0", "sqlite"),
    ] {
        let mut recorded: Value = serde_json::from_slice(&std::fs::read(recording("base.json")).unwrap()).unwrap();
        let page = &mut recorded["pages"][0]["warm"];
        page["page"]["url"] = url.into();
        page["response"]["variants"].as_array_mut().unwrap().retain(|variant| variant["ask"] != "compressed");
        for query in page["queries"].as_array_mut().unwrap() {
            query["database"] = database.into();
            query["protocol"] = protocol.into();
        }
        std::fs::write(&record, recorded.to_string()).unwrap();
        let document = Call::new(["weigh", "--json", "--replay"]).args([&record]).run().succeeded().document();
        let of_site: Vec<&Value> =
            document.list("findings").iter().filter(|found| found["fix"]["lines"][0] == "[[site]]").collect();
        let rules: BTreeSet<&str> = of_site.iter().map(|found| found["rule"].as_str().unwrap()).collect();
        assert_eq!(rules, ["cacheable", "slow-conditional"].into(), "{url}: {document}");
        for found in of_site {
            let lines: Vec<&str> =
                found["fix"]["lines"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
            let lines = lines.join("\n");
            assert!(!lines.contains("[[site.validator]]"), "{lines}");
            let advice = found["fix"]["advice"].as_str().unwrap();
            assert_eq!(advice.contains("triggers"), protocol != "sqlite", "{advice}");
            asked.insert(lines.clone());
            std::fs::write(&config, lines).unwrap();
            let check = Call::new(["serve", "--check", "--config"]).args([&config]).run().succeeded();
            check.shows(["OK: 1 listener"]);
        }
    }
    assert_eq!(asked.len(), 4, "both rules have the same lines, and so have pages of one site: {asked:#?}");
}
