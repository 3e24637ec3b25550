use super::*;

#[test]
fn a_number_stays_with_its_unit() {
    assert_eq!(tied("99 % within 1.5 ms, 3 same"), "99\u{a0}% within 1.5\u{a0}ms, 3 same");
    assert_eq!(tied("é 2 "), "é 2 ");
}

#[test]
fn what_stands_between_backquotes_is_a_name() {
    let words = |text: &str| Words::from(text).to_string();
    assert_eq!(words("set `etag off;` there"), "set <code class=\"s\">etag off;</code> there");
    assert_eq!(words("a ` alone"), "a ` alone");
    assert_eq!(
        Words::new().strong("`unladen serve` in front").to_string(),
        "<code class=\"s\">unladen serve</code><strong> in front</strong>"
    );
}

#[test]
fn a_link_never_leads_elsewhere() {
    let link = |to: &str| Words::new().link(to, "there").to_string();
    assert_eq!(link("#weights"), "<a href=\"#weights\">there</a>");
    assert_eq!(link("/run/12?a=\"&b"), "<a href=\"/run/12?a=%22&amp;b\">there</a>");
    for to in ["javascript:alert(1)", "//evil.example/", "/\\evil.example", "http://evil.example", ""] {
        assert_eq!(link(to), "<code class=\"s\">there</code>", "{to}");
    }
}
