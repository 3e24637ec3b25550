use unladen_document::Finding;

use super::*;

/// `unladen runs import` had taken a run of another machine: `fix 1 --dry-run` ran the command of its `variables` as
/// root, and showed neither that one nor those beside the switch.
#[test]
fn a_dry_run_ran_a_command_of_a_run_from_elsewhere_and_others_were_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let ran = folder.path().join("ran");
    let text = format!(
        r#"variables = "touch {}"
url = "http://127.0.0.1/"
cold = "the-cold"
[load]
requests = 10
concurrency = 1
[[service]]
name = "s"
restart = "the-restart"
ready = {{ command = "the-service" }}
[[knob]]
name = "k"
on = ["the-way", {{ makes = "/no/such", by = "the-making", undo = "the-unmaking" }}]
off = ["the-way-back", {{ file = "/no/such.conf", text = "the-other-text" }}]
restart = "s"
ready = {{ command = "the-knob" }}
"#,
        ran.display()
    );
    let finding = Finding { check_again: format!("{}{text}", Finding::EXPERIMENT), ..Finding::default() };
    let remedy = Remedy { run: "1".into(), number: 1, finding, planned: None };
    let file = folder.path().join("fix.toml");
    let experiment = remedy.experiment(&file).unwrap();
    assert!(!ran.exists());
    assert_eq!(experiment.file.as_ref(), Some(&file), "its journal is beside it");
    let shown = changes(&experiment).join("\n");
    for each in ["cold", "restart", "service", "way", "making", "unmaking", "way-back", "other-text", "knob"] {
        assert!(shown.lines().any(|line| line.ends_with(&format!("the-{each}"))), "{each} is not in {shown}");
    }
}
