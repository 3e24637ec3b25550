use proptest::prelude::*;

use super::*;

#[test]
fn a_name_that_a_hypervisor_gave_is_told_apart_by_family_and_model() {
    let cpuinfo = "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 207\nmodel name\t: Intel(R) Xeon(R) \
                   Processor\n\nprocessor\t: 1\nmodel name\t: another\n";
    assert_eq!(named(cpuinfo).as_deref(), Some("Intel(R) Xeon(R) Processor, family 6 model 207"));
}

#[test]
fn other_architectures_name_theirs_otherwise() {
    let arm = "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0c\n";
    assert_eq!(named(arm).as_deref(), Some("ARM implementer 0x41 part 0xd0c"));
    let power = "processor\t: 0\ncpu\t\t: POWER9 (architected), altivec supported\n";
    assert_eq!(named(power).as_deref(), Some("POWER9 (architected), altivec supported"));
    assert_eq!(named("processor: 0\nmodel name :\n"), None);
}

#[test]
fn a_board_is_named_where_its_processor_is_not() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(folder.path().join("proc/device-tree")).unwrap();
    std::fs::write(folder.path().join("proc/cpuinfo"), "processor: 0\n").unwrap();
    std::fs::write(folder.path().join("proc/device-tree/model"), "A Board 5\0").unwrap();
    assert_eq!(model(&Root::at(folder.path())).as_deref(), Some("A Board 5"));
}

proptest! {
    #[test]
    fn whatever_the_file_says_a_name_has_no_line_break(content in "(.|\n){0,200}") {
        prop_assert!(named(&content).is_none_or(|name| !name.contains('\n') && !name.is_empty()));
    }
}
