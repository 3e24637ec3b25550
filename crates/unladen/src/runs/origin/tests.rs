use super::*;

#[test]
fn a_result_tells_where_it_comes_from() {
    let about = Origin::new(&["unladen".into()], &[("a".into(), "b".into())], None).about();
    assert_eq!(about.version.as_deref(), Some(env!("CARGO_PKG_VERSION")));
    assert!(about.time.is_some_and(|time| time.ends_with('Z')) && about.labels["a"] == "b");
    assert!(about.environment.is_some_and(|environment| environment.processors >= Some(1)));
}
