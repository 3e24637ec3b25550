//! The subject's own site, and the experiment of what it is worth.

use std::net::TcpStream;
use std::path::Path;

use unladen_tests::{Call, Subject};

#[test]
fn the_experiment_is_right_and_the_site_is_put_back() {
    let pledges = Subject::up("pledges");
    let url = pledges.run(["site", "up"]);
    assert_eq!(pledges.run(["site", "up"]), url, "a second time nothing is started");
    let address = url.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/blood")).expect("an address");
    let env = pledges.run(["site", "env"]);
    for line in [&format!("SITE_URL={}", url.trim()), &format!("MINUTE_URL=http://{address}/minute/blood"), "ETAG=W/\""]
    {
        assert!(env.contains(line), "{line} is not in\n{env}");
    }

    let file = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../subjects/pledges/site.toml"));
    let prove = |more: &[&str], file: &Path| {
        Call::prove(more).args([file]).env("UNLADEN_STATE", pledges.get("UNLADEN_STATE")).run().succeeded()
    };
    let arms = ["conditional, straight", "by max-age", "conditional, by validator", "by validator"];
    prove(&["--check"], file).shows(arms);
    // A moment of it: each arm is answered as it should be, or it would end.
    let whole = std::fs::read_to_string(file).unwrap();
    let script = pledges.script().to_str().unwrap();
    let short =
        whole.replace("./run", script).replace("\"4min\"", "\"3s\"\nphase = \"100ms\"").replace("500ms", "50ms");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("site.toml");
    std::fs::write(&file, short).unwrap();
    let document = prove(&["--json", "--no-weights"], &file).document();
    let of_arms: Vec<&str> = document.list("arms").iter().map(|arm| arm["name"].as_str().unwrap()).collect();
    for arm in document.list("arms") {
        assert!(arm["requests"].as_u64().unwrap() > 0 && arm["errors"] == 0, "{arm}");
    }
    assert!(arms.iter().all(|arm| of_arms.contains(arm)), "{of_arms:?}");

    pledges.run(["site", "down"]);
    assert!(TcpStream::connect(address).is_err(), "it is still there");
    assert_eq!(pledges.run(["status"]).matches("site").count(), 0);
}
