use super::*;

#[test]
fn what_has_no_room_is_counted() {
    let mut sheet = Sheet::new(1_000);
    let mut table = Table { head: vec![("name".to_owned(), false), ("figure".to_owned(), true)], ..Table::default() };
    table.rows.extend((0..30).map(|n| vec![format!("`row {n}`"), "1.00 ms".to_owned()]));
    sheet.part("# Title");
    sheet.table(&table);
    sheet.part(&"x".repeat(600));
    sheet.details("more", |sheet| sheet.part(&"y".repeat(600)));
    let text = sheet.finish();
    assert!(text.len() <= 1_000, "{}", text.len());
    assert!(text.contains("| `row 0` | 1.00 ms |\n") && text.contains(" more rows*"), "{text}");
    assert!(text.ends_with("*Left out for lack of space: 2 parts. The JSON document has everything.*\n"), "{text}");
}

#[test]
fn a_short_text_says_nothing_of_room() {
    let mut sheet = Sheet::new(1_000);
    sheet.list(["one".to_owned()]);
    sheet.details("more", |sheet| sheet.part("inside"));
    let text = "- one\n\n<details>\n<summary>more</summary>\n\ninside\n\n</details>\n";
    assert_eq!(sheet.finish(), text);
}
