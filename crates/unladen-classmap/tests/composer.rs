//! Composer's loader and what is said of it, side by side with the real `composer` and the real PHP.
#![allow(clippy::expect_used, reason = "a test that cannot be set up fails")]

#[path = "composer/fixture.rs"]
mod fixture;
#[path = "composer/random.rs"]
mod random;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use fixture::Fixture;
use unladen_classmap::{Application, Claims, Map, Options, Reader, Rule, Tree, emit, reader_named};

fn reader() -> &'static dyn Reader {
    reader_named("composer").expect("a reader for Composer")
}

fn read(root: &Path, dev: bool) -> Application {
    let options = Options { dev, ..Options::default() };
    assert!(reader().knows(root));
    reader().read(root, &options).expect("a project")
}

fn map(application: &Application) -> BTreeMap<BString, BString> {
    let map = Map::of(application, &Tree::read(application));
    map.entries.into_iter().map(|entry| (entry.class, entry.path)).collect()
}

type Prefixes<'a> = Vec<&'a (BString, Vec<PathBuf>)>;

/// The prefixes of PSR-4 and of PSR-0.
fn prefixes(application: &Application) -> (Prefixes<'_>, Prefixes<'_>) {
    let (mut psr4, mut psr0) = (Vec::new(), Vec::new());
    for rule in application.loaders.iter().flat_map(|loader| &loader.rules) {
        match rule {
            Rule::Psr4 { prefixes, .. } => psr4.extend(prefixes),
            Rule::Psr0 { prefixes, .. } => psr0.extend(prefixes),
            _ => {}
        }
    }
    (psr4, psr0)
}

/// In lists, prefixes of PSR-0 are kept apart by first letters, of which only those of one letter have an order.
fn by_letter<'a>(mut prefixes: Prefixes<'a>) -> Prefixes<'a> {
    prefixes.sort_by_key(|(prefix, _)| prefix.first().copied().map(std::cmp::Reverse));
    prefixes
}

fn same_rules(dumped: &Application, undumped: &Application) {
    let ((psr4, psr0), (psr4_of_json, psr0_of_json)) = (prefixes(dumped), prefixes(undumped));
    assert!(psr4.len() > 3 && psr0.len() > 2, "{psr4:?} {psr0:?}");
    let sorted = |mut prefixes: Prefixes<'_>| -> Vec<(BString, Vec<PathBuf>)> {
        prefixes.sort();
        prefixes.into_iter().cloned().collect()
    };
    assert_eq!(sorted(psr4), sorted(psr4_of_json));
    let empty_last = |prefixes: &Prefixes<'_>| prefixes.last().is_some_and(|(prefix, _)| prefix.is_empty());
    assert!(empty_last(&psr0) && empty_last(&psr0_of_json));
    let unempty = |prefixes: Prefixes<'_>| -> Vec<(BString, Vec<PathBuf>)> {
        by_letter(prefixes).into_iter().filter(|(prefix, _)| !prefix.is_empty()).cloned().collect()
    };
    assert_eq!(unempty(psr0), unempty(psr0_of_json));
}

#[test]
fn what_would_be_dumped_is_what_composer_dumps() {
    for dev in [true, false] {
        let fixture = Fixture::new();
        fixture.composer(if dev { &["install"] } else { &["install", "--no-dev"] });
        let dumped = read(fixture.root(), dev);
        assert_eq!(dumped.problems, [], "of what is installed");
        fixture.remove("vendor/composer/autoload_real.php");
        let undumped = read(fixture.root(), dev);
        assert_eq!(undumped.problems, []);
        same_rules(&dumped, &undumped);
        let (dumped, undumped) = (map(&dumped), map(&undumped));
        assert!(dumped.len() > 20, "{dumped:?}");
        assert_eq!(dumped, undumped);
        assert_eq!(dumped.keys().any(|class| class.starts_with(b"Tool\\")), dev);

        // Packages of path repositories are found where nothing is installed.
        let names: Vec<BString> = dumped.into_keys().filter(|class| *class != "Composer\\InstalledVersions").collect();
        fixture.remove("vendor");
        let bare = read(fixture.root(), dev);
        assert_eq!(bare.problems, []);
        assert_eq!(map(&bare).into_keys().collect::<Vec<_>>(), names);
    }
}

