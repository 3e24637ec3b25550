//! One word for one thing: what replaced words do not come back. CONTRIBUTING.md has the glossary.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;
use syn::{Attribute, Ident, ImplItem, Item, Visibility};
use unladen_tests::Call;

/// Words that others replaced, and those that did: in keys, metrics, JSON, help and documentation.
const READ: &[(&str, &str)] = &[
    ("[[beside", "[[outbound"),
    ("[beside.", "[outbound."),
    ("[[front", "[[site"),
    ("[front.", "[site."),
    ("--front", "--site"),
    ("unladen_front_", "unladen_site_"),
    ("unladen.front.", "unladen.site."),
    ("front=\"", "site=\""),
    ("fillings", "in-flight fetches"),
    ("validator_shared", "validator_collapsed"),
    ("result=\"own\"", "result=\"local_reply\""),
    ("end=\"local\"", "end=\"local_reply\""),
    ("connection=\"own\"", "connection=\"same_thread\""),
    ("connection=\"sibling\"", "connection=\"other_thread\""),
    ("why=\"", "reason=\""),
    ("\"by_peer\"", "\"closed_by_peer\""),
    ("cache_why", "cache_reason"),
    ("seeing.md", "observability.md"),
    ("overheard", "captured"),
];

/// Whole words of prose.
const PROSE: &[(&str, &str)] =
    &[("cure", "fix"), ("cures", "fixes"), ("errand", "transaction"), ("switchboard", "knob controller")];

/// Names of types.
const TYPES: &[(&str, &str)] = &[
    ("Errand", "Transaction"),
    ("Desk", "ClientSide"),
    ("Scratch", "Buffers"),
    ("Visit", "ConnectionGuard"),
    ("Catch", "CacheFetch"),
    ("Touch", "ResponsePolicy"),
    ("Household", "Snapshot"),
    ("Crew", "Workers"),
    ("Heir", "Successor"),
    ("Shelf", "IdleConnections"),
    ("Seat", "InFlightQuery"),
    ("Collapse", "SingleFlight"),
    ("Fillings", "InFlightFetches"),
    ("Switchboard", "KnobController"),
    ("Twin", "ShadowProcess"),
    ("Cure", "Fix"),
    ("Beside", "Outbound"),
    ("Front", "Site"),
    ("Seeing", "Observability"),
];

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Files of that ending, without what was built.
fn files(folder: &Path, ending: &str, to: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let (path, name) = (entry.path(), entry.file_name());
        let is_left_out = name.to_string_lossy().starts_with('.') || name == "target" || name == "node_modules";
        if entry.file_type().unwrap().is_dir() {
            if !is_left_out {
                files(&path, ending, to);
            }
        } else if path.extension().is_some_and(|found| found == ending) {
            to.push(path);
        }
    }
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

/// Where a text has a word that another replaced.
fn old_words(name: &str, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut tell =
            |old: &str, new: &str| found.push(format!("{name}:{}: `{old}` is `{new}` now: {line}", number + 1));
        READ.iter().filter(|(old, _)| line.contains(old)).for_each(|(old, new)| tell(old, new));
        for (old, new) in PROSE {
            if words(line).any(|word| word.eq_ignore_ascii_case(old)) {
                tell(old, new);
            }
        }
    }
    found
}

