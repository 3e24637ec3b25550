use unladen_trace::{FileCall, FileOutcome, FileSeen, LockKind, LockSeen};

use super::super::opcache_revalidation;
use super::super::same_file_again;
use super::*;
use crate::rules::tests::testing::*;

/// So many checks of different files in a folder, of a group.
fn checks(group: usize, folder: &str, files: usize, end: &str, outcome: FileOutcome) -> Vec<FileSeen> {
    (0..files).map(|index| file(group, FileCall::Stat, &format!("{folder}/f{index}{end}"), outcome, 1)).collect()
}

fn with_files(files: Vec<FileSeen>) -> Evidence {
    Evidence { files, ..lean() }
}

#[test]
fn missing_classes_of_composers_packages() {
    let mut files = checks(PHP, "/srv/app/vendor/acme/lib", 300, ".php", FileOutcome::Missing);
    files.extend(checks(PHP, "/srv/app/vendor/other", 112, ".php", FileOutcome::Missing));
    files.extend(checks(PHP, "/srv/app/public", 692, ".html", FileOutcome::Found));
    let found = only(&RULE, &with_files(files));
    assert_eq!(found.summary, "1,104 file checks per request, 412 of them for files that do not exist");
    let items: Vec<_> = found.items.iter().map(|item| (item.name.as_str(), item.per_request.round())).collect();
    assert_eq!(
        items,
        [("/srv/app/public", 692.0), ("/srv/app/vendor/acme/lib", 300.0), ("/srv/app/vendor/other", 112.0)]
    );
    assert_eq!(found.fix.commands, ["unladen classmap /srv/app"]);
    assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
    assert_eq!(found.group, "www-data php-fpm8.2");
}

#[test]
fn the_share_is_the_kernels_part_and_the_work_around_it() {
    let found = only(&RULE, &with_files(checks(PHP, "/srv/app", 200, ".tpl", FileOutcome::Missing)));
    assert_eq!(found.summary, "200 file checks per request, 200 of them for files that do not exist");
    let Share::Known { time, part, .. } = &found.takes else { panic!("{found:?}") };
    assert_eq!(
        ((time.low / 1e3).round(), (time.value / 1e3).round(), (time.high / 1e3).round()),
        (220.0, 400.0, 640.0)
    );
    assert!((part.value - 0.02).abs() < 1e-9);
}

#[test]
fn what_tracing_adds_is_taken_off() {
    let mut evidence = with_files(checks(PHP, "/srv/app", 200, ".tpl", FileOutcome::Missing));
    evidence.overhead_ns = 400;
    let Share::Known { time, .. } = only(&RULE, &evidence).takes else { panic!() };
    assert!((time.low - 132e3).abs() < 1.0, "{time:?}");
}

#[test]
fn fewer_than_a_hundred_are_nothing() {
    let storm = |files| with_files(checks(PERL, "/srv/app", files, ".conf", FileOutcome::Found));
    assert_eq!(only(&RULE, &storm(100)).summary, "100 file checks per request");
    silent(&RULE, &storm(99));
    silent(&RULE, &lean());
}

#[test]
fn what_others_check_meanwhile_is_not_the_requests() {
    let mut evidence = with_files(checks(PHP, "/srv/app", 1, ".conf", FileOutcome::Found));
    evidence.files[0].counted = counted_of(with(50, 100_000), 1_000, with(50, 100_000));
    silent(&RULE, &evidence);
}

/// The table said 100 file checks, and the finding 120: it counted 20 openings by the same word.
#[test]
fn one_word_stood_for_two_sums() {
    let mut evidence = with_files(checks(PHP, "/srv/app", 120, ".tpl", FileOutcome::Missing));
    evidence.files.iter_mut().take(20).for_each(|file| file.call = FileCall::Open);
    let found = only(&RULE, &evidence);
    let said = "100 file checks and 20 openings of files that do not exist per request, 100 of the checks for files that do not exist";
    assert_eq!(found.summary, said);
    let checked = evidence.totals().into_iter().find(|total| total.counter == "files.checked").unwrap();
    let figure = found.figures.iter().find(|figure| figure.name == "checks").unwrap();
    assert_eq!(figure.value.value, checked.per_request.value, "the table's own figure");
    evidence.files.iter_mut().for_each(|file| file.call = FileCall::Open);
    assert_eq!(only(&RULE, &evidence).summary, "120 openings of files that do not exist per request");
}