#[test]
fn an_installed_json_of_composer_1_is_read() {
    let fixture = Fixture::new();
    fixture.composer(&["install"]);
    fixture.remove("vendor/composer/autoload_real.php");
    let newer = map(&read(fixture.root(), false));
    let file = fixture.root().join("vendor/composer/installed.json");
    let json: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).expect("a file")).expect("JSON");
    let mut list = json["packages"].clone();
    for package in list.as_array_mut().expect("a list") {
        package.as_object_mut().expect("a package").remove("install-path");
    }
    std::fs::write(&file, list.to_string()).expect("a file");
    assert_eq!(map(&read(fixture.root(), false)), newer);
}

/// What our rules and Composer's ClassLoader say of each name.
fn compare(fixture: &Fixture, application: &Application) -> usize {
    let names = fixture.names();
    let theirs = fixture.find_files(&names);
    let tree = Tree::read(application);
    let claims = Claims::new(application, &tree);
    let mut found = 0;
    for (name, theirs) in names.iter().zip(theirs) {
        let ours = claims.first(name.as_bytes().as_bstr()).map(|claim| claim.path.to_path_lossy().into_owned());
        let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
        found += usize::from(theirs.is_some());
        assert_eq!(ours.map(real), theirs.map(real), "{name}");
    }
    found
}

#[test]
fn the_rules_find_what_composers_loader_finds() {
    let fixture = Fixture::new();
    for command in [
        &["install"][..],
        &["dump-autoload", "--no-dev"],
        &["dump-autoload", "-o"],
        &["dump-autoload", "--classmap-authoritative"],
        &["dump-autoload", "--apcu"],
    ] {
        fixture.composer(command);
        let application = read(fixture.root(), false);
        let found = compare(&fixture, &application);
        assert!(found > 20, "{command:?}: {found}");
    }
}

#[test]
fn the_map_is_what_composer_writes_for_it() {
    let fixture = Fixture::new();
    fixture.composer(&["install"]);
    let application = read(fixture.root(), false);
    let map = Map::of(&application, &Tree::read(&application));
    let files = emit::composer(&map, fixture.root()).expect("files of Composer");
    assert_eq!(files.len(), 2);
    fixture.composer(&["dump-autoload", "-o"]);
    for (file, text) in &files {
        let theirs = std::fs::read(file).expect("a file of Composer");
        assert_eq!(text.as_bstr(), theirs.as_bstr(), "{}", file.display());
    }
    // It can be made of itself, and PHP takes it.
    fixture.composer(&["dump-autoload"]);
    for (file, text) in &files {
        std::fs::write(file, text).expect("a file");
    }
    let application = read(fixture.root(), false);
    assert!(compare(&fixture, &application) > 20);
    let again = Map::of(&application, &Tree::read(&application));
    assert_eq!(emit::composer(&again, fixture.root()).expect("files of Composer"), files);
}

#[test]
fn a_vendor_folder_elsewhere_is_found() {
    let fixture = Fixture::new();
    fixture.edit(|json| json["config"]["vendor-dir"] = "lib/its vendor/".into());
    fixture.composer(&["install"]);
    let application = read(fixture.root(), false);
    assert_eq!(application.loaders[0].name, "Composer (lib/its vendor/)");
    let files = emit::composer(&Map::of(&application, &Tree::read(&application)), fixture.root()).expect("files");
    fixture.composer(&["dump-autoload", "-o"]);
    for (file, text) in files {
        assert_eq!(text.as_bstr(), std::fs::read(&file).expect("a file").as_bstr(), "{}", file.display());
    }

    fixture.edit(|json| json["config"]["vendor-dir"] = "$HOME/vendor".into());
    let problem = emit::composer(&Map::default(), fixture.root()).expect_err("no folder");
    assert!(problem.hides && problem.what.contains("$HOME/vendor"), "{problem}");
}

