use super::*;

const HOSTS: &str = "\u{feff}
127.0.0.1\tlocalhost
# 192.0.2.9 commented
192.0.2.1  Wiki.example wiki # 192.0.2.8 other
2001:db8::1 wiki.example.
not-an-address wiki.example
192.0.2.2
192.0.2.3 wiki.example";

#[test]
fn every_line_with_the_name_counts_in_any_case() {
    let expected: Vec<IpAddr> =
        ["192.0.2.1", "2001:db8::1", "192.0.2.3"].map(|address| address.parse().unwrap()).into();
    assert_eq!(find(HOSTS, "wiki.EXAMPLE"), expected);
    assert_eq!(find(HOSTS, "wiki"), expected[..1]);
    for absent in ["other", "commented", "192.0.2.2", "example", ""] {
        assert_eq!(find(HOSTS, absent), [] as [IpAddr; 0], "{absent}");
    }
}

#[test]
fn no_file_has_no_names() {
    assert_eq!(lookup(Path::new("/nonexistent/hosts"), "localhost"), [] as [IpAddr; 0]);
}
