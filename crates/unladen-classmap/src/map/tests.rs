use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use super::*;
use crate::{Loader, Standing};

/// A folder with PHP files, and an application that finds its classes in it.
struct Site {
    folder: tempfile::TempDir,
    application: Application,
}

impl Site {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Self { folder, application: Application::default() };
        for (path, source) in files {
            let path = site.path(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, format!("<?php\n{source}\n")).unwrap();
        }
        site
    }

    fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn bytes(&self, path: &str) -> BString {
        self.path(path).into_os_string().into_encoded_bytes().into()
    }

    fn loader(mut self, standing: Standing, rules: Vec<Rule>) -> Self {
        let name = format!("loader {}", self.application.loaders.len() + 1);
        self.application.loaders.push(Loader { name, rules, standing });
        self
    }

    fn list(&self, classes: &[(&str, &str)]) -> Rule {
        let classes = classes.iter().map(|(class, file)| (BString::from(*class), self.bytes(file))).collect();
        Rule::List { origin: self.path("list.php"), classes }
    }

    fn prefixes(&self, prefixes: &[(&str, &[&str])]) -> Vec<(BString, Vec<PathBuf>)> {
        let folders = |folders: &[&str]| folders.iter().map(|folder| self.path(folder)).collect();
        prefixes.iter().map(|(prefix, of)| (BString::from(*prefix), folders(of))).collect()
    }

    fn psr4(&self, prefixes: &[(&str, &[&str])]) -> Rule {
        Rule::Psr4 { origin: self.path("psr4.php"), prefixes: self.prefixes(prefixes) }
    }

    fn map(&self) -> Map {
        Map::of(&self.application, &Tree::read(&self.application))
    }

    /// The map, its files below the folder.
    fn classes(&self) -> Vec<(String, String)> {
        let folder = format!("{}/", self.folder.path().display());
        self.map()
            .entries
            .into_iter()
            .map(|entry| (entry.class.to_string(), entry.path.to_string().replace(&folder, "")))
            .collect()
    }
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(class, file)| ((*class).to_owned(), (*file).to_owned())).collect()
}

#[test]
fn the_longest_prefix_is_asked_first_then_shorter_ones() {
    let site = Site::new(&[
        ("a/B/C.php", "namespace A\\B; class C {}"),
        ("ab/C.php", "namespace A\\B; class C {}"),
        ("a/B/D.php", "namespace A\\B; class D {}"),
    ]);
    let rule = site.psr4(&[("A\\", &["a"]), ("A\\B\\", &["none", "ab"])]);
    let site = site.loader(Standing::Sure, vec![rule]);
    assert_eq!(site.classes(), pairs(&[("A\\B\\C", "ab/C.php"), ("A\\B\\D", "a/B/D.php")]));
    let duplicates = site.map().duplicates;
    assert_eq!(duplicates.len(), 1);
    assert_eq!(duplicates[0].wins, Some(site.bytes("ab/C.php")));
    assert_eq!(duplicates[0].others, [site.bytes("a/B/C.php")]);
    assert!(duplicates[0].why.contains("`A\\B\\`"), "{}", duplicates[0].why);
}

#[test]
fn folders_of_a_prefix_are_asked_in_their_order_not_that_of_the_disk() {
    for order in [["x", "y"], ["y", "x"]] {
        let site = Site::new(&[("x/C.php", "class C {}"), ("y/C.php", "class C {}")]);
        let rule = site.psr4(&[("", &order)]);
        let site = site.loader(Standing::Sure, vec![rule]);
        assert_eq!(site.classes(), pairs(&[("C", &format!("{}/C.php", order[0]))]));
    }
}

#[test]
fn the_first_loader_that_finds_a_file_has_the_say() {
    let site =
        Site::new(&[("one.php", "class C {} class D {}"), ("two/C.php", "class C {}"), ("two/E.php", "class E {}")]);
    let list = site.list(&[("C", "one.php"), ("D", "one.php")]);
    let psr4 = site.psr4(&[("", &["two"])]);
    let site = site.loader(Standing::Sure, vec![list]).loader(Standing::Sure, vec![psr4]);
    assert_eq!(site.classes(), pairs(&[("C", "one.php"), ("D", "one.php"), ("E", "two/E.php")]));
}

