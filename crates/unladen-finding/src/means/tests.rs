use unladen_trace::{FileCall, FileOutcome};

use super::*;
use crate::look::look;
use crate::rules::rule_named;
use crate::rules::tests::testing::{PHP, file, lean, query};

/// "Keep it in a static variable" was the advice for a packaged core, which helps no operator.
#[test]
fn code_was_advised_to_whoever_runs_an_application_of_others() {
    let mut evidence = lean();
    evidence.queries =
        vec![unladen_trace::QuerySeen { fingerprint: "SELECT a FROM b WHERE c = ?".into(), ..query(5, 4) }];
    let found = |evidence: &Evidence| {
        look(evidence).into_iter().find(|found| found.rule == "same-query-again").expect("it is asked again")
    };
    let own = found(&evidence).fix;
    assert_eq!((own.audience, &own.developers), (Audience::Developer, &None));
    assert!(own.advice.starts_with("for the developers of the application: keep the result"), "{own:?}");
    evidence.files = vec![file(PHP, FileCall::Open, "/usr/share/wordpress/wp-settings.php", FileOutcome::Found, 1)];
    let fix = found(&evidence).fix;
    assert_eq!(fix.audience, Audience::Operator);
    assert!(fix.advice.starts_with("an object cache that outlives the request"), "{fix:?}");
    let developers = fix.developers.expect("what its makers can do");
    assert!(developers.starts_with("for the developers of WordPress, its theme and plugins: "), "{developers}");
}

/// A setting stands beside what an operator can do already, and once.
#[test]
fn a_setting_is_told_once() {
    let mut evidence = lean();
    evidence.files = vec![file(PHP, FileCall::Open, "/srv/app/vendor/laravel/framework/x.php", FileOutcome::Found, 1)];
    let group = evidence.groups[PHP].name.clone();
    let mut finding = look(&{
        let mut storm = evidence.clone();
        storm
            .files
            .extend((0..200).map(|n| file(PHP, FileCall::Stat, &format!("/srv/app/{n}.tpl"), FileOutcome::Missing, 1)));
        storm
    })
    .into_iter()
    .find(|found| found.rule == "stat-storm" && found.group == group)
    .expect("a storm");
    assert!(finding.fix.advice.starts_with("php artisan optimize"), "{:?}", finding.fix);
    let told = finding.fix.clone();
    place(&evidence, &mut finding);
    assert_eq!(finding.fix, told);
}

#[test]
fn each_is_for_rules_that_there_are() {
    for one in MEANS {
        assert!(!one.rules.is_empty() && !one.setting.is_empty());
        for rule in one.rules {
            assert!(rule_named(rule).is_some(), "{rule}, of {:?}", one.application);
        }
    }
}
