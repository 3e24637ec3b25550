//! No files of a crate use names defined in each other, in a loop: whoever reads one has to read what it uses, and no
//! more than that.

use std::fs;
use std::path::Path;

use unladen_tests::circles::{Circle, Sources, circles};

/// The circle of this made-up crate, as it is told; empty if there is none.
fn told(files: &[(&str, &str)]) -> String {
    let circles = circles(&Sources::made_up(files)).unwrap();
    circles.iter().map(Circle::to_string).collect::<Vec<_>>().join("\n")
}

// === Of the workspace ===

#[test]
fn no_files_use_each_other_in_a_loop() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let (_, list) = manifest.split_once("members = [").unwrap();
    let (list, _) = list.split_once(']').unwrap();
    let mut members: Vec<String> = Vec::new();
    for member in list.split('"').skip(1).step_by(2) {
        match member.strip_suffix("/*") {
            None => members.push(member.to_owned()),
            Some(folder) => {
                let names = fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().file_name());
                members.extend(names.map(|name| format!("{folder}/{}", name.to_str().unwrap())));
            }
        }
    }
    members.retain(|member| root.join(member).join("Cargo.toml").is_file());
    members.sort();
    assert!(members.len() > 10, "{members:?}");
    let of_member = |member: &String| {
        let found = match circles(&Sources::of_member(root, member)) {
            Ok(circles) => circles.iter().map(Circle::to_string).collect(),
            Err(unread) => vec![unread],
        };
        let folder = format!("{member}/src");
        found.into_iter().map(move |circle| format!("{folder}: {}", circle.replace(&format!("{folder}/"), "")))
    };
    let found: Vec<String> = members.iter().flat_map(of_member).collect();
    let advice = "Cut one use of each: move what both need to a file of its own, hand it over as a parameter, or make \
                  the two files one.";
    assert!(found.is_empty(), "{} circles of files.\n{advice}\n{}", found.len(), found.join("\n"));
}

// === What is a circle ===

#[test]
fn two_files_that_use_each_other_are_a_circle() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::Y; pub struct X; pub fn x(_: Y) {}"),
        ("b.rs", "pub struct Y; pub fn y() -> Option<crate::a::X> { None }"),
    ];
    assert_eq!(told(&files), "a.rs uses Y of b.rs; b.rs uses X of a.rs");
}

#[test]
fn three_files_are_a_circle_and_the_shortest_way_is_told() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use super::b; pub const A: u8 = b::B;"),
        ("b.rs", "use crate::{c::C, d}; pub const B: u8 = C + d::D;"),
        ("c.rs", "pub const C: u8 = crate::a::A;"),
        ("d.rs", "use crate::c::C; pub const D: u8 = C;"),
    ];
    assert_eq!(told(&files), "a.rs uses B of b.rs; b.rs uses C of c.rs; c.rs uses A of a.rs");
}

#[test]
fn each_circle_is_told() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "pub use A as Z; pub struct A(super::b::B);"),
        ("b.rs", "pub struct B(super::a::A);"),
        ("c.rs", "pub struct C(super::d::D);"),
        ("d.rs", "pub struct D(super::c::C);"),
    ];
    assert_eq!(told(&files), "a.rs uses B of b.rs; b.rs uses A of a.rs\nc.rs uses D of d.rs; d.rs uses C of c.rs");
}

#[test]
fn a_parent_and_its_child_are_a_circle() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod b; pub struct A; impl A { pub fn new() -> Self { b::made() } }"),
        ("a/b.rs", "use super::A; pub fn made() -> A { A }"),
    ];
    assert_eq!(told(&files), "a.rs uses made of a/b.rs; a/b.rs uses A of a.rs");
}

#[test]
fn modules_of_modules_are_found_in_either_layout() {
    let files = [
        ("lib.rs", "mod a; mod d { mod e; pub use e::E; }"),
        ("a/mod.rs", "mod b; mod c;"),
        ("a/b/mod.rs", "pub struct B(crate::d::E);"),
        ("a/c.rs", "pub use super::b::B;"),
        ("d/e.rs", "pub struct E(crate::a::c::B);"),
    ];
    assert_eq!(told(&files), "a/b/mod.rs uses E of d/e.rs; d/e.rs uses B of a/b/mod.rs");
}

#[test]
fn a_file_may_stand_where_its_attribute_says() {
    let files = [
        (
            "lib.rs",
            "#[cfg(feature = \"x\")] mod a; #[cfg(not(feature = \"x\"))] #[path = \"other/without.rs\"] mod a; mod b;",
        ),
        ("a.rs", "pub struct A;"),
        ("other/without.rs", "pub struct A(crate::b::B);"),
        ("b.rs", "pub struct B(crate::a::A);"),
    ];
    assert_eq!(told(&files), "b.rs uses A of other/without.rs; other/without.rs uses B of b.rs");
}

#[test]
fn a_root_is_a_file_as_any_other() {
    let files =
        [("main.rs", "mod a; struct Job; fn main() { a::run(); }"), ("a.rs", "pub fn run() -> crate::Job { todo!() }")];
    assert_eq!(told(&files), "a.rs uses Job of main.rs; main.rs uses run of a.rs");
}

