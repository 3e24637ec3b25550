use super::*;

fn sample(pid: u32, parent: u32) -> StackSample {
    StackSample { pid, parent, uid: 4_000_000_000, comm: "burner".into(), ..StackSample::default() }
}

#[test]
fn a_living_process_has_the_group_of_the_instrument() {
    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let mut groups = ProcessGroups::open(GroupBy::Exe);
    let group = groups.of(&sample(child.id(), 1));
    let name = groups.group(group).name.clone();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(name.ends_with(" sleep"), "{name}");
    // Known while it lived, it is known after.
    assert_eq!(groups.of(&sample(child.id(), 1)), group);
}

#[test]
fn an_ended_process_is_told_by_its_user_and_name() {
    // Above the largest id that Linux gives out (2²²).
    let mut groups = ProcessGroups::open(GroupBy::Exe);
    let group = groups.of(&sample(1 << 23, (1 << 23) + 1));
    assert_eq!(groups.group(group).name, "4000000000 burner");
}

#[test]
fn this_process_is_the_client() {
    let mut groups = ProcessGroups::open(GroupBy::Auto);
    let group = groups.of(&sample(std::process::id(), 1));
    assert_eq!(groups.group(group).kind, crate::GroupKind::Own);
}