#[test]
fn a_file_that_comes_first_and_does_not_declare_the_class_keeps_it_out_of_the_map() {
    let site = Site::new(&[("one/C.php", "eval('class C {}');"), ("two/C.php", "class C {}")]);
    let rules = [site.psr4(&[("", &["one"])]), site.psr4(&[("", &["two"])])];
    let site = rules.into_iter().fold(site, |site, rule| site.loader(Standing::Sure, vec![rule]));
    assert_eq!(site.classes(), []);
}

#[test]
fn a_file_that_is_listed_and_not_there_keeps_the_class_out_and_is_told() {
    let site = Site::new(&[("two/C.php", "class C {}")]);
    let rules = [site.list(&[("C", "gone.php")]), site.psr4(&[("", &["two"])])];
    let site = rules.into_iter().fold(site, |site, rule| site.loader(Standing::Sure, vec![rule]));
    let map = site.map();
    assert_eq!(map.entries, []);
    assert!(map.problems[0].what.contains("gone.php, which does not exist"), "{}", map.problems[0]);
}

#[test]
fn of_unordered_loaders_only_what_they_agree_on_is_in_the_map() {
    let site = Site::new(&[
        ("one/Both.php", "class Both {}"),
        ("two/Both.php", "class Both {}"),
        ("two/Two.php", "class Two {}"),
    ]);
    let rules = [site.psr4(&[("", &["one"])]), site.psr4(&[("", &["two"])])];
    let site = rules.into_iter().fold(site, |site, rule| site.loader(Standing::Unordered, vec![rule]));
    assert_eq!(site.classes(), pairs(&[("Two", "two/Two.php")]));
    let duplicates = site.map().duplicates;
    assert_eq!((duplicates.len(), &duplicates[0].wins), (1, &None));
    assert!(duplicates[0].why.contains("do not show"), "{}", duplicates[0].why);
}

#[test]
fn a_loader_that_perhaps_is_there_only_takes_away() {
    let site = Site::new(&[
        ("perhaps/C.php", "class C {}"),
        ("perhaps/Own.php", "class Own {}"),
        ("sure/C.php", "class C {}"),
        ("sure/D.php", "class D {}"),
    ]);
    let rules = [site.psr4(&[("", &["perhaps"])]), site.psr4(&[("", &["sure"])])];
    let [perhaps, sure] = rules;
    let site = site.loader(Standing::Perhaps, vec![perhaps]).loader(Standing::Sure, vec![sure]);
    assert_eq!(site.classes(), pairs(&[("D", "sure/D.php")]));
}

#[test]
fn a_class_in_two_spellings_is_one_class() {
    let site = Site::new(&[("one.php", "class Upper {}"), ("two.php", "class UPPER {}")]);
    let list = site.list(&[("Upper", "one.php"), ("UPPER", "two.php")]);
    let site = site.loader(Standing::Sure, vec![list]);
    let map = site.map();
    assert_eq!(map.entries, []);
    assert!(map.duplicates[0].why.contains("two spellings"), "{:?}", map.duplicates);
}

#[test]
fn one_file_on_two_paths_is_no_duplicate() {
    let site = Site::new(&[("real/C.php", "class C {}")]);
    symlink(site.path("real"), site.path("link")).unwrap();
    let rules = [site.psr4(&[("", &["link"])]), site.psr4(&[("", &["real"])])];
    let site = rules.into_iter().fold(site, |site, rule| site.loader(Standing::Sure, vec![rule]));
    assert_eq!(site.classes(), pairs(&[("C", "link/C.php")]));
    assert_eq!(site.map().duplicates, []);
}

#[test]
fn classes_that_are_not_where_psr4_has_them_are_told_once_their_file_has_no_other() {
    let site = Site::new(&[
        ("src/Right.php", "namespace App; class Right {} class BesideIt {}"),
        ("src/Wrong.php", "namespace App; class Other {}"),
        ("src/Foreign.php", "namespace Elsewhere; class Foreign {}"),
    ]);
    let rule = site.psr4(&[("App\\", &["src"])]);
    let site = site.loader(Standing::Sure, vec![rule]);
    let violations = site.map().violations;
    assert_eq!(violations.len(), 1, "{violations:?}");
    assert_eq!(
        (violations[0].class.as_slice(), &violations[0].expected),
        (&b"App\\Other"[..], &site.path("src/Other.php"))
    );
}