#[test]
fn failed_openings_count_and_others_do_not() {
    let mut evidence = with_files(checks(PYTHON, "/usr/lib/python3", 150, ".py", FileOutcome::Missing));
    evidence.files.iter_mut().for_each(|file| file.call = FileCall::Open);
    let found = only(&RULE, &evidence);
    assert!(found.fix.advice.contains("sys.path"), "{found:?}");
    evidence.files.iter_mut().for_each(|file| file.outcome = FileOutcome::Found);
    silent(&RULE, &evidence);
}

#[test]
fn source_files_that_are_there_are_answered_by_the_opcode_cache() {
    let mut evidence = with_files(checks(PHP, "/srv/app/src", 200, ".php", FileOutcome::Found));
    // Requests come faster than it asks, so these are the application's checks.
    evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "2")])];
    let found = only(&RULE, &evidence);
    assert_eq!(found.fix.lines, ["opcache.enable_file_override=1"]);
    assert_eq!(found.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini"));
    assert!(found.check_again.contains("\n[[knob]]\n"), "{}", found.check_again);
    evidence.php[0].settings.insert("opcache.enable_file_override".into(), "1".into());
    assert!(only(&RULE, &evidence).fix.lines.is_empty());
}

#[test]
fn mediawiki_gets_a_class_map() {
    let files = checks(PHP, "/usr/share/mediawiki/vendor/wikimedia", 200, ".php", FileOutcome::Missing);
    let mut evidence = with_files(files);
    evidence.php = vec![php(&[("opcache.enable", "1"), ("auto_prepend_file", "no value")])];
    let found = only(&RULE, &evidence);
    // Not in the package's tree.
    let map = "/var/lib/unladen/usr/share/mediawiki/unladen-classmap.php";
    let make = format!("unladen classmap -o {map} /usr/share/mediawiki");
    assert_eq!(found.fix.lines, [format!("auto_prepend_file={map}")]);
    assert_eq!(found.fix.commands, [make.as_str(), "systemctl reload php8.2-fpm"]);
    assert!(found.check_again.contains("\n[[knob]]\n"), "{}", found.check_again);
    // Where its settings are elsewhere, extensions are known by them.
    evidence.files.push(file(PHP, FileCall::Open, "/srv/wiki/LocalSettings.php", FileOutcome::Found, 1));
    let commands = only(&RULE, &evidence).fix.commands;
    assert_eq!(
        commands[0],
        format!("unladen classmap --settings /srv/wiki/LocalSettings.php -o {map} /usr/share/mediawiki")
    );
}

/// PHP does not come up with a file to read first that `open_basedir` keeps from it.
#[test]
fn a_map_that_open_basedir_forbids_is_not_switched_on() {
    let files = checks(PHP, "/usr/share/mediawiki/vendor/wikimedia", 200, ".php", FileOutcome::Missing);
    let mut evidence = with_files(files);
    let at = |folders: &str| vec![php(&[("auto_prepend_file", ""), ("open_basedir", folders)])];
    for folders in ["/usr/share/mediawiki", "/var/lib/unlade", "/var/lib/mediawiki:/tmp"] {
        evidence.php = at(folders);
        let fix = only(&RULE, &evidence).fix;
        assert!(fix.lines.is_empty() && fix.advice.contains("open_basedir"), "{folders}: {fix:?}");
    }
    evidence.php = at("/usr/share/mediawiki/:/var/lib/unladen/");
    assert_eq!(only(&RULE, &evidence).fix.lines.len(), 1);
}

