use super::*;

fn of(url: &str, what: &str) -> String {
    let identity = Identity { rule: "n-plus-one", url, group: "www-data php-fpm8.2", state: "warm", what };
    Fingerprints::default().next(identity)["unladen/v1"].clone()
}

#[test]
fn the_same_finding_is_known_again() {
    let first = of("http://127.0.0.1:8080/a?b=1", "select * from t where id = 17 and name = 'it'");
    assert_eq!(first, of("http://localhost:9999/a?b=1", "select * from t where id = 4 and name = 'x y'"));
    assert_ne!(first, of("http://127.0.0.1:8080/b", "select * from t where id = 17 and name = 'it'"));
    assert_ne!(first, of("http://127.0.0.1:8080/a?b=1", "select * from u where id = 17 and name = 'it'"));
}

#[test]
fn two_that_are_alike_are_two() {
    let mut all = Fingerprints::default();
    let identity = Identity { rule: "stat-storm", url: "", group: "", state: "warm", what: "" };
    let [one, two] = [all.next(identity), all.next(identity)];
    assert!(one["unladen/v1"].ends_with(":1") && two["unladen/v1"].ends_with(":2"), "{one:?} {two:?}");
}
