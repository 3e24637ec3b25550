//! `unladen prove` of servers that burn a known CPU time: weights and latencies differ by what is known.
//!
//! Measures: CPU time, against what is known of it.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use unladen_tests::{Lab, SHORT_LOAD, Subject};

/// A server of the subject's program, under a name that no other process of the machine has.
struct Burn(Child);

impl Burn {
    fn start(lab: &Lab, own: &str) -> (Self, String) {
        let mut command = Command::new(lab.path("embers"));
        command.args(["--own", own, "--child", "2", "--lifetime", "120", "--url-file"]).arg(lab.path(own));
        let burn = Self(command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
        lab.wait_until(own, "/\n");
        let url = lab.read(own).trim().to_owned();
        (burn, url)
    }
}

impl Drop for Burn {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_page_that_burns_five_times_as_much_is_slower_and_its_cpu_heavier_by_that() {
    let lab = Lab::new();
    {
        let subject = Subject::up("burn");
        let state = Path::new(subject.get("UNLADEN_STATE")).join("burn");
        std::fs::copy(state.join("burn"), lab.path("embers")).unwrap();
        std::fs::copy(state.join("burn-child"), lab.path("burn-child")).unwrap();
    }
    let ((_a, cheap), (_b, dear)) = (Burn::start(&lab, "3"), Burn::start(&lab, "24"));
    let load = SHORT_LOAD.replace("80ms", "200ms");
    lab.write(
        "experiment.toml",
        &format!("url = \"{cheap}\"\n{load}\n[[knob]]\nname = \"dear\"\non = {{ url = \"{dear}\" }}\n"),
    );
    let document = lab.prove().document();
    for metric in ["latency.p50", "latency.mean"] {
        let compared = document.compared("dear", metric);
        assert_eq!(compared.verdict, "slower", "{compared:?}\n{document}");
        // 26 ms against 5; what else the machine does is in both.
        assert!(compared.low < 6.5 && compared.high > 4.0, "{compared:?}\n{document}");
    }
    assert_eq!(document.compared("dear", "throughput").verdict, "slower", "{document}");
    // Whatever else the machine does, it burns by so many more calls, and looks at no more files.
    let counted = |counter: &str| {
        let row = document.list("counted").iter().find(|row| row["counter"] == counter);
        row.unwrap_or_else(|| panic!("{counter} was not counted: {document}"))
    };
    let calls = counted("syscalls");
    assert!(calls["changed"] == true && calls["ratio"]["low"].as_f64().unwrap() > 3.0, "{calls}");
    assert_eq!(counted("files.opened")["changed"], false, "{document}");
    let mut weights = document.list("comparisons").iter().filter(|row| row["counter"] == "cpu");
    let row = weights.find(|row| row["group"].as_str().is_some_and(|group| group.ends_with("embers")));
    let row = row.unwrap_or_else(|| panic!("no CPU of the servers in {}", document.0));
    assert_eq!(row["verdict"], "heavier", "{row}");
    // The processes of this test's neighbours are judged apart from those that the requests go through.
    assert_eq!(row["on_path"], true, "{row}\n{document}");
    let groups = document.list("comparisons").iter().filter(|row| row["on_path"] == true);
    assert!(
        groups.clone().all(|row| row["group"].as_str().is_some_and(|group| group.ends_with("embers"))),
        "{document}"
    );
    let of_others =
        |row: &&serde_json::Value| row["group"].is_string() && row["group"] != "machine" && row["on_path"] != true;
    assert!(document.list("comparisons").iter().filter(of_others).all(|row| row["on_path"] == false), "{document}");
    assert!((row["difference"]["value"].as_f64().unwrap() / 21e6 - 1.0).abs() < 0.1, "{row}");
}
