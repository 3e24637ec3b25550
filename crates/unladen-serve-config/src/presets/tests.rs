use super::*;

/// Whether a page of the documentation tells what it does.
fn page(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/presets");
    std::fs::read_to_string(format!("{folder}/{name}.md")).unwrap_or_else(|error| panic!("{name}.md: {error}"))
}

#[test]
fn each_is_toml_of_its_own_name() {
    for preset in &PRESETS {
        let (_, bads) = unladen_toml::Document::parse(preset.fragment);
        assert!(bads.is_empty(), "{}: {bads:?}", preset.name);
        let of_name = names().into_iter().filter(|name| *name == preset.name).count();
        assert_eq!(of_name, 1, "{} is another's name", preset.name);
    }
    assert_eq!(names().len(), PRESETS.len());
}

#[test]
fn each_has_a_page_that_shows_what_it_says() {
    let list = page("README");
    for preset in &PRESETS {
        let text = page(preset.name);
        assert!(text.contains(&format!("preset = \"{}\"", preset.name)), "{} is not shown", preset.name);
        assert!(list.contains(&format!("({}.md)", preset.name)), "{} is not in the list", preset.name);
        let written = text.split_once("```toml preset\n").and_then(|(_, rest)| rest.split_once("```\n"));
        let (written, _) = written.unwrap_or_else(|| panic!("{}.md does not show its fragment", preset.name));
        assert_eq!(written, preset.fragment, "{}.md shows another fragment", preset.name);
    }
}

#[test]
fn each_has_a_configuration_to_begin_with() {
    for preset in &PRESETS {
        let starter = STARTERS.iter().find(|starter| starter.name == preset.name);
        let starter = starter.unwrap_or_else(|| panic!("--init {} writes nothing", preset.name));
        assert!(starter.text.contains(&format!("\npreset = \"{}\"\n", preset.name)), "{}", starter.text);
    }
}
