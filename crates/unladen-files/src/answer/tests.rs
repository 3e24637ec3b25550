use super::*;

fn meta(length: u64, modified: i64) -> Meta {
    Meta::testing(length, (modified, 5))
}

fn answer(method: &str, fields: &[(&str, &str)]) -> FileAnswer {
    let mut request = Request { method: method.into(), target: b"/a.css".to_vec(), ..Request::default() };
    for (name, value) in fields {
        request.fields.push(name.as_bytes(), value.as_bytes());
    }
    let file = Representation {
        meta: meta(100, 784_111_777),
        length: 100,
        content_type: "text/css; charset=utf-8",
        coding: None,
        varies: true,
        cache_control: Some("max-age=60"),
    };
    FileAnswer::new(&request, &file, Time(2_000_000_000_000))
}

fn field(answer: &FileAnswer, name: &str) -> Option<String> {
    answer.fields.find(name.as_bytes()).map(|value| String::from_utf8_lossy(value).into_owned())
}

#[test]
fn a_whole_file() {
    let whole = answer("GET", &[]);
    assert_eq!((whole.status, &whole.body, whole.length), (200, &FileBody::Part(0..100), 100));
    for (name, wanted) in [
        ("content-type", Some("text/css; charset=utf-8")),
        ("last-modified", Some("Sun, 06 Nov 1994 08:49:37 GMT")),
        ("accept-ranges", Some("bytes")),
        ("cache-control", Some("max-age=60")),
        ("vary", Some("accept-encoding")),
        ("content-encoding", None),
        ("etag", Some("\"ae1b981bc490a05-64\"")),
    ] {
        assert_eq!(field(&whole, name).as_deref(), wanted, "{name}");
    }
}

#[test]
fn conditions_in_their_order() {
    let etag = field(&answer("GET", &[]), "etag").unwrap();
    let weak = format!("W/{etag}");
    let (at, before, after) =
        ("Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:36 GMT", "Sun, 06 Nov 1994 08:49:38 GMT");
    for (fields, wanted) in [
        (vec![("if-none-match", etag.as_str())], 304),
        (vec![("if-none-match", weak.as_str())], 304),
        (vec![("if-none-match", "*")], 304),
        (vec![("if-none-match", "\"x\"")], 200),
        (vec![("if-modified-since", at)], 304),
        (vec![("if-modified-since", after)], 304),
        (vec![("if-modified-since", before)], 200),
        // The tag counts, and the date does not (section 13.1.3).
        (vec![("if-none-match", "\"x\""), ("if-modified-since", after)], 200),
        (vec![("if-match", etag.as_str())], 200),
        (vec![("if-match", weak.as_str())], 412),
        (vec![("if-match", "\"x\"")], 412),
        (vec![("if-unmodified-since", before)], 412),
        (vec![("if-unmodified-since", at)], 200),
        // In the order of section 13.2.2.
        (vec![("if-match", "\"x\""), ("if-none-match", etag.as_str())], 412),
        (vec![("if-match", etag.as_str()), ("if-none-match", etag.as_str())], 304),
        (vec![("if-match", etag.as_str()), ("if-unmodified-since", before)], 200),
    ] {
        assert_eq!(answer("GET", &fields).status, wanted, "{fields:?}");
        assert_eq!(answer("HEAD", &fields).status, wanted, "HEAD {fields:?}");
    }
    let not_modified = answer("GET", &[("if-none-match", "*")]);
    assert_eq!(not_modified.body, FileBody::None);
    assert_eq!(field(&not_modified, "etag"), Some(etag));
    assert_eq!(field(&not_modified, "content-type"), None);
}

#[test]
fn parts() {
    let part = answer("GET", &[("range", "bytes=10-19")]);
    assert_eq!((part.status, part.body.clone(), part.length), (206, FileBody::Part(10..20), 10));
    assert_eq!(field(&part, "content-range").as_deref(), Some("bytes 10-19/100"));
    assert_eq!(answer("GET", &[("range", "bytes=-5")]).body, FileBody::Part(95..100));
    let none = answer("GET", &[("range", "bytes=100-")]);
    assert_eq!((none.status, field(&none, "content-range").as_deref()), (416, Some("bytes */100")));
    assert_eq!(answer("GET", &[("range", "bytes=x")]).status, 200);
    assert_eq!(answer("GET", &[("range", "lines=1-2")]).status, 200);
    assert_eq!(answer("HEAD", &[("range", "bytes=0-1")]).status, 200);
    let many = (0..20).map(|at| format!("{}-{}", at * 4, at * 4)).collect::<Vec<_>>().join(",");
    assert_eq!(answer("GET", &[("range", &format!("bytes={many}"))]).status, 200);
}

#[test]
fn several_parts_say_how_long_they_are() {
    let several = answer("GET", &[("range", "bytes=0-1,10-11")]);
    let FileBody::Parts(parts, framed) = &several.body else { panic!("{several:?}") };
    assert_eq!(*parts, [0..2, 10..12]);
    let length = framed.heads.iter().map(Vec::len).sum::<usize>() + framed.tail.len() + 4;
    assert_eq!((several.status, several.length), (206, length as u64));
    assert_eq!(several.length, framed.length);
    assert!(field(&several, "content-type").unwrap().starts_with("multipart/byteranges; boundary="));
    assert!(String::from_utf8_lossy(&framed.heads[0]).contains("Content-Type: text/css; charset=utf-8\r\n"));
}

#[test]
fn parts_of_what_the_client_has() {
    let etag = field(&answer("GET", &[]), "etag").unwrap();
    let at = "Sun, 06 Nov 1994 08:49:37 GMT";
    for (value, wanted) in [
        (etag.as_str(), 206),
        (&format!("W/{etag}"), 200),
        ("\"x\"", 200),
        (at, 206),
        ("Sun, 06 Nov 1994 08:49:38 GMT", 200),
    ] {
        assert_eq!(answer("GET", &[("range", "bytes=0-1"), ("if-range", value)]).status, wanted, "{value}");
    }
}

#[test]
fn a_file_that_just_changed_has_a_weak_tag() {
    let now = Time(784_111_778_000);
    let just = entity_tag(&meta(1, 784_111_777), None, now);
    assert!(just.starts_with("W/\""), "{just}");
    let settled = entity_tag(&meta(1, 784_111_775), None, now);
    assert!(settled.starts_with('"'), "{settled}");
    assert_ne!(entity_tag(&meta(1, 5), Some(Coding::Gzip), now), entity_tag(&meta(1, 5), None, now));
}

#[test]
fn no_date_is_later_than_now() {
    assert_eq!(meta(1, 4_000_000_000).last_modified(Time(1000)), Time(1000));
    assert_eq!(meta(1, -5).last_modified(Time(1000)), Time(0));
}
