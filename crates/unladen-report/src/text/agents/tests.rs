use super::*;

#[test]
fn a_command_is_told_without_what_may_be_a_secret() {
    assert_eq!(program_of("sshpass -p hunter2 ssh gen1"), "sshpass …");
    assert_eq!(program_of("SSHPASS=hunter2 sshpass -e ssh gen1"), "…");
    assert_eq!(program_of(" env "), "env");
    // As it is read back.
    assert_eq!(program_of(&program_of("ssh gen1")), "ssh …");
    assert_eq!(program_of("…"), "…");
}
