use super::*;

#[test]
fn what_stands_in_texts_is_no_structure() {
    let text = |inner: &str| format!("[\"{}\"]", inner.repeat(MAX_STRUCTURES));
    assert!(has_room(text("{").as_bytes()));
    assert!(has_room(text(r#"\"{"#).as_bytes()));
    assert!(!has_room(text(r#"",{},""#).as_bytes()));
    assert!(!has_room(text(r#"\\",{},""#).as_bytes()));
}

#[test]
fn there_are_only_so_many_values() {
    let list = |one: &str| format!("[{}0]", one.repeat(MAX_VALUES));
    assert!(!has_room(list("0,").as_bytes()));
    assert!(!has_room(list("\"\",").as_bytes()));
    assert!(has_room("[0,0]".repeat(1000).as_bytes()));
}
