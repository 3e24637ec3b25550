//! docs/concepts/caching.md: its blocks, as they are printed.

const PAGE: &str = include_str!("../../../docs/concepts/caching.md");

/// The block of this language and name: ```` ```sql postgresql ````.
#[track_caller]
pub(crate) fn block(language: &str, name: &str) -> &'static str {
    let head = format!("```{language} {name}\n");
    let mut parts = PAGE.split(&*head).skip(1);
    let (Some(rest), None) = (parts.next(), parts.next()) else {
        panic!("docs/concepts/caching.md has not one block {head:?}")
    };
    rest.split("```").next().expect("split gives one")
}

/// A validator's lines, with this database in place of the example's, and all the time that a busy machine takes.
#[track_caller]
pub(crate) fn validator(name: &str, database: &str) -> String {
    let lines = block("toml", name).lines().map(|line| match line.split_once(" = ") {
        Some(("database", _)) => format!("database = \"{database}\""),
        _ => line.to_owned(),
    });
    let lines: Vec<String> = lines.collect();
    assert!(lines.iter().any(|line| line.contains(database)), "{lines:?}");
    format!("{}\ntimeout = \"30s\"\n", lines.join("\n"))
}
