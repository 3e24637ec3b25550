use super::*;

#[test]
fn what_is_kept_is_bounded_and_one_line() {
    let mut stderr = Stderr::default();
    assert!(stderr.is_empty() && stderr.line().is_empty());
    stderr.push(b"PHP message: PHP Fatal error:\r\n  Uncaught \x1b[31mError\xff\0\n\n");
    assert_eq!(stderr.line(), "PHP message: PHP Fatal error: Uncaught [31mError\u{fffd}");
    assert!(stderr.says(b"Fatal") && !stderr.says(b"Primary"));
    stderr.push(&[b'x'; 3 * MOST]);
    stderr.push(b"more");
    assert_eq!(stderr.bytes().len(), MOST);
    assert!(stderr.line().ends_with(" bytes more)"), "{}", stderr.line());
    stderr.clear();
    assert_eq!(stderr, Stderr::default());
}
