use unladen_trace::Response;

use super::*;
use crate::rules::tests::testing::*;

fn loaded(extensions: &[&str], settings: &[(&str, &str)]) -> Evidence {
    let mut php = php(settings);
    php.extensions.extend(extensions.iter().map(|name| (*name).to_owned()));
    Evidence { php: vec![php], ..lean() }
}

#[test]
fn xdebug_assertions_and_errors_on_the_page() {
    let found = only(
        &RULE,
        &loaded(&["xdebug"], &[("xdebug.mode", "debug"), ("zend.assertions", "1"), ("display_errors", "stdout")]),
    );
    assert_eq!(
        found.summary,
        "Xdebug is loaded, in the mode debug; assertions are checked (zend.assertions=1); errors are shown to visitors (display_errors)"
    );
    assert_eq!(found.fix.lines, ["xdebug.mode=off", "zend.assertions=-1", "display_errors=0"]);
    assert_eq!(found.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini"));
    assert!(found.fix.advice.contains("phpdismod xdebug"), "{found:?}");
    assert!(found.check_again.contains("text = '''\nxdebug.mode=off\nzend.assertions=-1\ndisplay_errors=0\n'''"));
    assert!(matches!(found.takes, Share::NotKnown(_)));
}

#[test]
fn what_is_loaded_and_off_or_harmless() {
    let off = [("xdebug.mode", "off"), ("pcov.enabled", "0"), ("zend.assertions", "-1"), ("display_errors", "Off")];
    silent(&RULE, &loaded(&["xdebug", "pcov", "excimer"], &off));
    silent(&RULE, &loaded(&[], &[("zend.assertions", "0")]));
    silent(&RULE, &lean());
}

#[test]
fn profilers() {
    let found = only(&RULE, &loaded(&["SPX", "pcov"], &[]));
    assert_eq!(found.summary, "SPX is loaded; PCOV (test coverage) is loaded");
    assert!(found.fix.lines.is_empty());
    assert_eq!(found.check_again, "unladen weigh http://127.0.0.1/page");
}

#[test]
fn a_debug_bar_is_told_once() {
    let mut evidence = loaded(&[], &[]);
    evidence.php.push(php(&[]));
    let header = |name: &str| Some(Response { headers: vec![(name.into(), "4f2a".into())], ..Response::default() });
    evidence.response = header("x-debug-token");
    assert_eq!(only(&RULE, &evidence).summary, "Symfony's profiler answers with x-debug-token");
    evidence.response = header("x-powered-by");
    silent(&RULE, &evidence);
}
