use super::*;

/// The name of a file or a process that a message names cleared the screen, or set the terminal's title.
#[test]
fn a_name_in_a_message_steered_the_terminal() {
    let name = "a\u{1b}[2J\u{1b}]0;x\u{7}\u{9b}\u{202e}\rb";
    let said = said(format_args!("unladen: cannot read {name}\nnext"));
    assert_eq!(said, "unladen: cannot read a␛[2J␛]0;x␇‹U+009B›‹U+202E›␍b\nnext\n");
}
