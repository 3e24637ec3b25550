use proptest::prelude::*;

use super::*;
use crate::tests::testing::value;

fn picked(header: &str, offered: &str) -> Option<String> {
    let offered: Vec<String> = offered.split(' ').map(str::to_owned).collect();
    pick(header.as_bytes(), &offered).map(str::to_owned)
}

// RFC 4647, section 3.4; RFC 9110, section 12.5.4
#[test]
fn the_best_of_what_is_offered() {
    let table = [
        ("de", "en de", Some("de")),
        ("DE", "en de", Some("de")),
        ("de-CH", "en de", Some("de")),
        ("de", "en de-AT", Some("de-AT")),
        ("den", "en de", None),
        ("fr;q=0.5, de;q=1.0", "fr de", Some("de")),
        ("en, de", "de en", Some("de")),
        ("de, en", "en de", Some("en")),
        ("en-GB, de;q=0.9, en;q=0.8", "de en", Some("en")),
        ("fr, *;q=0.5", "en de", Some("en")),
        ("en;q=0, *", "en de", Some("de")),
        ("de, de-AT;q=0", "de-AT en", None),
        ("*;q=0", "en de", None),
        ("", "en de", None),
        ("zh-Hant-TW", "zh zh-Hant", Some("zh")),
    ];
    for (header, offered, expected) in table {
        assert_eq!(picked(header, offered).as_deref(), expected, "{header} of {offered}");
    }
}

proptest! {
    #[test]
    fn any_bytes_pick_what_is_offered_or_none(header in value()) {
        let offered = ["en".to_owned(), "de-CH".to_owned(), String::new()];
        if let Some(tag) = pick(&header, &offered) {
            prop_assert!(offered.iter().any(|offered| offered == tag));
        }
    }
}
