use super::*;

#[test]
fn the_first_of_several_hosts_stands_for_all() {
    for (url, one, hosts) in [
        ("postgres://me:x@a:1,b:2/shop?c=d", "postgres://me:x@a:1/shop?c=d", Some("a:1,b:2")),
        ("postgresql://[::1]:1,b", "postgresql://[::1]:1", Some("[::1]:1,b")),
        ("postgres://me:x@/shop?host=/run", "postgres:///shop?host=/run", Some("")),
        ("postgres://me:x,y@a/shop", "postgres://me:x,y@a/shop", None),
        ("postgres:///shop?host=a,b", "postgres:///shop?host=a,b", None),
        ("valkey://a,b", "valkey://a,b", None),
        ("postgres", "postgres", None),
    ] {
        assert_eq!(with_one_host(url), (one.into(), hosts), "{url}");
    }
}
