use super::*;

fn parse(text: &str) -> Result<Preferences, String> {
    Preferences::parse(text, Path::new("config.toml")).map_err(|mistakes| mistakes.to_string())
}

#[test]
fn a_file_says_where_runs_are_kept() {
    assert_eq!(parse("store = 'off'").unwrap().store, None);
    let team = parse("store = 'postgres://runs@db/unladen'\nevidence = false").unwrap();
    assert!(matches!(team.store, Some(Location::Postgres(_))) && team.is_store_named && !team.evidence);
    assert_eq!(parse("").unwrap(), Preferences::default());
}

#[test]
fn mistakes_have_their_place() {
    let said = parse("stroe = 'off'").unwrap_err();
    assert!(said.starts_with("config.toml:1:1: ") && said.contains("`store`"), "{said}");
    assert!(parse("store = 1").unwrap_err().starts_with("config.toml:1:9: "));
    assert!(parse("evidence = 'no'").unwrap_err().contains("evidence"));
}
