use super::*;

#[test]
fn the_last_lines_are_kept_and_no_more() {
    let words = LastWords::default();
    assert_eq!(words.behind_colon(), "");
    for number in 0..100_000 {
        words.take(format!("line {number}\r\n").as_bytes());
    }
    assert_eq!(words.text(), "line 99995 / line 99996 / line 99997 / line 99998 / line 99999");
    assert!(words.bytes.lock().unwrap().len() <= KEPT);
    words.take(b"+ PGPASSWORD=hunter2 ssh db1\n");
    assert!(words.text().ends_with("/ + PGPASSWORD=… ssh db1"), "{}", words.text());
    words.take(b"\x1b[31mdenied\n");
    assert!(words.behind_colon().starts_with(": line 99997") && words.text().ends_with(" /  [31mdenied"));
}

#[test]
fn a_secret_whose_name_was_cut_off_is_not_told() {
    let words = LastWords::default();
    words.take(format!("+ PGPASSWORD={} ssh db1\n", "hunter2".repeat(KEPT / 7)).as_bytes());
    assert_eq!(words.text(), "");
    words.take(b" 10 %\r 20 %\rdenied\n");
    assert_eq!(words.text(), "10 % / 20 % / denied", "each of a line that is written over");
}
