use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;

use super::*;

/// A text that is TOML.
fn parsed(text: &str) -> Document<'_> {
    let (document, bads) = Document::parse(text);
    assert!(bads.is_empty(), "{bads:?}");
    document
}

/// The value of the key `x`.
fn with<T>(text: &str, read: impl FnOnce(&Value<'_>) -> Result<T, Bad>) -> Result<T, String> {
    let document = parsed(text);
    read(&document.root().get("x").unwrap()).map_err(|bad| bad.problem.to_string())
}

fn shown(text: &str, bad: Bad) -> String {
    BadPlace::new(text, Path::new("x.toml"), bad).to_string()
}

// === Places ===

#[test]
fn a_place_is_counted_in_characters() {
    let text = "ä = 1\nöö = 'x'\n";
    assert_eq!(Place::of(text, 0), Place { line: 1, column: 1 });
    assert_eq!(Place::of(text, text.find("'x'").unwrap()), Place { line: 2, column: 6 });
    assert_eq!(Place::of(text, 1), Place { line: 1, column: 1 }, "within a character");
    assert_eq!(Place::of(text, 1000), Place { line: 3, column: 1 }, "behind the end");
}

#[test]
fn the_caret_stands_below_its_character() {
    let text = "x = { \"ä\t\" = 'ö' }\n";
    let document = parsed(text);
    let table = Table::of(&document.root().get("x").unwrap(), "`x`", "a table").unwrap();
    let bads = table.strangers(&[], |_| None);
    let bad = bads.into_iter().next().unwrap();
    assert_eq!(
        shown(text, bad),
        "x.toml:1:7: unknown key `ä\t` in `x`; there are none\n 1 | x = { \"ä \" = 'ö' }\n   |       ^^^^"
    );
}

#[test]
fn a_long_line_is_cut_around_the_place() {
    let text = format!("x = '{}' y\n", "a".repeat(500));
    let bad = Document::parse(&text).1.remove(0);
    let shown = shown(&text, bad);
    let mut lines = shown.lines().skip(1);
    let (line, caret) = (lines.next().unwrap(), lines.next().unwrap());
    assert!(line.len() < 200, "{line}");
    let at = caret.find('^').unwrap();
    assert_eq!(line.chars().nth(at), text.chars().nth(507), "{shown}");
}

#[test]
fn mistakes_are_told_in_order_each_once_and_not_all_of_many() {
    let text = "x = 1\n".to_owned() + &"# a line\n".repeat(30);
    let alone = |at: usize| Problem::Alone { key: "x", without: "is alone" }.at(at..at + 1);
    let few = Mistakes::new(&text, Path::new("x.toml"), vec![alone(6), alone(0), alone(6)]);
    assert_eq!(few.places.iter().map(|place| place.line).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(few.more, 0);
    let many = Mistakes::new(&text, Path::new("x.toml"), (0..25).map(alone).collect());
    assert_eq!((many.places.len(), many.more), (20, 5));
    assert!(many.to_string().ends_with("\nand 5 more"), "{many}");
}

#[test]
fn a_missing_value_is_told_as_such() {
    for text in ["x =", "x = \ny = 1", "x = # nothing"] {
        let (_, bads) = Document::parse(text);
        assert_eq!(bads[0].problem.to_string(), "there is no value after `=`", "{text:?}");
    }
}

// === Tables ===

#[test]
fn a_stranger_is_told_where_it_belongs_or_what_was_meant() {
    let text = "idel = 1\nrate = 2\ncolour = 3\n";
    let document = parsed(text);
    let home = |word: &str| (word == "rate").then(|| "it belongs in [load]".to_owned());
    let bads = document.root().strangers(&["idle", "requests"], home);
    let told: Vec<String> = bads.iter().map(|bad| bad.problem.to_string()).collect();
    assert_eq!(
        told,
        [
            "unknown key `idel` in the file; did you mean `idle`?",
            "unknown key `rate` in the file; it belongs in [load]",
            "unknown key `colour` in the file; expected one of `idle`, `requests`",
        ]
    );
}

#[test]
fn one_of_two_and_what_has_to_be_there() {
    let document = parsed("a = 1\nb = 2\n");
    let root = document.root();
    assert!(matches!(root.either("a", "c", "no"), Ok((Some(_), None))));
    let both = root.either("a", "b", "choose one").unwrap_err();
    assert_eq!(
        (both.span.clone(), both.problem.to_string()),
        (6..7, "the file has both `a` and `b`: choose one".into())
    );
    assert_eq!(root.require("c", "a number").unwrap_err().problem.to_string(), "the file has no `c`: a number");
}

#[test]
fn strings_are_replaced_wherever_they_are() {
    let text = "but = '${A}'\nurl = '${A}'\nurls = ['x', '${A}']\n[[knob]]\non = { env = { B = '${A}' } }\n";
    let mut document = parsed(text);
    document.replace_texts("but", |text| text.contains("${A}").then(|| text.replace("${A}", "1")));
    let shown = format!("{document:?}");
    assert_eq!(shown.matches("${A}").count(), 1, "{shown}");
}

// === Values ===

#[test]
fn durations_have_a_unit_and_bounds() {
    let read = |text: &str| with(text, |value| value.duration(MILLISECOND..=DAY));
    assert_eq!(read("x = '250ms'"), Ok(Duration::from_millis(250)));
    assert_eq!(read("x = '1m 30s'"), Ok(Duration::from_secs(90)));
    let form = "expected a duration as a string with a unit, such as \"250ms\", \"4s\" or \"1m\"";
    assert_eq!(read("x = 30"), Err(format!("`x` is a number: {form}; did you mean \"30s\"?")));
    assert_eq!(read("x = '30'"), Err(format!("`x` is `30`: {form}")));
    assert_eq!(read("x = '2days'"), Err("`x` is `2days`: expected a duration from 1ms to 1day".into()));
}

#[test]
fn numbers_have_bounds() {
    assert_eq!(with("x = 0x10", |value| value.whole(0..=16)), Ok(16));
    assert_eq!(
        with("x = -1", |value| value.whole(0..=16)),
        Err("`x` is -1: expected a whole number from 0 to 16".into())
    );
    assert_eq!(with("x = 1", |value| value.number(0.5..=2.0, "a number")), Ok(1.0));
    for text in ["x = nan", "x = inf", "x = 0x1", "x = '1'"] {
        assert!(with(text, |value| value.number(0.5..=2.0, "a number")).is_err(), "{text}");
    }
    assert_eq!(with("x = '20%'", |value| value.share()), Ok(0.2));
    assert!(with("x = 20", |value| value.share()).is_err());
}

#[test]
fn bytes_have_a_unit() {
    let read = |text: &str| with(text, |value| value.bytes(1..=1 << 40));
    assert_eq!(read("x = '64KiB'"), Ok(64 << 10));
    assert_eq!(read("x = '1 MB'"), Ok(1_000_000));
    assert_eq!(read("x = 10"), Ok(10));
    assert_eq!(read("x = '0B'"), Err("`x` is `0B`: expected a size from 1B to 1024GiB".into()));
    assert!(read("x = '64K'").is_err() && read("x = '99999999999999999999GB'").is_err());
}

#[test]
fn strings_are_not_blank() {
    assert_eq!(with("x = ' '", |value| value.words().map(drop)), Err("`x` is empty: expected a value".into()));
    assert_eq!(with("x = \"a\\nb\"", |value| value.words().map(str::to_owned)), Ok("a\nb".into()));
    assert!(with("x = \"a\\nb\"", |value| value.one_line().map(drop)).is_err());
    assert!(with("x = \"a\\u0000\"", |value| value.words().map(drop)).is_err());
}

#[test]
fn a_word_is_one_of_a_few() {
    let words = [("auto", 0), ("off", 1)];
    assert_eq!(with("x = 'off'", |value| value.choice(&words)), Ok(1));
    assert_eq!(with("x = 'atuo'", |value| value.choice(&words)), Err("`x` is `atuo`; did you mean `auto`?".into()));
    assert_eq!(
        with("x = true", |value| value.choice(&words)),
        Err("`x` is `true`: expected \"auto\" or \"off\"".into())
    );
}

// === Whatever the text ===

/// Asks each value for everything, and gives all that was wrong.
fn ask_all(table: &Table<'_>, bads: &mut Vec<Bad>) {
    bads.extend(table.strangers(&["a", "b"], |word| (word == "c").then(|| "it belongs elsewhere".into())));
    bads.extend(table.either("a", "b", "one is enough").err());
    bads.extend(table.require("zzz", "anything").err());
    for (_, span, value) in table.entries("x") {
        bads.push(Problem::Alone { key: "x", without: "is alone" }.at(span));
        for one in value.each() {
            bads.extend(one.words().err());
            bads.extend(one.one_line().err());
            bads.extend(one.flag().err());
            bads.extend(one.whole(1..=9).err());
            bads.extend(one.number(0.0..=1.0, "a number").err());
            bads.extend(one.share().err());
            bads.extend(one.duration(MILLISECOND..=DAY).err());
            bads.extend(one.bytes(1..=9).err());
            bads.extend(one.list("a list").err());
            bads.extend(one.choice(&[("on", true), ("off", false)]).err());
            bads.extend(one.parse::<std::net::IpAddr>().err());
            match Table::of(&one, "`x`", "a table") {
                Ok(table) => ask_all(&table, bads),
                Err(bad) => bads.push(bad),
            }
        }
    }
}

fn all_bads(text: &str) -> Vec<Bad> {
    let (document, mut bads) = Document::parse(text);
    ask_all(&document.root(), &mut bads);
    bads
}

fn is_within(text: &str, span: &Range<usize>) -> bool {
    span.start <= span.end && span.end <= text.len()
}

/// What each mistake has to be, whatever the text.
fn check(text: &str) -> Result<(), TestCaseError> {
    for bad in all_bads(text) {
        prop_assert!(is_within(text, &bad.span), "{:?}", bad);
        let place = BadPlace::new(text, Path::new("x.toml"), bad);
        prop_assert!((1..=text.matches('\n').count() + 1).contains(&place.line));
        let line = text.split('\n').nth(place.line - 1).unwrap();
        // But for what may be a secret.
        let is_same = line.chars().zip(place.text.chars()).all(|(of_file, shown)| shown == of_file || shown == '*');
        prop_assert!(is_same, "{:?}", place);
        prop_assert!((1..=line.chars().count() + 1).contains(&place.column), "{:?}", place);
        prop_assert!(place.width >= 1 && place.column - 1 + place.width <= line.chars().count() + 1, "{:?}", place);
        let position = format!("x.toml:{}:{}: ", place.line, place.column);
        prop_assert!(place.to_string().starts_with(&position));
    }
    let mistakes = Mistakes::new(text, Path::new("x.toml"), all_bads(text));
    prop_assert!(mistakes.places.len() <= 20);
    prop_assert!(mistakes.places.is_sorted_by_key(|place| (place.line, place.column)));
    let _ = mistakes.to_string();
    Ok(())
}

/// Lines that are TOML for the most part.
fn toml_like() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        "-?[0-9]{1,25}",
        "[0-9]{1,3}\\.[0-9]{1,3}",
        "'[^'\n]{0,8}'",
        "\"[a-zäß🦀 %]{0,8}\"",
        "'[0-9]{1,22}(ms|s|KiB|GB|%|B)'",
        Just("true".to_owned()),
        Just("nan".to_owned()),
        Just("1979-05-27".to_owned()),
        Just("[1, 'a', { b = 2 }]".to_owned()),
        Just("{ a = 1, b = 'x', \"ü\" = [] }".to_owned()),
        Just(String::new()),
    ];
    let line = prop_oneof![
        6 => ("[a-e]|\"[ä🦀a-c ]{1,3}\"", value).prop_map(|(key, value)| format!("{key} = {value}")),
        1 => "\\[[a-e]\\]",
        1 => "\\[\\[[a-e]\\]\\]",
        1 => "\\PC{0,10}",
    ];
    prop::collection::vec(line, 0..6).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_places_are_within_it(text in "\\PC*") {
        check(&text)?;
    }

    #[test]
    fn no_toml_makes_it_panic_and_places_are_within_it(text in toml_like()) {
        check(&text)?;
    }

    /// A place may be the parser's, or another text's.
    #[test]
    fn any_place_can_be_shown(text in "(\\PC|\n|\t|\r){0,300}", start in 0..400_usize, length in 0..400_usize) {
        let bad = Problem::Alone { key: "x", without: "is alone" }.at(start..start + length);
        let place = BadPlace::new(&text, Path::new("x.toml"), bad);
        prop_assert!(place.width >= 1 && place.line >= 1 && place.column >= 1);
        let _ = place.to_string();
    }

    #[test]
    fn bytes_are_read_as_they_are_written(bytes in any::<u64>(), shift in 0..64_u32) {
        for bytes in [bytes, bytes >> shift, (bytes >> shift) << shift] {
            prop_assert_eq!(crate::value::parse_bytes(&bytes_text(bytes)), Some(bytes));
        }
    }

    #[test]
    fn a_known_word_is_its_own_nearest(words in prop::collection::vec("[a-z_]{1,12}", 1..6), at in any::<prop::sample::Index>()) {
        let known: Vec<&str> = words.iter().map(String::as_str).collect();
        let word = *at.get(&known);
        prop_assert_eq!(nearest(word, &known), Some(word));
        prop_assert_eq!(nearest(&word.to_uppercase(), &known), Some(word));
    }
}