// === Ways of names ===

#[test]
fn a_re_export_leads_to_who_defines_the_name() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use a::A; pub(crate) use crate::b::B as Renamed;"),
        ("a.rs", "use crate::Renamed; pub struct A(Renamed);"),
        ("b.rs", "pub struct B(crate::A);"),
    ];
    assert_eq!(told(&files), "a.rs uses Renamed of b.rs; b.rs uses A of a.rs");
}

#[test]
fn a_glob_leads_to_who_defines_the_name() {
    let files = [
        ("lib.rs", "mod a; mod b; mod all { pub use crate::a::*; pub use crate::b::*; }"),
        ("a.rs", "use crate::all::*; pub struct A(B);"),
        ("b.rs", "use crate::all::*; pub struct B(A);"),
    ];
    assert_eq!(told(&files), "a.rs uses B of b.rs; b.rs uses A of a.rs");
}

#[test]
fn a_child_may_see_all_of_its_parent() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod b; fn help() {} pub fn start() { b::run(); }"),
        ("a/b.rs", "use super::*; pub fn run() { help(); }"),
    ];
    assert_eq!(told(&files), "a.rs uses run of a/b.rs; a/b.rs uses help of a.rs");
    let variable = "use super::*; pub fn run(help: u8) -> u8 { help }";
    assert_eq!(told(&[files[0], files[1], ("a/b.rs", variable)]), "", "a variable is none of the parent's names");
}

#[test]
fn a_variable_of_a_modules_name_does_not_hide_it() {
    let files = [
        ("lib.rs", "mod a; mod text;"),
        ("a.rs", "use crate::text; pub struct A; pub fn a() { let text = text::read(); format!(\"{text}\"); }"),
        ("text.rs", "pub fn read() -> crate::a::A { todo!() }"),
    ];
    assert_eq!(told(&files), "a.rs uses read of text.rs; text.rs uses A of a.rs");
}

#[test]
fn a_module_of_the_same_name_as_its_function_is_found() {
    let files = [
        ("lib.rs", "mod run; mod plan; use run::run; pub fn go() { run(); }"),
        ("run.rs", "use crate::plan::{self, Plan}; pub fn run() -> Plan { plan::make() }"),
        ("plan.rs", "pub struct Plan; pub fn make() -> Plan { crate::run::run() }"),
    ];
    assert_eq!(told(&files), "plan.rs uses run of run.rs; run.rs uses Plan, make of plan.rs");
}

#[test]
fn an_import_without_a_name_is_a_use() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::Extend as _; pub struct A; pub fn grown() -> A { A.grow() }"),
        (
            "b.rs",
            "pub trait Extend { fn grow(self) -> Self; } impl Extend for crate::a::A { fn grow(self) -> Self { self } }",
        ),
    ];
    assert_eq!(told(&files), "a.rs uses Extend of b.rs; b.rs uses A of a.rs");
}

#[test]
fn what_a_function_imports_it_uses() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "pub enum A { One } pub fn a() { use crate::b::b; b(); }"),
        ("b.rs", "pub fn b() { use crate::a::A::{self, *}; let _ = One; }"),
    ];
    assert_eq!(told(&files), "a.rs uses b of b.rs; b.rs uses A of a.rs");
}

#[test]
fn macros_are_looked_into() {
    let b = ("b.rs", "pub fn b() -> u8 { crate::a::a() }");
    for call in [
        "format!(\"{}\", crate::b::b())",
        "assert_eq!(super::b::b(), 3)",
        "vec![0, b::b()]",
        "tokio::select! { biased; () = b::b() => {} done = other() => {} }",
        "matches!(1, 0..crate::b::b)",
        "format!(\"{}\", { println!(\"{}\", b::b()) })",
    ] {
        let a = format!("use super::b; pub fn a() {{ {call}; }}");
        let told = told(&[("lib.rs", "mod a; mod b;"), ("a.rs", &a), b]);
        assert_eq!(told, "a.rs uses b of b.rs; b.rs uses a of a.rs", "{call}");
    }
}

#[test]
fn macros_of_the_crate_are_names_too() {
    let files = [
        ("lib.rs", "macro_rules! say { ($text:expr) => { $crate::said::said($text) } } mod said; mod a;"),
        ("a.rs", "pub fn a() { say!(1); }"),
        ("said.rs", "pub fn said(_: u8) { crate::a::a(); }"),
    ];
    assert_eq!(told(&files), "a.rs uses say of lib.rs; lib.rs uses said of said.rs; said.rs uses a of a.rs");
}

#[test]
fn a_macro_of_a_functions_name_is_none_of_the_parent() {
    let files = [
        ("lib.rs", "mod a;"),
        ("a.rs", "mod b; pub fn write() { b::show(); }"),
        ("a/b.rs", "pub fn show() { write!(String::new(), \"\"); }"),
    ];
    assert_eq!(told(&files), "");
    let own = ("a.rs", "macro_rules! write { () => {} } mod b; pub fn show() { b::show(); }");
    assert_eq!(told(&[files[0], own, files[2]]), "a.rs uses show of a/b.rs; a/b.rs uses write of a.rs");
    let imported = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::say; pub fn a() { say!(); }"),
        ("b.rs", "macro_rules! say { () => { crate::a::a() } } pub(crate) use say;"),
    ];
    assert_eq!(told(&imported), "a.rs uses say of b.rs; b.rs uses a of a.rs");
}

