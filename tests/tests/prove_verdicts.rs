//! `unladen prove` where the truth is known: what is different is called so, by how much, and what is equal is not.
//!
//! Servers that sleep tell of latencies, whatever else the machine does.
//!
//! Long: pages sleep, and are asked for hundreds of times.

use std::path::PathBuf;
use std::time::Duration;

use unladen_tests::{Call, Compared, Document, Lab, Reply, SHORT_LOAD, Server};

/// What a page takes that no knob changes.
const PAGE: Duration = Duration::from_millis(8);

/// A server whose page takes so long: [`PAGE`], and what a function makes of it.
fn sleeping(time: impl Fn(&str) -> Duration + Send + Sync + 'static) -> Server {
    Server::replying(move |asked| {
        std::thread::sleep(time(asked.request.line.split(' ').nth(1).unwrap_or_default()));
        Reply::good()
    })
}

/// A server that does what three files of a lab say: each that says "on" takes its part off the page.
fn by_files(lab: &Lab, parts: &'static [(&'static str, f64)]) -> Server {
    let folder: PathBuf = lab.folder().to_owned();
    sleeping(move |_| {
        let is_on = |name: &str| std::fs::read_to_string(folder.join(name)).is_ok_and(|text| text == "on");
        parts.iter().filter(|(name, _)| is_on(name)).fold(PAGE, |page, (_, factor)| page.mul_f64(*factor))
    })
}

fn file_knob(name: &str) -> String {
    format!("[[knob]]\nname = \"{name}\"\non = {{ file = \"{name}\", text = \"on\" }}\n")
}

/// Near the truth as a sleeping server and a busy machine allow: sleeps are longer by a little, and never shorter.
#[track_caller]
fn assert_near(compared: &Compared, truth: f64, document: &Document) {
    assert!((compared.ratio / truth - 1.0).abs() < 0.2, "{compared:?}, truth {truth}\n{document}");
    assert!(compared.low <= compared.ratio && compared.ratio <= compared.high, "{compared:?}");
}

#[test]
fn equal_urls_have_no_measurable_difference() {
    let server = sleeping(|_| PAGE);
    let lab = Lab::of(&format!(
        "url = \"{url}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"the same\"\non = {{ url = \"{url}\" }}\n",
        url = server.url("/")
    ));
    let document = lab.prove().args(["--no-weights", "--seed", "1"]).document();
    let compared = document.compared("the same", "latency.p50");
    // One in twenty may be called; but then it is next to nothing.
    let is_untold = ["no measurable difference", "unclear"].contains(&compared.verdict.as_str());
    assert!(is_untold || (compared.ratio - 1.0).abs() < 0.05, "{document}");
    assert!((0.8..1.25).contains(&compared.ratio), "{document}");
}

#[test]
fn a_faster_url_is_called_faster_by_options_alone() {
    let server = sleeping(|path| if path == "/fast" { PAGE / 2 } else { PAGE });
    let run = |requests| {
        let call = Call::prove(["--quiet", "--no-weights", "--rate", "40", "-n", requests]);
        call.args(["--a", &server.url("/slow"), "--b", &server.url("/fast")]).document()
    };
    // On a busy machine six blocks may be too few, which is then said; more of them are not.
    let is_told = |document: &Document| document.compared("candidate", "latency.p50").verdict != "unclear";
    let document = ["120", "480"].into_iter().map(run).find(is_told).unwrap_or_else(|| run("1200"));
    let compared = document.compared("candidate", "latency.p50");
    assert_eq!(compared.verdict, "faster", "{document}");
    assert_near(&compared, 0.5, &document);
    assert_eq!(document["rate"], 40.0);
}

#[test]
fn a_low_rate_is_kept_across_phases_of_one_request() {
    let server = sleeping(|_| PAGE);
    let call = Call::prove(["--quiet", "--no-weights", "--rate", "5", "--time", "2s"]);
    let document = call.args(["--a", &server.url("/"), "--b", &server.url("/b")]).document();
    let requests: u64 = document.list("arms").iter().map(|arm| arm["requests"].as_u64().unwrap()).sum();
    let rate = requests as f64 / (document.number("elapsed_ns") / 1e9);
    assert!(requests >= 36 && rate <= 5.5, "{requests} requests, {rate} a second\n{document}");
}

