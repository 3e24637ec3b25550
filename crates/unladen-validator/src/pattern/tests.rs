//! Tests of [`PathPattern`].

use proptest::prelude::*;

use super::*;

fn reads(pattern: &str, target: &str) -> Option<Vec<String>> {
    PathPattern::parse(pattern).unwrap().read(target.as_bytes())
}

fn says(pattern: &str, target: &str, parameters: &[&str]) {
    assert_eq!(
        reads(pattern, target).as_deref(),
        Some(&*parameters.iter().map(ToString::to_string).collect::<Vec<_>>()),
        "{pattern} {target}"
    );
}

#[test]
fn paths_say_what_the_pattern_names() {
    says("/", "/", &[]);
    says("/", "/?ref=x", &[]);
    says("/{ref}", "/picnic", &["picnic"]);
    says("/{ref}", "/picnic?ref=/other", &["picnic"]);
    says("/{ref}/", "/picnic/", &["picnic"]);
    says("/list/{name}/archive/{page*}", "/list/dogs/archive/2/3", &["dogs", "2/3"]);
    says("/{a}/{b}", "/%C3%BC/%25%32%35", &["ü", "%25"]);
    says("/caf%C3%A9/{a}", "/caf%C3%A9/+", &["+"]);
    says("/{all*}", "/a/b%20c", &["a/b c"]);
    says("/{a}", "/...", &["..."]);
}

#[test]
fn all_that_is_left_may_be_nothing_or_end_with_a_slash() {
    says("/{page*}", "/", &[""]);
    says("/{page*}", "/?p=1", &[""]);
    says("/{page*}", "/a/", &["a/"]);
    says("/{page*}", "/2024/05/hello%20world/", &["2024/05/hello world/"]);
    says("/x/{page*}", "/x/", &[""]);
    says("/{a}/{page*}", "/x/", &["x", ""]);
    says("/{page*}/", "/", &[""]);
    says("/{page*}/", "/a/", &["a"]);
    says("/{page*}/", "/a/b/", &["a/b"]);
    says("/x/{page*}/", "/x/", &[""]);
    says("/x/{page*}/", "/x/a/", &["a"]);
}

#[test]
fn other_paths_are_not_meant() {
    for (pattern, target) in [
        ("/{ref}", "/"),
        ("/{ref}", ""),
        ("/{ref}", "picnic"),
        ("/{ref}", "*"),
        ("/{ref}", "http://host/picnic"),
        ("/{ref}", "/picnic/"),
        ("/{ref}", "//picnic"),
        ("/{ref}/", "/picnic"),
        ("/{ref}/", "/picnic//"),
        ("/{ref}", "/a/b"),
        ("/{ref}", "/a%2Fb"),
        ("/{ref}", "/a%2fb"),
        ("/{ref}", "/a%00"),
        ("/{ref}", "/a%"),
        ("/{ref}", "/a%4"),
        ("/{ref}", "/a%4g"),
        ("/{ref}", "/a%+4"),
        ("/{ref}", "/%ff"),
        ("/{ref}", "/%C3"),
        ("/{ref}", "/%C0%AF"),
        ("/{ref}", "/%ED%A0%80"),
        ("/{ref}", "/."),
        ("/{ref}", "/.."),
        ("/{ref}", "/%2e%2E"),
        ("/{ref}", "/.%2e"),
        ("/{ref}", "/a#b"),
        ("/about/{x}", "/%61bout/x"),
        ("/about/{x}", "/About/x"),
        ("/about/{x}", "/about/./x"),
        ("/{all*}", ""),
        ("/{all*}", "*"),
        ("/{all*}", "//"),
        ("/{all*}", "//a"),
        ("/{all*}", "/a//"),
        ("/{all*}", "/a//b"),
        ("/{all*}/", ""),
        ("/{all*}/", "//"),
        ("/{all*}/", "/a"),
        ("/{all*}/", "/a//"),
        ("/{all*}/", "/./"),
        ("/{all*}/", "/../"),
        ("/x/{all*}/", "/x"),
        ("/{all*}", "/a/../b"),
        ("/{all*}", "/a/%2e/b"),
        ("/{all*}", "/a/b%2fc"),
        ("/x/{all*}", "/x"),
        ("/", "/x"),
        ("/", "//"),
    ] {
        assert_eq!(reads(pattern, target), None, "{pattern} {target}");
    }
    assert_eq!(PathPattern::parse("/{ref}").unwrap().read(b"/\xC3\xBC"), Some(vec!["ü".to_owned()]));
    assert_eq!(PathPattern::parse("/{ref}").unwrap().read(b"/\xFF"), None);
    assert_eq!(PathPattern::parse("/{ref}").unwrap().read(b"/a\0"), None);
}

