use proptest::prelude::*;

use super::*;

fn error(line: &str) -> String {
    line.parse::<Header>().unwrap_err().to_string()
}

#[test]
fn keeps_colons_in_the_value() {
    let header: Header = "Referer:http://a.example:80/".parse().unwrap();
    assert_eq!(header.value(), "http://a.example:80/");
}

#[test]
fn an_empty_value_is_a_value() {
    assert_eq!("X-Empty:".parse::<Header>().unwrap().value(), "");
}

#[test]
fn says_what_is_wrong() {
    assert!(error("Host example").contains("no colon"));
    for typed in ["Authorization Bearer secret", "secret", "Authorization=secret", "Author ization: secret"] {
        assert!(!error(typed).contains("secret"), "{typed}");
    }
    assert!(error("Authorization Bearer secret").contains("`Authorization …`"));
    assert!(error("Ho st: example").contains("`Ho st`"));
    assert!(error(": example").contains("the name ``"));
    assert!(error("X: a\r\nY: b").contains("control character"));
    assert!(error("X: a\n").contains("control character"));
    assert!(error("connection: close").contains("keep-alive"));
    assert!(error("Content-Length: 3").contains("computed from the body"));
}

proptest! {
    #[test]
    fn never_panics(line in any::<String>()) {
        let _ = line.parse::<Header>();
    }

    #[test]
    fn reads_back_what_was_written(name in "X-[a-zA-Z0-9]{1,20}", value in "([!-~]([ -~]{0,40}[!-~])?)?", space in "[ \t]{0,3}") {
        let header: Header = format!("{name}:{space}{value}{space}").parse().unwrap();
        prop_assert_eq!(header.name().as_str(), name.to_lowercase());
        prop_assert_eq!(header.value().as_bytes(), value.as_bytes());
    }

    #[test]
    fn a_value_never_breaks_a_request_apart(value in any::<String>()) {
        if let Ok(header) = format!("X: {value}").parse::<Header>() {
            prop_assert!(!header.value().as_bytes().iter().any(|byte| matches!(byte, b'\r' | b'\n' | 0)));
        }
    }
}
