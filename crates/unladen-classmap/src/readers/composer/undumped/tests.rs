use super::*;

#[test]
fn numbers_in_names_count_as_numbers() {
    for (one, other) in [("a/b2", "a/b10"), ("a/B", "a/c"), ("a/b", "a/b1"), ("a/b-1", "a/b1"), ("a/b09", "a/b1")] {
        assert_eq!(natural(one.as_bytes(), other.as_bytes()), Ordering::Less, "{one} {other}");
        assert_eq!(natural(other.as_bytes(), one.as_bytes()), Ordering::Greater, "{one} {other}");
    }
    assert_eq!(natural(b"a/B", b"A/b"), Ordering::Equal);
}

#[test]
fn packages_that_need_each_other_are_sorted_to_an_end() {
    let package = |name: &str, requires: &[&str]| Package {
        name: name.to_owned(),
        requires: requires.iter().map(|name| (*name).to_owned()).collect(),
        ..Package::default()
    };
    let packages = [package("a/a", &["a/b"]), package("a/b", &["a/c"]), package("a/c", &["a/b"]), package("a/d", &[])];
    let sorted = sorted(&packages.iter().collect::<Vec<_>>());
    let names: Vec<&str> = sorted.iter().map(|package| package.name.as_str()).collect();
    assert_eq!(names, ["a/b", "a/c", "a/a", "a/d"]);
}
