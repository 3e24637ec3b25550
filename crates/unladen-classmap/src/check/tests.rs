use proptest::prelude::*;

use super::*;

fn made() -> impl Strategy<Value = Made> {
    let name = || proptest::collection::vec(proptest::sample::select(b"ab?>\n\xff' \\\"".to_vec()), 1..6);
    let path =
        move || proptest::collection::vec(name(), 1..4).prop_map(|parts| lexical(Path::new("/"), &parts.join(&b'/')));
    let files = (proptest::option::of(path()), proptest::option::of(path()));
    let psr4 = proptest::collection::vec((name().prop_map(BString::from), path()), 0..3);
    (path(), files, any::<(bool, bool)>(), psr4).prop_map(|(root, (settings, answers), (all, dev), psr4)| {
        let extensions = if all { Extensions::All } else { Extensions::Enabled };
        Made {
            reader: "wordpress".into(),
            root,
            options: Options { extensions, settings, dev, psr4, anew: false, answers },
        }
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read(made in made(), target in made()) {
        let target = target.root.join("unladen-classmap.php");
        let line = made.line(&target);
        prop_assert_eq!(line.matches('\n').count(), 1);
        prop_assert!(!line.contains("?>"));
        let source = format!("<?php\n{line}rest");
        prop_assert_eq!(Made::read(source.as_bytes(), &target), Ok(Some(made)));
    }

    #[test]
    fn any_line_is_read_or_refused(line in ".{0,60}", bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        let target = Path::new("/srv/unladen-classmap.php");
        let _ = Made::read(format!("<?php\n{MARK}{line}").as_bytes(), target);
        let _ = Made::read(&[b"<?php\n// Made with: ", bytes.as_slice()].concat(), target);
    }
}

#[test]
fn maps_of_before_say_nothing_and_damaged_ones_say_so() {
    let target = Path::new("/srv/unladen-classmap.php");
    assert_eq!(Made::read(b"<?php\n// something\n", target), Ok(None));
    let damaged = Made::read(b"<?php\n// Made with: {\"reader\":1}\n", target).unwrap_err();
    assert!(damaged.to_string().starts_with("/srv/unladen-classmap.php:2: "), "{damaged}");
}
