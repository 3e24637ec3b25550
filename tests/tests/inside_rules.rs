//! The rules as a user meets them: listed, explained, run again on what an earlier run has kept, and as a gate.

use std::path::{Path, PathBuf};

use unladen_tests::Call;

/// What was kept of a real run, and what the rules find there.
fn recording(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/unladen-finding/tests/recordings").join(name)
}

fn from(name: &str) -> Call {
    Call::new(["weigh", "--from"]).args([recording(name)])
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
        assert!(page.starts_with(&format!("# {name}")), "{page}");
        assert_eq!(Call::weigh(["--why", name]).run().succeeded().stdout, page);
    }
}

#[test]
fn a_rule_that_does_not_exist_is_told_with_the_nearest() {
    for call in [Call::new(["rules", "statstorm"]), Call::weigh(["--why", "statstorm"])] {
        call.run()
            .ended_with(2)
            .says(["no rule is called `statstorm`", "`stat-storm`", "unladen rules"])
            .shows_nothing();
    }
    let call = Call::weigh(["--fail-on", "n-plus-two", "http://127.0.0.1:9/"]);
    call.run().ended_with(2).says(["n-plus-two", "n-plus-one"]).shows_nothing();
}

#[test]
fn what_was_kept_is_looked_at_again_on_any_machine() {
    let done = from("unpooled-tls.json").run().succeeded().says_nothing();
    done.shows(["what each request carries", "unpooled-tls", "cure", "check again"]);
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
    done.says(["unpooled-tls"]).shows(["what each request carries"]);
    from("unpooled-tls.json").args(["--fail-on", "n-plus-one"]).run().succeeded();
    from("unpooled-tls.json").args(["--fail-on", "any"]).run().ended_with(8);
    from("lean.json").args(["--fail-on", "any"]).run().succeeded().shows(["no finding"]);
    // What could not be looked for is not clean.
    let done = from("lean.json").args(["--fail-on", "sleep"]).run().succeeded();
    done.says_nothing();
}

#[test]
fn a_file_that_is_none_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kept.json");
    let call = || Call::new(["weigh", "--from"]).args([&file]);
    call().run().ended_with(2).says(["kept.json", "cannot read"]).shows_nothing();
    std::fs::write(&file, "{\"schema\": \"unladen.evidence/1\",\n \"pages\": [{\"warm\": {\"locks\": 7}}]}").unwrap();
    call().run().ended_with(2).says(["kept.json:2:", "expected a file of evidence", "--record"]).shows_nothing();
    std::fs::write(&file, "{\"schema\": \"unladen.evidence/9\", \"pages\": []}").unwrap();
    call().run().ended_with(2).says(["unladen.evidence/9", "record again"]).shows_nothing();
}

#[test]
fn what_does_not_go_together_is_refused() {
    let url = "http://127.0.0.1:9/";
    for args in [
        ["--from", "kept.json", url].as_slice(),
        &["--from", "kept.json", "--record", "other.json"],
        &["--no-findings", "--record", "other.json", url],
        &["--no-findings", "--fail-on", "any", url],
    ] {
        Call::weigh(args).run().ended_with(2).says(["cannot be used with"]).shows_nothing();
    }
    let call = Call::weigh(["--record", "/nonexistent/kept.json", url]);
    call.run().ended_with(6).says(["/nonexistent/kept.json"]).shows_nothing();
}
