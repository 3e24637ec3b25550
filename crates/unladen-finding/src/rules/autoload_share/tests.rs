use super::RULE;
use crate::rules::tests::testing::{around, function, profile};

#[test]
fn the_autoloader_of_mediawiki_before_its_map() {
    let mut evidence = profile(vec![function("AutoLoader::find", 0.088, 0.09), function("main", 0.0, 1.0)]);
    evidence.profile.as_mut().unwrap().lookups = Some(around(0.091, 0.005));
    let found = RULE.check(&evidence);
    assert_eq!(found[0].summary, "searching for class files takes 9.1 ± 0.5 % of a request, 8.8 % in AutoLoader::find");
    assert!(found[0].fix.commands[0].starts_with("unladen classmap"));
}

#[test]
fn with_a_map_it_is_silent() {
    let mut evidence = profile(Vec::new());
    for lookups in [None, Some(around(0.036, 0.008))] {
        evidence.profile.as_mut().unwrap().lookups = lookups;
        assert_eq!(RULE.check(&evidence), []);
    }
}