#[test]
fn a_file_that_is_read_first_already_is_not_replaced() {
    let files = checks(PHP, "/usr/share/mediawiki/includes", 200, ".php", FileOutcome::Missing);
    let mut evidence = with_files(files);
    evidence.php = vec![php(&[("opcache.enable", "1"), ("auto_prepend_file", "/srv/profiler.php")])];
    let fix = only(&RULE, &evidence).fix;
    assert_eq!(
        (fix.lines.len(), fix.commands),
        (
            0,
            vec![
                "unladen classmap -o /var/lib/unladen/usr/share/mediawiki/unladen-classmap.php /usr/share/mediawiki"
                    .to_owned()
            ]
        )
    );
    assert!(fix.advice.contains("LocalSettings.php"), "{}", fix.advice);
}

#[test]
fn beside_a_class_map_the_opcode_cache_is_left() {
    let files = checks(PHP, "/usr/share/mediawiki/includes", 200, ".php", FileOutcome::Found);
    let mut evidence = with_files(files);
    let map = ("auto_prepend_file", "/usr/share/mediawiki/unladen-classmap.php");
    evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "2"), map])];
    assert_eq!(only(&RULE, &evidence).fix.lines, ["opcache.enable_file_override=1"]);
    let on = ("opcache.enable_file_override", "1");
    evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "2"), map, on])];
    assert_eq!(
        only(&RULE, &evidence).fix.commands,
        ["unladen classmap --check -o /usr/share/mediawiki/unladen-classmap.php"]
    );
}

#[test]
fn folders_of_paths_are_the_cache_of_paths() {
    let mut files = checks(PHP, "/srv/app/src", 40, ".tpl", FileOutcome::Found);
    for folder in ["/srv", "/srv/app", "/srv/app/src"] {
        files.push(file(PHP, FileCall::Stat, folder, FileOutcome::Found, 25));
    }
    let mut evidence = with_files(files);
    let found = only(&RULE, &evidence);
    assert_eq!(found.fix.lines, ["realpath_cache_size=4096K", "realpath_cache_ttl=600"]);
    evidence.php = vec![php(&[("open_basedir", "/srv")])];
    let fix = only(&RULE, &evidence).fix;
    assert!(fix.advice.contains("open_basedir") && fix.lines.is_empty(), "{fix:?}");
}

#[test]
fn other_stacks_have_other_fixes() {
    let fix = |group, end, outcome| only(&RULE, &with_files(checks(group, "/srv/app", 200, end, outcome))).fix;
    assert!(fix(PERL, ".pm", FileOutcome::Missing).advice.contains("@INC"));
    assert!(!fix(PERL, ".conf", FileOutcome::Found).advice.contains("@INC"));
    assert!(fix(NGINX, ".html", FileOutcome::Missing).lines.contains(&"open_file_cache_errors on;".to_owned()));
    assert!(fix(PHP, ".tpl", FileOutcome::Missing).advice.contains("class map"));
}

#[test]
fn no_check_is_told_twice() {
    let mut evidence = with_files(checks(PHP, "/srv/app/src", 300, ".php", FileOutcome::Found));
    evidence.files.push(file(PHP, FileCall::Stat, "/srv/app/state", FileOutcome::Found, 101));
    evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "0")])];
    assert_eq!(opcache_revalidation::RULE.check(&evidence).len(), 1);
    assert_eq!(same_file_again::RULE.check(&evidence).len(), 1);
    silent(&RULE, &evidence);
    // A second check of each source file is the application's.
    for file in &mut evidence.files[..300] {
        file.counted = counted(2, 1_000);
    }
    assert_eq!(only(&RULE, &evidence).summary, "301 file checks per request");
}