#[test]
fn what_is_no_pattern_says_what_to_do() {
    use PatternError::*;
    let text = |text: &str| text.to_owned();
    for (pattern, error) in [
        ("", NoSlash),
        ("{a}", NoSlash),
        ("http://host/", NoSlash),
        ("/{a", Unclosed(text("{a"))),
        ("/a}", Unclosed(text("a}"))),
        ("/}a{", Unclosed(text("}a{"))),
        ("/{{a}}", Unclosed(text("{{a}}"))),
        ("/{a/b}", Unclosed(text("{a"))),
        ("/{}", NoName(text("{}"))),
        ("/{*}", NoName(text("{*}"))),
        ("/{a b}", Name(text("a b"))),
        ("/{1a}", Name(text("1a"))),
        ("/{a**}", Name(text("a*"))),
        ("/{ü}", Name(text("ü"))),
        ("/{a}/{a}", Twice(text("a"))),
        ("/{a}/{a*}", Twice(text("a"))),
        ("/{a*}/b", NotLast(text("a"))),
        ("/{a*}/{b}", NotLast(text("a"))),
        ("/{a*}/{a*}", NotLast(text("a"))),
        ("/{a*}//", NotLast(text("a"))),
        ("/{a*}//b", NotLast(text("a"))),
        ("/*", Star(text("*"))),
        ("/a/*", Star(text("*"))),
        ("/*/a", Star(text("*"))),
        ("/**", Star(text("**"))),
        ("/wiki*", Star(text("wiki*"))),
        ("/*.html", Star(text("*.html"))),
        ("/{a}*", Star(text("{a}*"))),
        ("/*{a}", Star(text("*{a}"))),
        ("/{*a}", StarFirst(text("a"))),
        ("/{a}.html", Mixed(text("{a}.html"))),
        ("/{a}{b}", Mixed(text("{a}{b}"))),
        ("//", Empty),
        ("/a//b", Empty),
        ("/a/../b", Dots(text(".."))),
        ("/.", Dots(text("."))),
        ("/a b", Character(text("a b"))),
        ("/ü", Character(text("ü"))),
        ("/a?b", Character(text("a?b"))),
    ] {
        assert_eq!(PathPattern::parse(pattern), Err(error), "{pattern}");
    }
    assert_eq!(
        PathPattern::parse("/{a*}/b").unwrap_err().to_string(),
        "`{a*}` matches the rest, so only `/` can follow it"
    );
    assert_eq!(
        PathPattern::parse("/*").unwrap_err().to_string(),
        "`*` alone has no meaning in `*`: write `{rest*}` for the rest, or `{name}` for one segment"
    );
    assert_eq!(
        PathPattern::parse("/{*page}").unwrap_err().to_string(),
        "the `*` of `{*page}` is before the name: write `{page*}`"
    );
    assert_eq!(PathPattern::parse("/x/{a").unwrap_err().to_string(), "a brace in `{a` is unmatched: write `{name}`");
}

/// As a client spells it.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

proptest! {
    #[test]
    fn whatever_is_encoded_comes_back(parts in prop::collection::vec("[^/\0]{1,12}", 3)) {
        prop_assume!(parts.iter().all(|part| part != "." && part != ".."));
        let target = format!("/x/{}/{}/{}?q={0}", encoded(&parts[0]), encoded(&parts[1]), encoded(&parts[2]));
        prop_assert_eq!(reads("/x/{a}/{b*}", &target), Some(vec![parts[0].clone(), format!("{}/{}", parts[1], parts[2])]));
        prop_assert_eq!(reads("/x/{a}/{b}/{c}", &target), Some(parts));
    }

    #[test]
    fn every_path_of_segments_is_meant_by_all_that_is_left(parts in prop::collection::vec("[^/\0]{1,12}", 0..5), slash: bool) {
        prop_assume!(parts.iter().all(|part| part != "." && part != ".."));
        let slash = if slash && !parts.is_empty() { "/" } else { "" };
        let target = format!("/{}{slash}", parts.iter().map(|part| encoded(part)).collect::<Vec<_>>().join("/"));
        let left = parts.join("/");
        prop_assert_eq!(reads("/{page*}", &target), Some(vec![format!("{left}{slash}")]));
        let with_slash = parts.is_empty() || slash == "/";
        prop_assert_eq!(reads("/{page*}/", &target), with_slash.then(|| vec![left.clone()]));
        prop_assert_eq!(reads("/x/{page*}", &format!("/x{target}")), Some(vec![format!("{left}{slash}")]));
    }

    #[test]
    fn no_target_says_what_a_path_may_not(target in prop::collection::vec(prop_oneof![Just(b'/'), Just(b'.'), Just(b'%'), b'0'..=b'9', any::<u8>()], 0..40)) {
        let target = [b"/", &*target].concat();
        for pattern in ["/{a}", "/{a}/{b}", "/{a*}", "/{a}/{b*}", "/{a*}/"] {
            for (place, parameter) in PathPattern::parse(pattern).unwrap().read(&target).into_iter().flatten().enumerate() {
                let rest = pattern.contains("*}") && place + 1 == PathPattern::parse(pattern).unwrap().names().len();
                prop_assert!(rest || !parameter.contains('/'));
                prop_assert!(!pattern.ends_with('/') || !parameter.ends_with('/'));
                if rest && parameter.is_empty() {
                    continue;
                }
                for segment in if rest { parameter.strip_suffix('/').unwrap_or(&parameter) } else { &parameter }.split('/') {
                    prop_assert!(!segment.is_empty() && segment != "." && segment != ".." && !segment.contains('\0'));
                }
            }
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_not(text in "\\PC*") {
        if let Ok(pattern) = PathPattern::parse(&text) {
            let _ = pattern.read(text.as_bytes());
        }
    }
}
