use super::*;

#[test]
fn the_line_of_a_process_is_read_whatever_its_name() {
    let line = "42 (a) Z 1) Z 1 2 3 4 5 6 7 8 9 10 100 20 3 4 20 0 1";
    assert_eq!(Cpu::parse(line), Some(Cpu { has_ended: true, time: Duration::from_millis(1270) }));
    assert_eq!(Cpu::parse("42 (a) R 1 2"), None);
    let own = Cpu::of(std::process::id()).expect("this kernel tells it");
    assert!(!own.has_ended);
}