#[test]
fn an_ablation_has_every_change_alone_all_without_each_and_one_after_another() {
    let lab = Lab::new();
    let server = by_files(&lab, &[("one", 0.5), ("two", 0.8), ("three", 1.0)]);
    let knobs = ["one", "two", "three"].map(file_knob).concat();
    lab.write("experiment.toml", &format!("url = \"{}\"\n{SHORT_LOAD}\n{knobs}", server.url("/")));
    let document = lab.prove().args(["--no-weights"]).document();

    assert_eq!(document["design"], "ablate");
    let roles = |name: &str| -> Vec<String> {
        let arm = document.list("arms").iter().find(|arm| arm["name"] == name);
        let arm = arm.unwrap_or_else(|| panic!("no arm {name} in {:?}", document.arms()));
        arm["roles"].as_array().unwrap().iter().map(|role| role.as_str().unwrap().to_owned()).collect()
    };
    for (name, role) in [
        ("baseline", "baseline"),
        ("baseline again", "baseline again"),
        ("one", "alone"),
        ("one", "cumulative"),
        ("two", "alone"),
        ("three", "alone"),
        ("one + two", "cumulative"),
        ("one + two", "all but one"),
        ("one + three", "all but one"),
        ("two + three", "all but one"),
        ("all", "all"),
        ("all", "cumulative"),
    ] {
        assert!(roles(name).iter().any(|own| own == role), "{name} is {:?}, not {role}", roles(name));
    }
    assert_eq!(document.arms().len(), 9, "{:?}", document.arms());
    for (arm, truth) in [("one", 0.5), ("two", 0.8), ("one + two", 0.4), ("two + three", 0.8), ("all", 0.4)] {
        let compared = document.compared(arm, "latency.p50");
        assert_near(&compared, truth, &document);
        assert_eq!(compared.verdict, "faster", "{arm}\n{document}");
    }
    let three = document.compared("three", "latency.p50");
    assert_near(&three, 1.0, &document);
    let interaction = document
        .list("interactions")
        .iter()
        .find(|one| one["metric"] == "latency.p50" && one["kind"] == "all against alone")
        .unwrap_or_else(|| panic!("no interaction in {}", document["interactions"]));
    // They multiply: what all do is what each does alone.
    assert!((interaction["expected"]["value"].as_f64().unwrap() / 0.4 - 1.0).abs() < 0.2, "{interaction}");
    for name in ["one", "two", "three"] {
        assert!(!lab.path(name).exists(), "{name} was not there before");
    }
    assert!(!lab.has_journal());
}

#[test]
fn a_factorial_experiment_tells_of_a_pair_that_does_nothing_alone() {
    let lab = Lab::new();
    let folder = lab.folder().to_owned();
    // Each is of no use without the other.
    let server = sleeping(move |_| {
        let is_on = |name: &str| folder.join(name).exists();
        if is_on("one") && is_on("two") { PAGE / 2 } else { PAGE }
    });
    let knobs = ["one", "two"].map(file_knob).concat();
    lab.write(
        "experiment.toml",
        &format!("design = \"factorial\"\nurl = \"{}\"\n{SHORT_LOAD}\n{knobs}", server.url("/")),
    );
    let document = lab.prove().args(["--no-weights"]).document();
    assert_eq!(document["design"], "factorial");
    assert_eq!(document.arms().len(), 5, "{:?}", document.arms());
    assert_near(&document.compared("one", "latency.p50"), 1.0, &document);
    assert_near(&document.compared("all", "latency.p50"), 0.5, &document);
    let pair = document
        .list("interactions")
        .iter()
        .find(|one| one["metric"] == "latency.p50" && one["kind"] == "pair")
        .unwrap_or_else(|| panic!("no pair in {}", document["interactions"]));
    assert_eq!(pair["told"], true, "{pair}");
    let kinds: Vec<_> = document.list("interactions").iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "main effect").count(), 4, "two knobs, p50 and mean: {kinds:?}");
}

/// The next request after the cold command takes 40 ms, with the change 20; others take [`PAGE`].
fn cold_lab(status: &'static str) -> (Lab, Server) {
    let lab = Lab::new();
    let folder = lab.folder().to_owned();
    let server = Server::replying(move |asked| {
        let is_cold = std::fs::remove_file(folder.join("cold")).is_ok();
        let is_on = asked.request.line.contains("/on");
        std::thread::sleep(match (is_cold, is_on) {
            (true, false) => PAGE * 5,
            (true, true) => PAGE * 5 / 2,
            (false, _) => PAGE,
        });
        Reply::text(if is_cold && is_on { status } else { "200 OK" }, "ok\n")
    });
    lab.write(
        "experiment.toml",
        &format!(
            "url = \"{}\"\ncold = \"touch cold\"\n{SHORT_LOAD}\n[[knob]]\nname = \"patch\"\non = {{ url = \"{}\" }}\n",
            server.url("/off"),
            server.url("/on")
        ),
    );
    (lab, server)
}

