use super::READERS;

#[test]
fn every_reader_has_a_row() {
    let page = include_str!("../../../../docs/reference/classmap.md");
    for reader in READERS {
        let row = format!("| `{}` |", reader.name());
        assert!(page.contains(&row), "{row} is not in docs/reference/classmap.md");
    }
}