#[test]
fn whether_the_loader_puts_itself_in_front_is_told() {
    let fixture = Fixture::new();
    fixture.composer(&["install"]);
    let says = |wanted: &str| read(fixture.root(), false).switch_on.iter().any(|line| line.contains(wanted));
    assert!(says("auto_prepend_file would not work"));
    fixture.edit(|json| json["config"]["prepend-autoloader"] = false.into());
    fixture.composer(&["dump-autoload"]);
    assert!(says("before all of its code: auto_prepend_file"));
}

fn problems(application: &Application) -> Vec<String> {
    application.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn what_leads_nowhere_is_told() {
    let fixture = Fixture::new();
    fixture.composer(&["install"]);
    fixture.edit(|json| {
        json["autoload"]["psr-4"]["Later\\"] = "src".into();
        json["autoload"]["psr-4"]["Gone\\"] = "gone".into();
        json["autoload"]["psr-4"]["Bad"] = "src".into();
        json["require"]["acme/nowhere"] = "*".into();
    });
    let told = problems(&read(fixture.root(), false));
    for wanted in
        ["`psr-4` has `Later\\` in", "run composer dump-autoload", "`psr-4` has `Gone\\` in", "which does not exist"]
    {
        assert!(told.iter().any(|problem| problem.contains(wanted)), "{wanted} {told:#?}");
    }
    fixture.remove("vendor/composer/autoload_real.php");
    fixture.remove("vendor/acme/old");
    let told = problems(&read(fixture.root(), false));
    for wanted in [
        "the prefix `Bad` of `psr-4` does not end with `\\`",
        "acme/nowhere is required, but neither installed nor in a path repository",
        "acme/old should be in",
        "`psr-4` has `Gone\\` in",
    ] {
        assert!(told.iter().any(|problem| problem.contains(wanted)), "{wanted} {told:#?}");
    }

    fixture.write("composer.json", "{\n  \"name\": \"acme/app\",\n  \"autoload\": {,}\n}");
    let problem = reader().read(fixture.root(), &Options::default()).expect_err("not JSON");
    assert!(problem.hides && problem.line == Some(3), "{problem}");
    assert!(
        problem.to_string().ends_with("composer.json:3: not JSON, at column 16: key must be a string"),
        "{problem}"
    );
}

#[test]
fn the_include_path_is_not_followed() {
    let fixture = Fixture::new();
    fixture.edit(|json| json["config"]["use-include-path"] = true.into());
    fixture.composer(&["install"]);
    let told = problems(&read(fixture.root(), false));
    assert!(told.iter().any(|problem| problem.contains("include_path")), "{told:#?}");
}

/// Such files made an empty map, and nobody was told.
#[test]
fn a_composer_json_of_another_shape_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let read = |text: &str| {
        std::fs::write(folder.path().join("composer.json"), text).expect("a file");
        reader().read(folder.path(), &Options::default())
    };
    for text in ["[1]", "\"x\"", "5"] {
        assert!(read(text).is_err_and(|problem| problem.hides && problem.what.contains("an object")), "{text}");
    }
    for autoload in
        ["\"src\"", "{\"psr-4\":[\"src\"]}", "{\"psr-4\":{\"A\\\\\":5}}", "{\"classmap\":\"src\"}", "{\"psr-0\":7}"]
    {
        let application = read(&format!("{{\"autoload\":{autoload}}}")).expect("an application");
        let told = |problem: &unladen_classmap::Problem| problem.hides && problem.what.contains("expected");
        assert!(application.problems.iter().any(told), "{autoload} {:?}", application.problems);
    }
    for autoload in ["[]", "null", "{\"psr-4\":[],\"classmap\":{\"0\":\".\"}}", "{\"psr-4\":{\"A\\\\\":[\".\"]}}"] {
        let application = read(&format!("{{\"autoload\":{autoload}}}")).expect("an application");
        assert!(application.problems.is_empty(), "{autoload} {:?}", application.problems);
    }
    std::fs::remove_file(folder.path().join("composer.json")).expect("removed");
    assert!(reader().read(folder.path(), &Options::default()).is_err());
}
