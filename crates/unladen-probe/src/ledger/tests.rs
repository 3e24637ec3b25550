use super::{Unit, *};

#[test]
fn a_reading_gives_what_has_grown_since_another() {
    let mut ledger = Ledger::default();
    let a = ledger.register(Counter::exact("a", Unit::Count, "a", "a"));
    let b = ledger.register(Counter::exact("b", Unit::Count, "b", "b"));
    ledger.add(GroupId(0), a, 5);
    let before = ledger.snapshot(0);
    ledger.add(GroupId(0), a, 2);
    ledger.add(GroupId(3), b, 7);
    ledger.add(GroupId(1), b, 0);
    let after = ledger.snapshot(1);
    let grown: Vec<_> = after.since(&before).collect();
    assert_eq!(grown, [(GroupId(0), a, 2), (GroupId(3), b, 7)]);
    assert_eq!(before.since(&after).count(), 0);
}
