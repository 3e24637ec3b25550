use std::fmt::Write;

use unladen_http1::Fields;

use super::*;

#[test]
fn names_are_found_as_cgi_would_write_them() {
    for owned in OWNED {
        let name = owned.name.replace('*', "any");
        for spelt in [name.clone(), name.to_uppercase(), name.replace('-', "_"), name.replace('-', ".")] {
            let found = Owned::find(spelt.as_bytes()).unwrap_or_else(|| panic!("{spelt}"));
            assert_eq!(found.name, owned.name, "{spelt}");
        }
        assert!(
            owned.name.len() < LONGEST
                && owned.name.bytes().all(|byte| byte.is_ascii_lowercase() || b"-*46".contains(&byte))
        );
    }
    for name in [
        "",
        "x",
        "x-real-i",
        "x-real-ipp",
        "cookie",
        "cache-control",
        "accept-language",
        "x-requested-with",
        "x-unladen",
    ] {
        assert!(Owned::find(name.as_bytes()).is_none(), "{name}");
    }
    assert!(Owned::find(format!("x-forwarded-{}", "x".repeat(200)).as_bytes()).is_some());
    assert!(is_said_by_us(b"X-Unladen-Reason") && is_said_by_us(b"x_unladen_x") && !is_said_by_us(b"X-Unladen"));
}

#[test]
fn trailers_lose_what_heads_lose() {
    let mut fields = Fields::default();
    for name in ["digest", "grpc-status", "x_y", "x-real-ip", "x_unladen_reason", "x-http-method", "via"] {
        fields.push(name.as_bytes(), b"1");
    }
    let kept = |underscores| {
        let names = fields.iter().filter(|field| may_trail(field, underscores)).map(|field| field.name.to_vec());
        names.map(|name| String::from_utf8(name).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(kept(false), ["digest", "grpc-status", "via"]);
    assert_eq!(kept(true), ["digest", "grpc-status", "x_y", "via"]);
}

#[test]
fn all_of_them_are_documented() {
    let mut rows: Vec<(Vec<&str>, &str, Fate)> = Vec::new();
    for owned in OWNED {
        match rows.iter_mut().find(|(_, about, fate)| *about == owned.about && *fate == owned.fate) {
            Some((names, ..)) => names.push(owned.name),
            None => rows.push((vec![owned.name], owned.about, owned.fate)),
        }
    }
    let mut expected = String::new();
    for (names, about, fate) in rows {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let becomes = match fate {
            Fate::Dropped => "it is dropped",
            Fate::Written => "it is dropped, and said anew",
            Fate::Alone => "it goes on, past the cache",
            Fate::Front => "from a trusted proxy it is dropped; else it goes on, past the cache",
        };
        let _ = writeln!(expected, "| {} | {about} | {becomes} |", names.join(", "));
    }
    let page = include_str!("../../../../docs/reference/serve.md");
    let (_, rest) = page.split_once("<!-- of the owned -->\n\n").unwrap();
    let (written, _) = rest.split_once("<!-- so far the owned -->").unwrap();
    let written = written.split_once("|---|---|---|\n").unwrap().1;
    assert_eq!(written.trim_end(), expected.trim_end(), "docs/reference/serve.md should have:\n{expected}");
}
