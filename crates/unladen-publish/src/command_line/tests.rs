use super::*;

#[test]
fn a_shell_reads_the_words_back() {
    let words = ["weigh", "-H", "Cookie: it's", "", "http://x/?a=1"].map(String::from);
    assert_eq!(command_line(&words), r"weigh -H 'Cookie: it'\''s' '' 'http://x/?a=1'");
}
