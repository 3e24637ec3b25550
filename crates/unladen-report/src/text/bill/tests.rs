use unladen_document::Document;

use crate::format::Format;
use crate::format::write_kept;
use crate::formats::FORMATS;
use crate::style::Style;

/// A site of nine kinds, as `unladen bill` measured it.
const BILL: &str = include_str!("../../../../unladen-publish/src/html/tests/bill.json");

fn written(format: &dyn Format, style: Style) -> String {
    let document = Document::read(BILL.as_bytes()).unwrap();
    let mut out = Vec::new();
    write_kept(&document, format, style, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn the_first_screen_of_a_bill_reads_like_this_and_fits_80_by_24() {
    let text = written(FORMATS[0], Style { details: false, ..Style::plain(80) });
    let too_long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
    assert!(text.lines().count() <= 24, "{} lines\n{text}", text.lines().count());
    insta::assert_snapshot!(text);
}

#[test]
fn a_bill_in_full_reads_like_this() {
    insta::assert_snapshot!(written(FORMATS[0], Style::plain(120)));
}

#[test]
fn kinds_are_drawn_as_areas() {
    let picture = written(FORMATS[2], Style::plain(80));
    assert!(picture.contains("Main_Page") && picture.matches("<rect").count() > 5, "{picture}");
}
