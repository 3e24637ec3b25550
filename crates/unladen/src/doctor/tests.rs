use std::path::Path;
use std::time::Duration;

use unladen_report::Style;

use super::row::Verb;
use super::*;

/// A small virtual machine, as a user without privileges sees it.
fn made_up() -> Vec<Checked> {
    let checked = |name, rows| Checked { name, rows };
    vec![
        checked(
            "privileges",
            vec![
                Row::limited(Verb::LOOKING, "user 1000, without CAP_BPF, CAP_PERFMON")
                    .so("as root, you would also get findings of traced requests, stacks of any process")
                    .fix("sudo unladen doctor"),
            ],
        ),
        checked("kernel", vec![Row::ok(Verb::ALL, "Linux 6.1.0-25-amd64")]),
        checked(
            "tracer",
            vec![Row::missing(
                Verb::TRACING,
                "the limit of locked memory is too low for tracing: raise it (ulimit -l unlimited)",
            )],
        ),
        checked(
            "php",
            vec![
                Row::limited(Verb::TRACING, "php-fpm8.2 (process 711): its opcode cache is off")
                    .so("each request compiles its source again, which dominates what is measured")
                    .advice("switch PHP's opcode cache on:")
                    .fix("echo opcache.enable=1 | sudo tee /etc/php/8.2/fpm/conf.d/zz-unladen.ini")
                    .fix("sudo kill -USR2 711"),
            ],
        ),
        checked("url", Vec::new()),
    ]
}

#[test]
fn it_reads_like_this() {
    insta::assert_snapshot!(text(&made_up(), Style::plain(100)));
}

#[test]
fn it_reads_like_this_on_a_narrow_terminal() {
    insta::assert_snapshot!(text(&made_up(), Style::plain(60)));
}

#[test]
fn the_document_says_the_same() {
    insta::assert_snapshot!(format!("{:#}", document(&made_up())));
}

#[test]
fn a_machine_without_faults_is_said_to_be_one() {
    let fine = [Checked { name: "kernel", rows: vec![Row::ok(Verb::ALL, "Linux 6.1")] }];
    assert!(text(&fine, Style::plain(80)).ends_with("\nEverything that was checked works."));
    assert_eq!((worst(&fine), worst(&made_up()), worst(&[])), (Verdict::Ok, Verdict::Missing, Verdict::Ok));
}

#[test]
fn what_a_name_holds_does_nothing_to_a_terminal() {
    let row = Row::limited(Verb::ALL, "\u{1b}[2Jphp\nok  fine").fix("chmod u+rw '/srv/\u{1b}[2J'");
    let shown = text(&[Checked { name: "php", rows: vec![row] }], Style::plain(80));
    assert!(!shown.contains('\u{1b}') && shown.lines().count() == 4, "{shown:?}");
}

#[test]
fn every_check_has_a_row_in_the_documentation() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/doctor.md");
    let page = std::fs::read_to_string(page).unwrap();
    let (_, table) = page.split_once("## Checks").unwrap();
    let rows: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(name, _)| name)).collect();
    let names: Vec<&str> = CHECKS.iter().map(|check| check.name).collect();
    assert_eq!(rows, names, "docs/reference/doctor.md has one row for each check, in their order");
}

fn quick(_: &Asked) -> Vec<Row> {
    vec![Row::ok(Verb::ALL, "it works")]
}

fn hanging(_: &Asked) -> Vec<Row> {
    std::thread::sleep(Duration::from_secs(3_600));
    Vec::new()
}

#[test]
fn one_that_hangs_is_told_and_holds_up_nobody() {
    static MADE_UP: [Check; 3] = [
        Check { limit: Duration::from_millis(20), ..Check::new("hanging", &[Verb::Load], hanging) },
        Check::new("quick", Verb::ALL, quick),
        Check { limit: Duration::from_secs(3_600), ..Check::new("patient", Verb::ALL, quick) },
    ];
    let found = run(&MADE_UP, Asked::of_this_machine(None));
    let verdicts: Vec<_> = found.iter().map(|checked| checked.rows[0].verdict).collect();
    assert_eq!(verdicts, [Verdict::Limited, Verdict::Ok, Verdict::Ok]);
    assert_eq!(found[0].rows[0].what, "no answer within 0.02 s");
}
