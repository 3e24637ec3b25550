use super::*;

#[test]
fn titles_as_pages_have_them() {
    for (html, expected) in [
        ("<html><head><TITLE >Main\n Page</TITLE>", Some("Main Page")),
        ("<title lang='de'>Caf&eacute; &amp; Bar &#8211; &#x41;</title>", Some("Caf&eacute; & Bar – A")),
        ("<titles>no</titles><title>yes</title>", Some("yes")),
        ("<title></title>", None),
        ("<title", None),
        ("<title>cut of", Some("cut of")),
        ("no page", None),
        ("<title>&amp &; &#xffffffff; &#55296;</title>", Some("&amp &; &#xffffffff; &#55296;")),
    ] {
        assert_eq!(title(html).as_deref(), expected, "{html}");
    }
}

/// A title could write to the terminal, turn the line around, or fill the screen.
#[test]
fn what_comes_from_outside_steers_nothing() {
    assert_eq!(inert("a\u{1b}[2J\u{202e}b\u{200b}\tc\r\nd"), "a [2J b c d");
    assert_eq!(title("<title>&#27;[31m&#x202e;x</title>").as_deref(), Some("[31m x"));
    let long = inert(&"wörd ".repeat(100_000));
    assert!(long.chars().count() <= LONGEST + 1 && long.ends_with('…'), "{long}");
}

#[test]
fn words_are_those_that_are_read() {
    let html = "<html><style>b{}</style><SCRIPT>if (a < b) {}</SCRIPT><!-- <b>no</b> --><p>Hello, <b>world</b>!</p>";
    assert_eq!(inert(&read_text(html, 1_000)), "Hello, world !");
    assert_eq!(inert(&read_text("<script>never closed", 1_000)), "");
    assert_eq!(inert(&read_text("<", 1_000)), "");
}
