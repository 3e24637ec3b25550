use super::*;

/// 67 bytes of JSON were weighed as if they were the page.
#[test]
fn what_came_was_not_named() {
    let page = Answer {
        status: 200,
        media_type: "text/html".into(),
        bytes: 17_100,
        decoded_bytes: Some(54_200),
        coding: "gzip".into(),
        title: "Main Page".into(),
        ..Answer::default()
    };
    assert_eq!(page.told(), "\"Main Page\", 200, 17.1 kB of HTML, gzip (54.2 kB unpacked)");
    let error = Answer {
        status: 200,
        media_type: "application/json".into(),
        bytes: 67,
        words: "{\"error\"}".into(),
        ..Answer::default()
    };
    assert_eq!(error.told(), "{\"error\"}, 200, 67 B of JSON");
    let away = Answer { status: 302, location: Some("/login".into()), ..Answer::default() };
    assert_eq!(away.told(), "302 to /login, 0 B");
}
