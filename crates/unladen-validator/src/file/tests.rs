//! Tests of [`File`].

use super::*;

fn file(path: &str) -> Result<File, SettingsError> {
    File::new(path, &PathPattern::parse("/{a}/{rest*}").unwrap())
}

fn path(template: &str, parameters: [&str; 2]) -> Option<String> {
    let question = Question { parameters: parameters.map(str::to_owned).to_vec() };
    file(template).unwrap().path(&question).map(|path| path.to_str().unwrap().to_owned())
}

#[test]
fn parameters_stay_in_their_place() {
    assert_eq!(path("/srv/{a}/x-{rest}.html", ["one", "b/c"]).unwrap(), "/srv/one/x-b/c.html");
    for bad in ["", ".", "..", "/etc/passwd", "a/../../etc", "a/", "a//b", "a\0"] {
        assert_eq!(path("/srv/{a}", [bad, "b"]), None, "{bad:?}");
        assert_eq!(path("/srv/{rest}", ["a", bad]), None, "{bad:?}");
    }
}

#[test]
fn wrong_templates_are_told() {
    for bad in ["", "/srv/{a", "/srv/a}", "/srv/{{a}}", "/a\0"] {
        assert!(matches!(file(bad), Err(SettingsError::File(_))), "{bad:?}");
    }
    assert!(matches!(file("/srv/{b}"), Err(SettingsError::Name { .. })));
    assert!(matches!(file("/srv/{}"), Err(SettingsError::Name { .. })));
}
