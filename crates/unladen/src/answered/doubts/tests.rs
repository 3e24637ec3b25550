use super::*;

fn titled(title: &str) -> Answer {
    Answer { status: 200, title: title.to_owned(), ..Answer::default() }
}

fn said(answer: &Answer, body: &str, is_known: bool) -> Option<Doubt> {
    let json = serde_json::from_str(body).ok();
    let text = super::super::text::read_text(body, 10_000);
    doubts(answer, &Page { body, text: &text, json: json.as_ref(), is_login: false, is_known })
}

/// A form was answered 1,691 times by an error of 67 bytes, status 200, and that was weighed.
#[test]
fn an_error_in_json_was_weighed_as_the_page() {
    for body in [
        r#"{"error": {"code": 6, "message": "no such method"}}"#,
        r#"{"error":"bad csrf"}"#,
        r#"{"errors": ["a"], "data": null}"#,
        r#"{"success": false}"#,
        r#"{"status": "error"}"#,
    ] {
        assert!(matches!(said(&titled(""), body, false), Some(Doubt::Failed { .. })), "{body}");
    }
    for body in [
        r#"{"error": null, "data": 1}"#,
        r#"{"error": 0}"#,
        r#"{"errors": []}"#,
        r#"{"success": true}"#,
        r#"[{"error": 1}]"#,
    ] {
        assert_eq!(said(&titled(""), body, false), None, "{body}");
    }
    let doubt = said(&titled(""), r#"{"error":"bad \u001b[2Jtoken=4711"}"#, false).map(|doubt| doubt.to_string());
    assert!(
        doubt.is_some_and(|doubt| !doubt.contains('\u{1b}')
            && !doubt.contains("4711")
            && doubt.contains("--expect-body"))
    );
}

#[test]
fn pages_of_errors_by_their_titles() {
    for title in [
        "404 Not Found",
        "Error",
        "WordPress › Error",
        "Seite nicht gefunden – Beispiel",
        "Erreur 500",
        "Page introuvable | Exemple",
        "Error 404 (Not Found)!!1",
        "Wartungsarbeiten",
        "Just a moment...",
        "503 Service Temporarily Unavailable",
    ] {
        assert!(matches!(said(&titled(title), "<p>x", false), Some(Doubt::Error { .. })), "{title}");
    }
    for title in [
        "Error handling in Rust",
        "Fehlersuche",
        "The Forbidden City",
        "Main Page",
        "Bus 404 to Not Far",
        "Maintenance of bicycles - Shop",
        "",
    ] {
        assert_eq!(said(&titled(title), "<p>x", false), None, "{title}");
    }
    assert!(said(&titled("Home"), "<br />\n<b>Fatal error</b>:  Uncaught Error", false).is_some());
}

/// A session was bound to the browser: each request got the login's page instead.
#[test]
fn a_login_was_weighed_as_the_page_behind_it() {
    for title in ["Log in - Wiki", "Anmelden", "Connexion · Forum", "Log In ‹ My Site — WordPress", "Sign in"] {
        let doubt = said(&titled(title), "<p>x", true);
        let text = doubt.map(|doubt| doubt.to_string()).unwrap_or_default();
        assert!(text.contains("belong to another browser") && text.contains("User-Agent"), "{title}: {text}");
        let text = said(&titled(title), "<p>x", false).map(|doubt| doubt.to_string()).unwrap_or_default();
        assert!(text.contains("-b 'NAME=VALUE'"), "{title}: {text}");
    }
    let form = "<form><input name=u><input class=a TYPE = 'password' name=p></form>";
    assert!(said(&titled("Webmail"), form, false).is_some(), "hardly more than a form");
    let page = format!("{form}<p>{}", "A long page of a forum. ".repeat(100));
    assert_eq!(said(&titled("Forum"), &page, false), None, "a small one in a corner");
    assert!(said(&titled("Forum"), &page, true).is_some(), "who is logged in is not asked");
    assert_eq!(said(&titled("Blogin"), "<input type=text value=password>", false), None);
}

#[test]
fn a_browser_got_another_page() {
    let page = |title: &str, bytes| Answer { bytes, ..titled(title) };
    let ours = page("Shop", 1_740);
    assert!(browsers(&ours, &ours, &page("Shop", 48_200)).is_some(), "much larger");
    assert!(browsers(&ours, &ours, &page("Not supported", 1_740)).is_some());
    assert_eq!(browsers(&ours, &ours, &page("Shop", 1_980)), None);
    assert_eq!(browsers(&ours, &page("(3) Shop", 1_740), &page("(4) Shop", 1_740)), None, "it differs by itself");
}
