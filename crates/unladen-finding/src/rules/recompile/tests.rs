use unladen_trace::{CompileSeen, Language, PhpSetAgain, ProcessSeen, Series};

use super::*;
use crate::finding::Whole;
use crate::rules::tests::testing::*;

fn compiles(group: usize, language: Language, files: usize) -> Evidence {
    let mut evidence = lean();
    evidence.compiles = (0..files)
        .map(|index| CompileSeen {
            group,
            language,
            path: format!("/srv/app/src/C{index}"),
            counted: counted(1, 50_000),
        })
        .collect();
    evidence
}

fn php_with(settings: &[(&str, &str)]) -> Evidence {
    Evidence { php: vec![php(settings)], ..compiles(PHP, Language::Php, 100) }
}

#[test]
fn php_without_its_opcode_cache() {
    let found = only(&RULE, &php_with(&[("opcache.enable", "0")]));
    assert_eq!(found.summary, "100 PHP files compiled per request");
    // 100 × 50 µs: a quarter of the latency, a third of the CPU.
    assert!(matches!(found.takes, Share::Known { of: Whole::Cpu, .. }), "{found:?}");
    assert!((part(&found).value - 1.0 / 3.0).abs() < 1e-9, "{found:?}");
    assert_eq!(found.fix.lines, ["opcache.enable=1"]);
    assert_eq!(found.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini"));
    assert_eq!(found.fix.commands, ["systemctl reload php8.2-fpm"]);
    assert!(found.check_again.contains("text = \"opcache.enable=1\\n\""), "{}", found.check_again);
    assert_eq!(found.items[0].name, "/srv/app/src");
}

/// A pool that says no comes after every file of settings: the line that was printed changed nothing.
#[test]
fn a_pool_that_switched_it_off_was_given_a_line_for_another_file() {
    let mut evidence = php_with(&[("opcache.enable", "0")]);
    evidence.php[0].set_again = vec![PhpSetAgain {
        name: "opcache.enable".into(),
        who: "www".into(),
        file: "/etc/php/8.2/fpm/pool.d/www.conf".into(),
        line: 41,
        text: "php_admin_flag[opcache.enable] = off".into(),
        in_files: Some("On".into()),
        ..PhpSetAgain::default()
    }];
    let found = only(&RULE, &evidence);
    assert_eq!((found.fix.lines.len(), &found.fix.file), (0, &None));
    assert_eq!(
        found.fix.advice,
        "switch PHP's opcode cache on; the pool www sets opcache.enable itself, in line 41 of \
         /etc/php/8.2/fpm/pool.d/www.conf, which overrides all settings files: the command below changes that line"
    );
    let change = r"sed -i '41s/^php_admin_flag\[opcache\.enable] = off[[:space:]]*$/php_admin_flag[opcache.enable] = on/' /etc/php/8.2/fpm/pool.d/www.conf";
    assert_eq!(found.fix.commands, [change, "systemctl reload php8.2-fpm"]);
    let (there, back) = found.fix.knob.unwrap().commands.unwrap();
    assert!(there.starts_with(change), "{there}");
    assert!(back.contains("= on[[:space:]]*$/php_admin_flag[opcache.enable] = off/"), "{back}");
    assert!(found.check_again.contains("off = "), "the way back is printed: {}", found.check_again);

    // The files say no, too.
    evidence.php[0].set_again[0].in_files = Some("0".into());
    let found = only(&RULE, &evidence);
    assert_eq!((found.fix.lines.len(), found.fix.commands.len()), (1, 2));
    let knob = found.fix.knob.unwrap();
    assert_eq!((knob.files.len(), knob.commands.is_some()), (1, true));

    // Which line it is, is not known: no experiment would switch it.
    evidence.php[0].set_again[0].file.clear();
    let found = only(&RULE, &evidence);
    assert!(found.fix.knob.is_none() && found.fix.is_partial, "{found:?}");
    let why = crate::unswitched::unswitched(&found.fix);
    assert!(why.starts_with("another setting, which no command changes, overrides it"), "{why}");
    assert!(found.fix.advice.contains("its line was not found"), "{}", found.fix.advice);
}

/// Settings that nobody was asked for may be set anywhere, which was not said.
#[test]
fn what_was_not_looked_into_is_told() {
    let mut evidence = php_with(&[("opcache.enable", "0")]);
    evidence.php[0].pool_unknown = Some("its pool's settings are not known: denied".into());
    evidence.files = vec![file(PHP, FileCall::Open, "/srv/app/.user.ini", FileOutcome::Found, 1)];
    let advice = only(&RULE, &evidence).fix.advice;
    assert_eq!(
        advice,
        "switch PHP's opcode cache on; its pool's settings are not known: denied; if the pool sets this, change it \
         there: a pool's settings override all settings files; /srv/app/.user.ini is read later: if it sets this, \
         change it there"
    );
    let mut evidence = compiles(PHP, Language::Php, 100);
    evidence.groups[PHP].exe = Some("/usr/sbin/apache2".into());
    let fix = only(&RULE, &evidence).fix;
    assert!(fix.advice.contains("php_admin_value, php_admin_flag, php_value and php_flag of Apache's own"), "{fix:?}");
}

#[test]
fn the_larger_share_is_told() {
    let mut evidence = php_with(&[]);
    evidence.page.cpu = Some(around(40e6, 0.1e6));
    let found = only(&RULE, &evidence);
    assert!(matches!(found.takes, Share::Known { of: Whole::Latency, .. }), "{found:?}");
    assert!((part(&found).value - 0.25).abs() < 1e-9, "{found:?}");
}

#[test]
fn an_opcode_cache_that_is_full_missing_or_off_for_the_command_line() {
    let on = [("opcache.enable", "1"), ("opcache.memory_consumption", "64M"), ("opcache.max_accelerated_files", "0")];
    let lines = |evidence: &Evidence| only(&RULE, evidence).fix.lines;
    assert_eq!(lines(&php_with(&on)), ["opcache.memory_consumption=128", "opcache.max_accelerated_files=20000"]);

    let mut evidence = php_with(&[]);
    evidence.php[0].extensions = vec!["Core".into()];
    assert_eq!(lines(&evidence), ["zend_extension=opcache", "opcache.enable=1"]);

    let mut evidence = php_with(&[("opcache.enable", "1"), ("opcache.enable_cli", "0")]);
    evidence.groups[PHP].exe = Some("/usr/bin/php8.2".into());
    let found = only(&RULE, &evidence);
    assert_eq!(found.fix.lines, ["opcache.enable=1", "opcache.enable_cli=1"]);
    assert!(found.fix.commands.is_empty(), "who runs php -S restarts it");

    evidence.groups[PHP].exe = Some("/usr/bin/php-cgi8.2".into());
    assert!(lines(&evidence).contains(&"opcache.file_cache_only=1".to_owned()));
}

#[test]
fn perl_and_python_under_cgi() {
    let mut evidence = compiles(PERL, Language::Perl, 312);
    evidence.processes = vec![ProcessSeen {
        group: NGINX,
        program: "/usr/lib/app.cgi".into(),
        started: each(1),
        ..ProcessSeen::default()
    }];
    let found = only(&RULE, &evidence);
    assert_eq!(found.summary, "312 Perl files compiled per request");
    assert!(found.fix.advice.contains("FastCGI"), "{found:?}");
    let mut evidence = compiles(PYTHON, Language::Python, 40);
    for seen in &mut evidence.compiles {
        seen.counted.time_ns = Series::default();
    }
    let found = only(&RULE, &evidence);
    assert_eq!(found.summary, "40 Python modules loaded per request");
    assert!(matches!(found.takes, Share::NotKnown(_)), "{found:?}");
}

#[test]
fn one_file_is_enough_and_none_is_nothing() {
    assert_eq!(only(&RULE, &compiles(PHP, Language::Php, 1)).summary, "1 PHP file compiled per request");
    silent(&RULE, &compiles(PHP, Language::Php, 0));
    silent(&RULE, &lean());
}

#[test]
fn now_and_then_is_not_every_request() {
    let mut evidence = compiles(PHP, Language::Php, 100);
    for seen in &mut evidence.compiles {
        seen.counted = counted_of(once_in(5), 50_000, once_in(5));
    }
    silent(&RULE, &evidence);
    for seen in &mut evidence.compiles {
        seen.counted = counted_of(once(1), 50_000, once(1));
    }
    silent(&RULE, &evidence);
}

#[test]
fn a_fresh_process_compiles_by_nature() {
    let fresh = |evidence| Evidence { state: State::Fresh, ..evidence };
    silent(&RULE, &fresh(compiles(PERL, Language::Perl, 300)));
    silent(&RULE, &fresh(compiles(PYTHON, Language::Python, 300)));
    silent(&RULE, &fresh(compiles(PHP, Language::Php, 300)));
    silent(&RULE, &fresh(php_with(&[("opcache.enable", "1")])));
    only(&RULE, &fresh(php_with(&[("opcache.enable", "0")])));
}

#[test]
fn without_a_look_into_the_compiler_openings_tell() {
    let opened = |files: usize| {
        let mut evidence = lean();
        evidence.sources.retain(|source| *source != EvidenceSource::Php);
        evidence.files = (0..files)
            .map(|index| file(PHP, FileCall::Open, &format!("/srv/app/src/C{index}.php"), FileOutcome::Found, 1))
            .collect();
        evidence
    };
    let found = only(&RULE, &opened(2));
    assert_eq!(found.summary, "2 PHP files opened per request, to be compiled");
    assert!(matches!(found.takes, Share::NotKnown(_)), "{found:?}");
    assert_eq!(found.fix.lines, ["opcache.enable=1"]);
    silent(&RULE, &opened(1));
    let mut looked = opened(2);
    looked.sources.push(EvidenceSource::Php);
    silent(&RULE, &looked);
}

/// With `PHP_INI_SCAN_DIR=:/srv/php.d`, the folder that PHP was built with is read first.
#[test]
fn a_colon_before_the_folder_of_settings_was_taken_for_a_part_of_its_name() {
    let mut evidence = php_with(&[("opcache.enable", "0")]);
    for (folders, file) in [
        (":/srv/php.d", "/srv/php.d/zz-unladen.ini"),
        ("/etc/a:/etc/b:", "/etc/b/zz-unladen.ini"),
        (":", "/etc/php/8.2/fpm/php.ini"),
    ] {
        evidence.php[0].ini_folder = folders.into();
        assert_eq!(only(&RULE, &evidence).fix.file.as_deref(), Some(file));
    }
}

/// Sympa's process stays: its fix was to keep the process. What it compiles in each request is templates.
#[test]
fn a_process_that_stays_was_told_to_stay() {
    let mut evidence = compiles(PERL, Language::Perl, 10);
    evidence.compiles.iter_mut().for_each(|seen| seen.path += ".tt2");
    let advice = |evidence: &Evidence| only(&RULE, evidence).fix.advice;
    assert!(advice(&evidence).contains("LOAD_TEMPLATES"));
    evidence.compiles.iter_mut().for_each(|seen| seen.path += ".pm");
    assert!(advice(&evidence).starts_with("load modules when the process starts"));
    evidence.processes =
        vec![ProcessSeen { group: NGINX, program: "/usr/bin/perl".into(), started: each(1), ..ProcessSeen::default() }];
    assert!(advice(&evidence).starts_with("keep the process"));
    evidence.processes.clear();
    evidence.sources.retain(|source| *source != EvidenceSource::Processes);
    assert!(advice(&evidence).starts_with("keep the process"));
    assert!(advice(&compiles(PYTHON, Language::Python, 3)).starts_with("move imports"));
}

/// A subject's `subject.ini` says `opcache.enable = 0`: with the fix in `99-unladen.ini` all was compiled as before.
#[test]
fn settings_were_read_before_those_that_they_were_to_replace() {
    let fix = only(&RULE, &php_with(&[("opcache.enable", "0")])).fix;
    let file = fix.file.as_deref().and_then(|file| file.rsplit('/').next()).unwrap();
    for other in ["20-opcache.ini", "99-local.ini", "custom.ini", "docker-php-ext-opcache.ini", "subject.ini"] {
        assert!(other < file, "{other}");
    }
}

/// Sympa's page is 57 ± 11 % faster with templates that are kept: 7.1 % were told, Perl's part of making them.
#[test]
fn the_parsing_of_templates_was_not_in_their_share() {
    let mut evidence = compiles(PERL, Language::Perl, 10);
    let plain = part(&only(&RULE, &evidence)).value;
    evidence.compiles.iter_mut().for_each(|seen| seen.path += ".tt2");
    let templates = part(&only(&RULE, &evidence));
    assert!((templates.low - plain).abs() < 1e-3 && (templates.value / plain - TEMPLATE_VALUE).abs() < 1e-6);
}

/// Templates that are kept leave the modules that are compiled.
#[test]
fn templates_that_are_kept_saved_the_compiling_of_modules() {
    let mut evidence = compiles(PERL, Language::Perl, 10);
    evidence.compiles.iter_mut().take(8).for_each(|seen| seen.path += ".tt2");
    let (what, calls, of, part) = partly(&only(&RULE, &evidence));
    assert_eq!((what, calls, of), ("compiles", 8.0, 10.0));
    assert!(is_about(part, 0.8), "{part}");
}
