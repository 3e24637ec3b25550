use super::*;
use crate::kind::Kind;

fn program(name: &str, is_long: bool) -> Program {
    Program {
        package: "unladen-tests".to_owned(),
        name: name.to_owned(),
        title: String::new(),
        executable: "/t".into(),
        folder: "/".into(),
        kind: Kind::Independent,
        is_long,
        waits: false,
        unladen: "/u".into(),
    }
}

#[test]
fn long_ones_begin_first_and_leave_room_for_others() {
    let programs = [("a", false), ("b", true), ("c", true), ("d", false), ("e", true), ("f", true)];
    let mut queue = Queue::new(programs.map(|(name, is_long)| program(name, is_long)).into());
    let mut next = |long| queue.next(long, 2).map(|program| program.name);
    assert_eq!(next(0).as_deref(), Some("b"));
    assert_eq!(next(1).as_deref(), Some("c"));
    assert_eq!(next(2).as_deref(), Some("a"), "enough long ones run");
    assert_eq!(next(1).as_deref(), Some("e"));
    assert_eq!(next(2).as_deref(), Some("d"));
    assert_eq!(next(2).as_deref(), Some("f"), "nothing else is left");
    assert_eq!(next(0), None);
    assert!(queue.is_empty());
}
