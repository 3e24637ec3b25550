use super::*;

#[test]
fn columns_are_as_wide_as_their_cells() {
    let rows =
        [vec!["1".to_owned(), "weigh".to_owned(), "x".to_owned()], vec!["12".into(), "load".into(), String::new()]];
    let text = columns(&["run", "command", "what"], &rows, &[true, false, false]);
    assert_eq!(text, "run  command  what\n  1  weigh    x\n 12  load\n");
}

#[test]
fn no_escape_sequence_reaches_the_terminal() {
    let text = columns(&["what"], &[vec!["a\u{1b}[31mb\n".to_owned()]], &[false]);
    assert_eq!(text, "what\na␛[31mb␊\n");
    // A label that turned the direction of all that followed it.
    let text = columns(&["what"], &[vec!["a=\u{202e}x".to_owned()]], &[false]);
    assert_eq!(text, "what\na=‹U+202E›x\n");
}
