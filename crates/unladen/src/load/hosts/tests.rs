use super::*;

#[test]
fn a_load_has_begun_from_its_moment_on() {
    let at = |started| Agreed {
        started,
        length: Duration::ZERO,
        grace: Duration::ZERO,
        forms: Vec::new(),
        parts: Vec::new(),
    };
    assert!(at(Instant::now()).has_begun());
    assert!(!at(Instant::now() + Duration::from_secs(3_600)).has_begun());
}
