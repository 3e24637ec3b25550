use super::request_id;

#[test]
fn a_uuid_of_version_4() {
    let mut ids = std::collections::HashSet::new();
    for _ in 0..10_000 {
        let mut id = b"x".to_vec();
        request_id(&mut id);
        let id = String::from_utf8(id.split_off(1)).unwrap();
        let parts: Vec<&str> = id.split('-').collect();
        assert_eq!(parts.iter().map(|part| part.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert!(id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{id}");
        assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']), "{id}");
        assert!(ids.insert(id));
    }
}