/// PHP's link() resolves the path each time, and unlink() empties the cache that would know it: `lock-churn` tells of
/// that.
#[test]
fn the_checks_on_the_way_to_lock_files_were_a_storm_of_their_own() {
    let mut evidence = lean();
    evidence.locks = vec![LockSeen {
        group: PHP,
        kind: LockKind::File,
        path: "/srv/app/work/lock".into(),
        counted: counted(40, 1_000),
    }];
    evidence.files = vec![
        file(PHP, FileCall::Link, "/srv/app/work/lock.7", FileOutcome::Found, 40),
        file(PHP, FileCall::Stat, "/srv/app/work/lock", FileOutcome::Missing, 40),
        file(PHP, FileCall::Stat, "/srv/app/work/lock.7", FileOutcome::Found, 40),
    ];
    for folder in ["/srv", "/srv/app", "/srv/app/work"] {
        evidence.files.push(file(PHP, FileCall::Stat, folder, FileOutcome::Found, 40));
    }
    silent(&RULE, &evidence);
    evidence.locks.clear();
    only(&RULE, &evidence);
}

#[test]
fn a_cache_of_paths_that_is_large_was_told_to_be_made_as_large() {
    let mut evidence = lean();
    evidence.files = vec![
        file(PHP, FileCall::Stat, "/srv", FileOutcome::Found, 29),
        file(PHP, FileCall::Stat, "/srv/app", FileOutcome::Found, 29),
        file(PHP, FileCall::Stat, "/srv/app/cache", FileOutcome::Found, 29),
    ];
    evidence
        .files
        .extend((0..30).map(|n| file(PHP, FileCall::Stat, &format!("/srv/app/cache/{n}"), FileOutcome::Found, 1)));
    let advice = |evidence: &Evidence| only(&RULE, evidence).fix;
    evidence.php = vec![php(&[("realpath_cache_size", "16K"), ("realpath_cache_ttl", "120")])];
    assert!(advice(&evidence).lines.contains(&"realpath_cache_size=4096K".to_owned()));
    evidence.php = vec![php(&[("realpath_cache_size", "4096K"), ("realpath_cache_ttl", "120")])];
    let fix = advice(&evidence);
    assert!(fix.lines.is_empty() && fix.advice.contains("scandir"), "{fix:?}");
    evidence.files.push(file(PHP, FileCall::Unlink, "/srv/app/cache/1", FileOutcome::Found, 1));
    assert!(advice(&evidence).advice.starts_with("PHP empties its realpath cache"));
}

#[test]
fn a_list_of_folders_of_settings_was_taken_for_one() {
    let mut evidence = lean();
    evidence.files = vec![file(PHP, FileCall::Stat, "/srv", FileOutcome::Found, 20)];
    evidence.files.extend((0..100).map(|n| file(PHP, FileCall::Stat, &format!("/srv/{n}.php"), FileOutcome::Found, 1)));
    let mut settings = php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "60")]);
    for (folders, file) in [
        (":/srv/php.d", "/srv/php.d/zz-unladen.ini"),
        ("/etc/php/8.2/fpm/conf.d:/srv/php.d", "/srv/php.d/zz-unladen.ini"),
        ("/srv/php.d:", "/srv/php.d/zz-unladen.ini"),
    ] {
        settings.ini_folder = folders.into();
        evidence.php = vec![settings.clone()];
        assert_eq!(only(&RULE, &evidence).fix.file.as_deref(), Some(file), "{folders}");
    }
}

/// Every other second PHP asks of all sources that a request loads whether they have changed: at MediaWiki that made
/// 821 checks a request 859 ± 54.
#[test]
fn what_php_asks_every_other_second_widened_the_count() {
    let mut evidence = with_files(checks(PHP, "/srv/app/src", 200, ".php", FileOutcome::Found));
    evidence.files.extend(checks(PHP, "/srv/app/lib", 900, ".php", FileOutcome::Found));
    let mut renewed = Series::default();
    (0..24).step_by(3).filter(|phase| each(1).in_phase(*phase) > 0).for_each(|phase| renewed.add(phase, 1));
    for file in &mut evidence.files[..200] {
        file.counted = counted_of(Series::sum([&each(1), &renewed]), 1_000, each(1));
    }
    for file in &mut evidence.files[200..] {
        file.counted = counted_of(renewed.clone(), 1_000, renewed.clone());
    }
    evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "2")])];
    assert_eq!(only(&RULE, &evidence).summary, "200 file checks per request");
    // PHP that asks of nothing has nothing to be taken off.
    evidence.php[0].settings.insert("opcache.validate_timestamps".into(), "0".into());
    assert_ne!(only(&RULE, &evidence).summary, "200 file checks per request");
}

