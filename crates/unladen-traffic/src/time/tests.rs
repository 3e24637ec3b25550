use super::seconds;

#[test]
fn times_of_servers_are_one_time() {
    for text in [
        "10/Oct/2026:13:55:36 +0000",
        "10/Oct/2026:15:25:36 +0130",
        "10/Oct/2026:15:55:36.123 +0200",
        "2026-10-10T13:55:36Z",
        "2026-10-10T05:55:36.123-08:00",
        "1791640536.250",
        "1791640536250",
    ] {
        assert_eq!(seconds(text.as_bytes()), Some(1_791_640_536), "{text}");
    }
    assert_eq!(seconds(b"01/Jan/1970:00:00:00 +0000"), Some(0));
    assert_eq!(seconds(b"29/Feb/2024:00:00:00 +0000"), Some(1_709_164_800));
    for text in ["", "-", "10/Okt/2026:13:55:36", "2026-10-10", "99/Oct/2026:13:55:36 +0000", "1/1/1/1/1", "10/Oct/20"]
    {
        assert_eq!(seconds(text.as_bytes()), None, "{text}");
    }
}