#[test]
fn replaced_words_do_not_come_back_in_documents() {
    let mut documents = Vec::new();
    files(&top(), "md", &mut documents);
    assert!(documents.len() > 50, "{documents:?}");
    let mut found = Vec::new();
    // What once was is told in the history alone.
    for path in documents.iter().filter(|path| !path.ends_with("CHANGELOG.md")) {
        found.extend(old_words(&path.display().to_string(), &fs::read_to_string(path).unwrap()));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn replaced_words_do_not_come_back_in_help() {
    let folder = tempfile::tempdir().unwrap();
    Call::new(["man", "--output", folder.path().to_str().unwrap()]).run().succeeded();
    let pages: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(pages.len() > 5, "{pages:?}");
    let found: Vec<_> = pages
        .iter()
        // Dashes of options are escaped.
        .flat_map(|page| old_words(&page.display().to_string(), &fs::read_to_string(page).unwrap().replace("\\-", "-")))
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Keys, metrics and names of JSON stand in strings.
#[test]
fn replaced_words_do_not_come_back_in_programs() {
    let mut sources = Vec::new();
    for folder in ["crates", "tests", "benches", "fuzz", "subjects"] {
        for ending in ["rs", "js", "html", "snap", "toml", "php"] {
            files(&top().join(folder), ending, &mut sources);
        }
    }
    assert!(sources.len() > 1_000, "{}", sources.len());
    let is_type = |line: &str, old: &str| {
        ["struct ", "enum ", "trait ", "type "].iter().any(|kind| {
            line.split_once(kind).is_some_and(|(before, after)| {
                !before.contains("//") && words(after).next().is_some_and(|word| word == old)
            })
        })
    };
    let mut found = Vec::new();
    for path in sources.iter().filter(|path| !path.ends_with("words.rs")) {
        let name = path.display().to_string();
        // PHP that is no UTF-8 is among the subjects.
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        found.extend(old_words(&name, &text));
        for (number, line) in text.lines().enumerate() {
            let old = TYPES.iter().filter(|(old, _)| is_type(line, old));
            found.extend(old.map(|(old, new)| format!("{name}:{}: `{old}` is `{new}` now: {line}", number + 1)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Where a text begins outside all brackets.
fn at_top(text: &str, wanted: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            // Of an arrow.
            '>' if text[..at].ends_with(['-', '=']) => {}
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        if depth == 0 && text[at..].starts_with(wanted) {
            return Some(at);
        }
    }
    None
}

/// The name of the type, by what comes behind `impl`.
fn type_of(head: &str) -> &str {
    let mut rest = head;
    if head.starts_with('<') {
        rest = at_top(head, ">").map_or(head, |end| &head[end + 1..]);
    }
    let name = at_top(rest, " for ").map_or(rest, |at| &rest[at + " for ".len()..]);
    let name = name.trim_start().trim_start_matches('&').trim_start_matches("mut ").trim_start_matches("dyn ");
    let path =
        name.split(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter)).next().unwrap_or_default();
    path.rsplit(':').next().unwrap_or_default()
}

#[test]
fn the_type_of_an_impl_is_read() {
    for (head, name) in [
        (" Site {", "Site"),
        ("<H: Clone> Fetch<H> {", "Fetch"),
        ("<F: Fn() -> u8> Ask for Asked<'_, F> {", "Asked"),
        (" From<Wait for Me> for crate::Told {", "Told"),
        (" fmt::Display for &Told {", "Told"),
        ("<'de> Item<'de>", "Item"),
    ] {
        assert_eq!(type_of(head), name, "{head}");
    }
}

/// Markers part the impls of several types of a file, or several impls of one.
#[test]
fn section_markers_name_the_type_that_follows() {
    let mut sources = Vec::new();
    files(&top(), "rs", &mut sources);
    let (mut markers, mut found) = (0, Vec::new());
    for path in sources {
        let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
        for (number, line) in lines.iter().enumerate() {
            let marker = line.strip_prefix("// === impl ").and_then(|rest| rest.strip_suffix(" ==="));
            let Some(marker) = marker else { continue };
            markers += 1;
            let near = &lines[number + 1..];
            let follows = near.iter().take(3).position(|line| line.trim_start_matches("unsafe ").starts_with("impl"));
            // A long head goes on.
            let head = follows.map(|at| near[at..].iter().take(8).copied().collect::<Vec<_>>().join(" "));
            let head = head.as_ref().and_then(|head| head.split('{').next()?.split_once("impl"));
            let Some((_, head)) = head else { continue };
            if type_of(head) != marker {
                found.push(format!("{}:{}: {marker}, before impl{head}", path.display(), number + 1));
            }
            let section = near.iter().take_while(|line| !line.starts_with("// === "));
            if section.filter(|line| line.trim_start_matches("unsafe ").starts_with("impl")).count() < 2 {
                found.push(format!("{}:{}: the only impl of {marker} needs no marker", path.display(), number + 1));
            }
        }
    }
    assert!(markers > 100, "{markers}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// What is public and says nothing of itself. rustc's `missing_docs` would ask fields, variants and methods of traits too,
/// which mostly say by their names and types what a sentence would repeat, and variants of errors, which have a message.
struct Undocumented<'a> {
    file: &'a str,
    found: &'a mut Vec<String>,
}

impl Undocumented<'_> {
    fn look(&mut self, visibility: &Visibility, attributes: &[Attribute], name: &Ident) {
        let is_documented = attributes.iter().any(|attribute| attribute.path().is_ident("doc"));
        if matches!(visibility, Visibility::Public(_)) && !is_documented {
            self.found.push(format!("{}: {name}", self.file));
        }
    }
}

impl Visit<'_> for Undocumented<'_> {
    fn visit_item(&mut self, item: &Item) {
        match item {
            Item::Const(item) => self.look(&item.vis, &item.attrs, &item.ident),
            Item::Enum(item) => self.look(&item.vis, &item.attrs, &item.ident),
            Item::Fn(item) => self.look(&item.vis, &item.attrs, &item.sig.ident),
            Item::Static(item) => self.look(&item.vis, &item.attrs, &item.ident),
            Item::Struct(item) => self.look(&item.vis, &item.attrs, &item.ident),
            Item::Trait(item) => self.look(&item.vis, &item.attrs, &item.ident),
            Item::Type(item) => self.look(&item.vis, &item.attrs, &item.ident),
            Item::Impl(item) if item.trait_.is_none() => {
                for of_type in &item.items {
                    match of_type {
                        ImplItem::Const(item) => self.look(&item.vis, &item.attrs, &item.ident),
                        ImplItem::Fn(item) => self.look(&item.vis, &item.attrs, &item.sig.ident),
                        _ => {}
                    }
                }
            }
            Item::Mod(item) if item.ident != "tests" => syn::visit::visit_item_mod(self, item),
            _ => {}
        }
    }
}

#[test]
fn what_is_public_says_what_it_is_for() {
    let undocumented = |text: &str| {
        let mut found = Vec::new();
        Undocumented { file: "", found: &mut found }.visit_file(&syn::parse_file(text).unwrap());
        found.len()
    };
    assert_eq!(undocumented("/// A thing.\npub struct A { pub field: u8 }\nstruct B;"), 0);
    assert_eq!(undocumented("pub struct A; impl A { pub fn run(&self) {} fn own(&self) {} }\npub enum B { One }"), 3);

    let mut sources = Vec::new();
    files(&top().join("crates"), "rs", &mut sources);
    let is_product = |path: &&PathBuf| {
        let path = path.strip_prefix(top()).unwrap();
        let names = || path.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
        names().any(|name| name == "src") && names().all(|name| !["tests", "tests.rs"].contains(&name.as_str()))
    };
    let mut found = Vec::new();
    let mut count = 0;
    for path in sources.iter().filter(is_product) {
        count += 1;
        let file = path.strip_prefix(top()).unwrap().display().to_string();
        let parsed = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
        Undocumented { file: &file, found: &mut found }.visit_file(&parsed);
    }
    assert!(count > 1_000, "{count}");
    assert!(found.is_empty(), "{}", found.join("\n"));
}