#[test]
fn attributes_are_looked_into() {
    for attribute in [
        "#[serde(with = \"crate::b::hex\")]",
        "#[error(\"{}\", crate::b::hex(self))]",
        "#[arg(value_parser = crate::b::hex)]",
    ] {
        let a = format!("{attribute} pub struct A;");
        let told = told(&[("lib.rs", "mod a; mod b;"), ("a.rs", &a), ("b.rs", "pub fn hex(_: &crate::a::A) {}")]);
        assert_eq!(told, "a.rs uses hex of b.rs; b.rs uses A of a.rs", "{attribute}");
    }
}

#[test]
fn what_a_macro_defines_is_its_files() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "thread_local! { pub static NOW: u8 = const { crate::b::b() }; }"),
        ("b.rs", "pub const fn b() -> u8 { crate::a::NOW.get() }"),
    ];
    assert_eq!(told(&files), "a.rs uses b of b.rs; b.rs uses NOW of a.rs");
}

// === What is none ===

#[test]
fn a_parent_that_declares_and_hands_out_uses_nothing() {
    let files = [
        ("lib.rs", "pub mod a;"),
        ("a.rs", "mod b; mod c; pub use b::B; pub(crate) use c::*; pub struct A;"),
        ("a/b.rs", "use super::A; pub struct B(A, super::C);"),
        ("a/c.rs", "pub struct C;"),
    ];
    assert_eq!(told(&files), "");
}

#[test]
fn a_circle_in_tests_alone_is_none() {
    let files = [
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod fixture;"),
        (
            "a.rs",
            "pub struct A; #[cfg(test)] use crate::b::B; #[cfg(test)] mod tests { use super::*; use crate::b::B; } #[cfg(all(test, unix))] fn t(_: crate::b::B) {}",
        ),
        (
            "b.rs",
            "pub struct B(crate::a::A); impl B { #[cfg(test)] fn t(&self) -> crate::fixture::F { todo!() } } #[cfg(test)] mod tests;",
        ),
        ("b/tests.rs", "mod more; use super::*; use crate::a::A;"),
        ("b/tests/more.rs", ""),
        ("fixture.rs", "pub struct F(crate::b::B);"),
    ];
    assert_eq!(told(&files), "");
    let either = ("a.rs", "pub struct A; #[cfg(any(test, feature = \"x\"))] fn t(_: crate::b::B) {}");
    assert_eq!(
        told(&[files[0], either, files[2], files[3], files[4], files[5]]),
        "a.rs uses B of b.rs; b.rs uses A of a.rs"
    );
}

#[test]
fn strings_and_comments_use_nothing() {
    let files = [
        ("lib.rs", "mod a; mod b;"),
        (
            "a.rs",
            "//! As [`crate::b::B`].\n/// See [`B`](crate::b::B). /* crate::b::B */\npub struct A; // use crate::b::B;\nconst T: &str = \"use crate::b::B; crate::b::b()\";\nfn t() { println!(\"crate::b::B {}\", r#\"crate::b::B\"#); }",
        ),
        ("b.rs", "pub struct B(crate::a::A); pub fn b() {}"),
    ];
    assert_eq!(told(&files), "");
}

#[test]
fn names_of_other_crates_are_none_of_ours() {
    let files = [
        ("lib.rs", "mod http; mod a;"),
        ("http.rs", "use ::http::a; pub use bytes::Bytes; pub fn get() -> Bytes { a::A } pub struct Own(crate::a::A);"),
        ("a.rs", "use ::http::Own; use crate::http::Bytes; pub struct A(Own, Bytes, ::http::Request, std::io::Error);"),
    ];
    assert_eq!(told(&files), "");
}

#[test]
fn a_local_name_is_none_of_the_imported() {
    let files = [
        ("lib.rs", "mod a; mod b; pub use b::{B, b};"),
        (
            "a.rs",
            "use crate::*; pub fn a<B>(other: B) -> B { let b = |x| x; format!(\"{}\", b(1)); b(other) } pub struct A;",
        ),
        ("b.rs", "pub struct B(crate::a::A); pub fn b() {}"),
    ];
    assert_eq!(told(&files), "");
}

#[test]
fn a_file_that_nothing_leads_to_is_not_passed_over() {
    let unread = |files: &[(&str, &str)]| circles(&Sources::made_up(files)).unwrap_err();
    assert_eq!(unread(&[("lib.rs", "mod a;"), ("a.rs", ""), ("lost.rs", "")]), "no `mod` leads to lost.rs");
    assert_eq!(unread(&[("lib.rs", "mod a;")]), "lib.rs: `mod a;` has no file");
    assert!(unread(&[("lib.rs", "mod a;"), ("a.rs", "fn (")]).starts_with("a.rs: "));
}
