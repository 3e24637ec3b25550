//! `unladen weigh --experiments`: what was found becomes a file that `unladen prove` runs as it is.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use unladen_tests::advice::Ground;
use unladen_tests::{Call, Subject};

/// The files of a folder whose names hold a text.
fn files(folder: &Path, text: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.filter(|path| path.file_name().unwrap().to_str().unwrap().contains(text)).collect()
}

/// Compression changes no time that could be told, and so no experiment told of it. Bytes do.
#[test]
fn compression_is_found_and_proven_by_the_bytes_of_its_answers() {
    let ground = Ground::of(|| Subject::up("pledges"));
    let subject = ground.subject();
    subject.run(["fault", "uncompressed", "on"]);
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path().join("experiments");
    let header = "X-Quoted: it's \"one\" \\ of two";
    let weigh = |more: &[&str]| {
        let call = Call::weigh(["--requests", "24", "-H", header, "-b", "visitor=jorvik 9", "--experiments"]);
        call.args([&folder]).args(more).env("PATH", ground.programs())
    };
    let done = weigh(&["--details", subject.url()]).run().succeeded().shows(["uncompressed", "check again"]);
    assert!(!done.stdout.contains("jorvik"), "a cookie is shown: {done}");

    let found = files(&folder, "-uncompressed.toml");
    let [file] = found.as_slice() else { panic!("{found:?}: {done}") };
    assert!(done.stderr.contains(&format!("{}: switches `compressed`; unladen prove ", file.display())), "{done}");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "it holds a cookie");
    for file in files(&folder, ".toml") {
        Call::prove(["--check"]).args([&file]).run().succeeded();
    }
    // An earlier run's are not written over, and that is told before anything is measured.
    weigh(&["http://127.0.0.1:9/"]).run().ended_with(2).says(["of an earlier run", "another folder"]);

    // The subject's own nginx reads another folder; and a short run.
    let own = Path::new(subject.get("STATE")).join("conf.d");
    let text = std::fs::read_to_string(file).unwrap();
    assert!(
        text.contains(
            r#"headers = ["x-quoted: it's \"one\" \\ of two", "cookie: visitor=jorvik 9", "Accept-Encoding: gzip"]"#
        ),
        "{text}"
    );
    let text = text.replace("/etc/nginx/conf.d", own.to_str().unwrap());
    std::fs::write(file, text.replace("[load]\n", "[load]\nwarmup = \"50ms\"\n")).unwrap();
    let prove = Call::prove(["--json", "--quiet", "--no-weights", "-n", "24", "--fail-on", "bytes.body > +5%"]);
    let document = prove.args([file]).env("PATH", ground.programs()).run().succeeded().document();
    let bytes = document.compared("compressed", "bytes.body");
    assert_eq!(bytes.verdict, "lighter", "{document}");
    let row = document.list("comparisons").iter().find(|row| row["metric"] == "bytes.body").unwrap();
    assert_eq!(row["unit"], "B");
    assert!(row["candidate"].as_f64().unwrap() < row["baseline"].as_f64().unwrap() / 2.0, "{row}");
    assert_eq!(files(&own, "unladen-gzip"), Vec::<PathBuf>::new(), "what was switched is put back");
}

#[test]
fn what_no_experiment_can_send_is_told_before_it_is_weighed() {
    let lab = tempfile::tempdir().unwrap();
    let folder = lab.path().join("experiments");
    let weigh = |more: &[&str]| Call::weigh(["--experiments"]).args([&folder]).args(more).run();
    weigh(&["--connect-to", "127.0.0.1:9", "http://a.test/"]).ended_with(2).says(["--connect-to"]).shows_nothing();
    weigh(&["--no-findings", "http://a.test/"]).ended_with(2).says(["--no-findings"]);
    weigh(&["--replay", "seen.json"]).ended_with(2).says(["--replay"]);
    std::fs::write(lab.path().join("file"), "").unwrap();
    let file = Call::weigh(["--experiments"]).args([lab.path().join("file")]).args(["http://a.test/"]);
    file.run().says(["file"]).shows_nothing();
}