#[test]
fn psr0_takes_underscores_for_folders_after_the_namespace_only() {
    let site =
        Site::new(&[("lib/Pear/Name.php", "class Pear_Name {}"), ("lib/A_B/C/D.php", "namespace A_B; class C_D {}")]);
    let rule =
        Rule::Psr0 { origin: site.path("x"), prefixes: site.prefixes(&[("Pear_", &["lib"]), ("A_B", &["lib"])]) };
    let site = site.loader(Standing::Sure, vec![rule]);
    assert_eq!(site.classes(), pairs(&[("A_B\\C_D", "lib/A_B/C/D.php"), ("Pear_Name", "lib/Pear/Name.php")]));
}

#[test]
fn folders_that_lead_into_themselves_end() {
    let site = Site::new(&[("src/C.php", "class C {}")]);
    fs::create_dir(site.path("src/sub")).unwrap();
    symlink("..", site.path("src/sub/up")).unwrap();
    symlink("../../src", site.path("src/sub/again")).unwrap();
    let rule = site.psr4(&[("", &["src"])]);
    let site = site.loader(Standing::Sure, vec![rule]);
    assert_eq!(site.classes(), pairs(&[("C", "src/C.php")]));
}

#[test]
fn the_map_is_the_same_from_run_to_run() {
    let sources: Vec<_> = (0..300)
        .map(|n| (format!("src/d{}/C{n}.php", n % 17), format!("namespace d{}; class C{n} {{}}", n % 17)))
        .collect();
    let files: Vec<_> = sources.iter().map(|(path, source)| (path.as_str(), source.as_str())).collect();
    let site = Site::new(&files);
    let rule = site.psr4(&[("", &["src"])]);
    let site = site.loader(Standing::Sure, vec![rule]);
    let first = site.classes();
    assert_eq!(first.len(), 300);
    for _ in 0..10 {
        assert_eq!(site.classes(), first);
    }
}

#[test]
fn of_a_folder_what_is_below_comes_before_what_is_beside() {
    let site = Site::new(&[("all/lib-old/C.php", "class C {}"), ("all/lib/C.php", "class C {}")]);
    let rule = Rule::Folders { origin: site.path("x"), paths: vec![site.path("all")], excluded: Default::default() };
    let site = site.loader(Standing::Sure, vec![rule]);
    assert_eq!(site.classes(), pairs(&[("C", "all/lib/C.php")]));
}

/// Each of them was looked for among all the others: a minute.
#[test]
fn many_classes_in_a_file_and_many_files_of_a_class_take_no_longer_each() {
    let many: String = (0..30_000).map(|number| format!("class C{number} {{}}\n")).collect();
    let mut site = Site::new(&[("src/Many.php", &many)]);
    for number in 0..3000 {
        fs::write(site.path(&format!("src/s{number}.php")), "<?php class Same {}").unwrap();
    }
    symlink("src", site.path("linked")).unwrap();
    let paths = vec![site.path("src"), site.path("linked"), site.path("src/Many.php")];
    let rule = Rule::Folders { origin: site.path("list.php"), paths, excluded: crate::Excluded::default() };
    site = site.loader(Standing::Sure, vec![rule]);
    let start = std::time::Instant::now();
    let map = site.map();
    assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(map.entries.len(), 30_001);
    let same = map.duplicates.iter().find(|one| one.class == "Same").unwrap();
    assert_eq!((same.wins.as_ref(), same.others.len()), (Some(&site.bytes("src/s0.php")), 2999));
}

/// `file_exists` says so, and Composer's and MediaWiki's loaders look no further.
#[test]
fn a_folder_by_the_name_of_a_file_hides_the_next_one() {
    let site = Site::new(&[("one/A.php/x.txt", ""), ("two/A.php", "class A {}"), ("two/B.php", "class B {}")]);
    symlink("nowhere", site.path("one/B.php")).unwrap();
    let rule = site.psr4(&[("", &["one", "two"])]);
    let map = site.loader(Standing::Sure, vec![rule]).map();
    let names: Vec<_> = map.entries.iter().map(|entry| entry.class.to_string()).collect();
    assert_eq!(names, ["B"]);
}
