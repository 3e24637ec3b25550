use super::*;

/// Each statement that was not seen to be prepared was remembered, however many there were.
#[test]
fn what_is_remembered_is_bounded_and_goes_with_its_process() {
    let (mut sqlite, mut statements) = (Sqlite::default(), Statements::default());
    let moment = Moment { phase: 0, request: 0 };
    let more = MAX_PREPARED as u64 + 10;
    for statement in 1..=more {
        let pid = 1 + (statement % 2) as u32;
        sqlite.stepped(0, pid, statement, false, 1, moment, &mut statements);
    }
    assert_eq!((sqlite.count, sqlite.dropped()), (MAX_PREPARED, 10));
    sqlite.ended(1);
    assert_eq!(sqlite.count, MAX_PREPARED / 2);
    sqlite.ended(1);
    sqlite.ended(2);
    assert_eq!((sqlite.count, sqlite.prepared.len()), (0, 0));
}
