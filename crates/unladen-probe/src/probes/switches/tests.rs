use super::*;

#[test]
fn voluntary_is_not_taken_for_nonvoluntary() {
    let switches = Switches::parse(b"Name: x\nvoluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n").unwrap();
    assert_eq!(switches, Switches { voluntary: 12, involuntary: 3 });
}