/// The opcode cache answers for files that it holds, as the rule's own page says: what is missing is asked for all the
/// same.
#[test]
fn missed_files_were_told_what_helps_with_files_that_are_there() {
    let mut files = checks(PHP, "/srv/app/src", 60, ".php", FileOutcome::Found);
    files.extend(checks(PHP, "/srv/app/other", 140, ".php", FileOutcome::Missing));
    let mut evidence = with_files(files);
    evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "2")])];
    let fix = only(&RULE, &evidence).fix;
    assert!(fix.lines.is_empty() && fix.advice.contains("avoid searching"), "{fix:?}");
}

/// SQLite looks for them whenever it locks its database.
#[test]
fn sqlites_journals_were_a_storm() {
    for end in ["-journal", "-wal", "-shm"] {
        silent(
            &RULE,
            &with_files(vec![file(PHP, FileCall::Stat, &format!("/srv/db.sqlite{end}"), FileOutcome::Missing, 300)]),
        );
    }
}

/// 122 of 207 checks were of files that no request includes: the fix removed 50 of 249 calls, and three proofs saw no
/// difference.
#[test]
fn a_fix_that_removes_few_of_the_checks_was_the_fix() {
    let mut renewed = Series::default();
    renewed.add(0, 1);
    let page = |held: usize, others: usize| {
        let mut files = checks(PHP, "/srv/app/src", held, ".php", FileOutcome::Found);
        for file in &mut files {
            // What PHP holds it asks of every other second, besides.
            file.counted = counted_of(Series::sum([&each(1), &renewed]), 1_000, each(1));
        }
        files.extend(checks(PHP, "/srv/app/templates_c", others, ".php", FileOutcome::Found));
        let mut evidence = with_files(files);
        evidence.php = vec![php(&[("opcache.enable", "1"), ("opcache.revalidate_freq", "2")])];
        evidence
    };
    let found = only(&RULE, &page(85, 122));
    assert_eq!(found.fix.lines, ["opcache.enable_file_override=1"]);
    let removes = found.removes.clone().expect("not all");
    assert_eq!(removes.told(), "about 85 of 207 checks");
    let (Saves::AtMost { time, .. }, Share::Known { time: takes, .. }) = (&found.saves, &found.takes) else { panic!() };
    assert!((time / takes.high - 85.0 / 207.0).abs() < 1e-3, "{found:?}");
    let few = only(&RULE, &page(40, 167));
    assert!(few.fix.lines.is_empty(), "{:?}", few.fix);
}

/// A folder's name went into PHP's settings as it is: one with an end of line switched on an extension of its owner's,
/// and one with a quote ran as PHP.
#[test]
fn what_a_folder_is_called_became_settings_of_php() {
    let fix_of = |root: &str| {
        let files = checks(PHP, &format!("{root}/includes"), 200, ".php", FileOutcome::Missing);
        let mut evidence = with_files(files);
        evidence.files.push(file(PHP, FileCall::Open, "/srv/wiki/LocalSettings.php", FileOutcome::Found, 1));
        evidence.php = vec![php(&[("opcache.enable", "1"), ("auto_prepend_file", "no value")])];
        only(&RULE, &evidence).fix
    };
    assert_eq!(fix_of("/srv/a;b $c").lines, ["auto_prepend_file='/srv/a;b $c/unladen-classmap.php'"]);
    for root in ["/srv/a\nextension=/home/b/x.so\n;", "/srv/a' . system('id') . '"] {
        let fix = fix_of(root);
        assert!(fix.lines.is_empty(), "{fix:?}");
        assert!(!fix.advice.contains("a' ."), "{fix:?}");
    }
}
