use proptest::prelude::*;
use unladen_document::About;

use super::*;
use crate::format::Format;
use crate::formats::format_named;
use crate::style::Style;
use crate::tests::sample;

/// A result of any command.
#[expect(clippy::large_enum_variant, reason = "one at a time, in tests")]
enum Made {
    Weigh(Weigh),
    Inside(Vec<Inside>),
    Load(Load),
    Prove(Prove),
    Profile(Profiled),
    ProfileDiff(ProfileDiff),
}

fn named(name: &str) -> &'static dyn Format {
    format_named(name).unwrap()
}

fn written(made: &Made, format: &str) -> String {
    let (format, about, style, mut out) = (named(format), about(), Style::plain(100), Vec::new());
    match made {
        Made::Weigh(result) => format.weigh(result, &about, style, &mut out),
        Made::Inside(pages) => format.inside(pages, &about, style, &mut out),
        Made::Load(result) => format.load(result, &about, style, &mut out),
        Made::Prove(result) => format.prove(result, &about, style, &mut out),
        Made::Profile(result) => format.profile(result, &about, style, &mut out),
        Made::ProfileDiff(result) => format.profile_diff(result, &about, style, &mut out),
    }
    .unwrap();
    String::from_utf8(out).unwrap()
}

/// The seed of a profile, which its result does not have.
fn about() -> About {
    About { version: Some("0.1.0".to_owned()), ..About::default() }
}

fn made(again: Again) -> Made {
    match again {
        Again::Weigh(result) => Made::Weigh(*result),
        Again::Inside(pages) => Made::Inside(pages),
        Again::Load(result) => Made::Load(*result),
        Again::Prove(result) => Made::Prove(*result),
        Again::Profile(result) => Made::Profile(*result),
        Again::ProfileDiff(result) => Made::ProfileDiff(*result),
    }
}

fn again(json: &str) -> Made {
    made(Again::of(&Document::read(json.as_bytes()).unwrap(), titles).unwrap())
}

/// Those that the samples use.
fn titles(counter: &str) -> Option<&'static str> {
    let rows = [sample::one_page(), sample::two_pages(), sample::on_the_path()];
    let mut rows = rows.iter().flat_map(|weigh| &weigh.urls).flat_map(|url| &url.weights);
    let of_weights = rows.find(|row| row.counter == counter).map(|row| row.title);
    let proven = [sample::class_map(), sample::five_patches(), sample::two_knobs()];
    let mut proven = proven.iter().flat_map(|prove| &prove.comparisons).filter_map(|one| one.weight.as_ref());
    of_weights.or_else(|| proven.find(|weight| weight.counter == counter).map(|weight| weight.title))
}

fn all() -> Vec<(&'static str, Made)> {
    vec![
        ("one page", Made::Weigh(sample::one_page())),
        ("two pages", Made::Weigh(sample::two_pages())),
        ("on the path", Made::Weigh(sample::on_the_path())),
        ("found inside", Made::Weigh(sample::found_inside())),
        ("nothing follows", Made::Weigh(sample::nothing_follows())),
        ("inside alone", Made::Inside(vec![sample::inside()])),
        ("steady", Made::Load(sample::steady())),
        ("overloaded", Made::Load(sample::overloaded())),
        ("from hosts", Made::Load(sample::from_hosts())),
        ("searched", Made::Load(sample::searched())),
        ("class map", Made::Prove(sample::class_map())),
        ("class map, from hosts", Made::Prove(sample::class_map_from_hosts())),
        ("five patches", Made::Prove(sample::five_patches())),
        ("two knobs", Made::Prove(sample::two_knobs())),
        ("each alone", Made::Prove(sample::each_alone())),
        ("profiled", Made::Profile(Profiled { top: profile::TOP, ..sample::profiled() })),
        ("from a file", Made::Profile(Profiled { top: profile::TOP, ..sample::from_file() })),
        ("profiles compared", Made::ProfileDiff(ProfileDiff { top: profile::TOP, ..sample::profile_diff() })),
        ("files compared", Made::ProfileDiff(ProfileDiff { top: profile::TOP, ..sample::diff_of_files() })),
    ]
}

/// The command that started processes anew may hold a secret, and is not kept.
fn without_restart(text: &str) -> String {
    let line = |line: &str| {
        let Some((before, _)) = line.split_once("each after `") else { return line.to_owned() };
        format!("{before}each after")
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_tables_are_those_that_the_command_printed() {
    for (name, made) in all() {
        let again = again(&written(&made, "json"));
        assert_eq!(without_restart(&written(&again, "text")), without_restart(&written(&made, "text")), "{name}");
    }
}

#[test]
fn the_document_of_the_result_is_the_document() {
    for (name, made) in all() {
        let json = written(&made, "json");
        let fields = |text: &str| {
            let mut document: serde_json::Value = serde_json::from_str(text).unwrap();
            // Of a profile the stacks are not in the document, and so nobody can add up what they weigh.
            if document["schema"] == "unladen.profile/1" {
                document["weight"].take();
            }
            document
        };
        assert_eq!(fields(&written(&again(&json), "json")), fields(&json), "{name}");
    }
}

proptest! {
    /// Documents come from elsewhere, too: any field may lack, or be any number.
    #[test]
    fn any_document_makes_tables(which in 0_usize..17, field in 0_usize..400, number in prop_oneof![Just(0.0), Just(-1.0), Just(1e18), 0.0_f64..1e6]) {
        let mut document: serde_json::Value = serde_json::from_str(&written(&all()[which].1, "json")).unwrap();
        let mut count = field;
        change(&mut document, &mut count, number);
        if let Ok(document) = Document::read(document.to_string().as_bytes())
            && let Some(again) = Again::of(&document, titles)
        {
            written(&made(again), "text");
        }
    }
}

/// Puts another number in the place of the n-th.
fn change(value: &mut serde_json::Value, count: &mut usize, number: f64) {
    use serde_json::Value;
    match value {
        Value::Number(_) => {
            if *count == 0 {
                *value = if number.fract() == 0.0 { (number as i64).into() } else { number.into() };
            }
            *count = count.wrapping_sub(1);
        }
        Value::Array(values) => values.iter_mut().for_each(|value| change(value, count, number)),
        Value::Object(fields) => fields.values_mut().for_each(|value| change(value, count, number)),
        _ => {}
    }
}
