use super::*;

#[test]
fn whatever_is_written_in_whatever_pieces_is_ascii() {
    let text = "α ± µs → … ▁█ \u{1f600} 日";
    for size in 1..6 {
        let mut out = Vec::new();
        let mut edge = Edge::new(&mut out, true);
        text.as_bytes().chunks(size).for_each(|piece| edge.write_all(piece).unwrap());
        assert_eq!(std::str::from_utf8(&out).unwrap(), "? +/- us -> ... _# ? ?", "{size}");
    }
    let mut out = Vec::new();
    Edge::new(&mut out, true).write_all(b"a\xffb\xc3").unwrap();
    assert!(out.is_ascii());
}

#[test]
fn what_is_copied_stays() {
    let mut out = Vec::new();
    let mut edge = Edge::new(&mut out, true);
    write!(edge, "→ ").unwrap();
    edge.verbatim("/srv/café").unwrap();
    write!(edge, " é").unwrap();
    assert_eq!(std::str::from_utf8(&out).unwrap(), "-> /srv/café ?");
}

#[test]
fn what_need_not_be_ascii_stays() {
    let mut out = Vec::new();
    Edge::new(&mut out, false).write_all("±".as_bytes()).unwrap();
    assert_eq!(out, "±".as_bytes());
}