#[test]
fn cold_requests_are_an_arm_of_their_own() {
    let (lab, _server) = cold_lab("200 OK");
    let document = lab.prove().args(["--no-weights"]).document();
    let cold = document.compared("patch", "cold.latency.mean");
    assert_near(&cold, 0.5, &document);
    assert_eq!(cold.verdict, "faster", "{document}");
    assert_near(&document.compared("patch", "latency.p50"), 1.0, &document);
    for arm in document.list("arms") {
        assert!(arm["cold_box_plot_ns"]["requests"].as_u64() >= Some(6), "{arm}");
        // No cold one among the warm ones.
        assert!(arm["box_plot_ns"]["p95"].as_f64() < Some(35e6), "{arm}");
    }
}

#[test]
fn cold_requests_that_fail_are_errors_of_their_arm() {
    let (lab, _server) = cold_lab("503 Service Unavailable");
    let document = lab.prove().args(["--no-weights"]).document_with_failures();
    let arm = document.list("arms").iter().find(|arm| arm["name"] == "patch").unwrap();
    assert!(arm["errors"].as_u64() >= Some(6), "{arm}");
    assert_eq!(arm["statuses"]["503"], arm["errors"], "{arm}");
    assert!(document.warns("statuses: "), "{document}");
    lab.prove().args(["--no-weights", "--fail-on", "errors > 99%"]).run().succeeded();
}

#[test]
fn a_condition_fails_the_run_only_where_it_is_certain() {
    let server = sleeping(|path| if path == "/slow" { PAGE * 2 } else { PAGE });
    let call = |conditions: &[&str]| {
        let call = Call::prove(["--quiet", "--no-weights", "--rate", "40", "-n", "120", "--json"]);
        let call = call.args(["--a", &server.url("/"), "--b", &server.url("/slow")]);
        call.args(conditions.iter().flat_map(|condition| ["--fail-on", condition]))
    };
    // 16 ms against 8: beyond 1 ms as a figure and as a change, and beyond 12 ms as a figure alone.
    let conditions = ["p50 > +20%", "p50 > +100s", "p50 < -20%", "p50 > 1ms", "p50 > 12ms", "p50 > +1h", "p50 > 100s"];
    let done = call(&conditions).run().ended_with(8);
    let document = done.document();
    let broken: Vec<_> = document.list("gates").iter().map(|gate| gate["broken"] == true).collect();
    assert_eq!(broken, [true, false, false, true, true, false, false], "{}", document["gates"]);
    done.says(["p50 > +20%", "`candidate`"]);
    call(&["p50 > +900%", "mean > +1h"]).run().succeeded();
    call(&["p50 > 20%"]).run().ended_with(2).says(["'+20%' or '-20%'"]).shows_nothing();
}

#[test]
fn a_condition_on_what_was_not_compared_is_no_pass() {
    let server = sleeping(|_| PAGE);
    let call = |more: &[&str]| {
        Call::prove(["--quiet", "--rate", "40", "-n", "60", "--fail-on", "weight.cpu nobody nothing > +5%"])
            .args(["--a", &server.url("/"), "--b", &server.url("/b")])
            .args(more)
    };
    // What cannot be there is an error before anything runs.
    call(&["--no-weights"]).run().ended_with(2).says(["--no-weights reads no counters"]).shows_nothing();
    call(&[]).run().ended_with(8).says(["could not be judged", "weight.cpu nobody nothing"]).shows(["p50"]);
}

#[test]
fn until_stops_when_it_is_known_well_enough() {
    let server = sleeping(|path| if path == "/slow" { PAGE * 2 } else { PAGE });
    let lab = Lab::of(&format!(
        "url = \"{}\"\n{}\n[[knob]]\nname = \"slow\"\non = {{ url = \"{}\" }}\n",
        server.url("/"),
        SHORT_LOAD.replace("\"1s\"", "\"60s\""),
        server.url("/slow")
    ));
    let document = lab.prove().args(["--no-weights", "--until", "20%"]).document();
    assert!(document.number("elapsed_ns") < 50e9, "{document}");
    assert_eq!(document["ended"], "complete");
    assert_eq!(document.compared("slow", "latency.p50").verdict, "slower", "{document}");
}

#[test]
fn until_gives_up_at_the_time_that_was_given() {
    let server = sleeping(|_| PAGE);
    let lab = Lab::of(&format!(
        "url = \"{url}\"\n{SHORT_LOAD}\n[[knob]]\nname = \"same\"\non = {{ url = \"{url}\" }}\n",
        url = server.url("/")
    ));
    let document = lab.prove().args(["--no-weights", "--until", "0.0001%", "--time", "8s"]).document();
    assert!(document.number("elapsed_ns") < 80e9, "{document}");
    assert!(document.warns("was not reached"), "{}", document["warnings"]);
}
