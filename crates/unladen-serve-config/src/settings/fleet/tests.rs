use super::*;

#[test]
fn a_secret_is_long_and_never_shown() {
    let text = "correct-horse-battery-staple-0123456789";
    let secret = TierSecret::new(text).unwrap();
    assert_eq!(secret.reveal(), text);
    let shown = format!("{secret:?}");
    assert!(!shown.contains("horse"), "{shown}");
    for wrong in ["short", &"x".repeat(257), &format!("{text} {text}"), &format!("{text}\u{e9}")] {
        assert_eq!(TierSecret::new(wrong), None, "{wrong}");
    }
}
