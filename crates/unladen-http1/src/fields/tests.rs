use crate::{Fields, Name};

fn fields(list: &[(&str, &str)]) -> Fields {
    let mut fields = Fields::default();
    for (name, value) in list {
        fields.push(name.as_bytes(), value.as_bytes());
    }
    fields
}

fn list(fields: &Fields) -> Vec<(String, String)> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    fields.iter().map(|field| (text(field.name), text(field.value))).collect()
}

#[test]
fn fields_are_found_by_what_they_are_and_by_name() {
    let fields = fields(&[("Via", "1"), ("X-Own", "2"), ("via", "3"), ("Date", "")]);
    assert_eq!(fields.get(Name::Via), Some(&b"1"[..]));
    assert_eq!(fields.get(Name::Date), Some(&b""[..]));
    assert_eq!(fields.get(Name::Expect), None);
    assert_eq!(fields.find(b"x-own"), Some(&b"2"[..]));
    assert_eq!(fields.find(b"x-owner"), None);
    assert_eq!((fields.len(), fields.is_empty()), (4, false));
}

#[test]
fn tokens_are_whole_members_of_any_line() {
    let fields = fields(&[("Connection", "a, Keep-Alive ,,"), ("connection", "\tb\t"), ("TE", "trailers;q=1")]);
    for (id, token, has) in [
        (Name::Connection, "keep-alive", true),
        (Name::Connection, "A", true),
        (Name::Connection, "b", true),
        (Name::Connection, "keep", false),
        (Name::Connection, "a, keep-alive", false),
        (Name::Te, "trailers", false),
        (Name::Upgrade, "a", false),
    ] {
        assert_eq!(fields.has_token(id, token.as_bytes()), has, "{id:?} {token}");
    }
}

#[test]
fn fields_are_taken_off() {
    let mut fields = fields(&[("A", "1"), ("Via", "2"), ("B", "3"), ("VIA", "4")]);
    fields.remove(Name::Via);
    assert_eq!(list(&fields), [("A".into(), "1".into()), ("B".into(), "3".into())]);
    fields.remove(Name::Other);
    assert_eq!(fields.len(), 2);
    fields.retain(|field| field.value != b"1");
    assert_eq!(list(&fields), [("B".into(), "3".into())]);
    fields.clear();
    assert!(fields.is_empty() && fields.arena.is_empty());
    assert!(fields.arena.capacity() > 0, "the memory is kept");
}

#[test]
fn setting_leaves_one_of_a_name() {
    let mut fields = fields(&[("A", "1"), ("Date", "2"), ("a", "3"), ("B", "4"), ("date", "5")]);
    fields.set(b"a", b"longer than before");
    fields.set(b"DATE", b"");
    fields.set(b"C", b"6");
    let expected = [("a", "longer than before"), ("DATE", ""), ("B", "4"), ("C", "6")];
    assert_eq!(list(&fields), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}
