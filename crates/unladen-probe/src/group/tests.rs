use super::*;

fn stat_of(procfs: &mut ProcFs, pid: i32) -> Stat {
    Stat::parse(procfs.of_process(pid, "stat").unwrap()).unwrap()
}

#[test]
fn the_effective_user_is_the_second_number() {
    assert_eq!(effective_uid(b"Name:\tx\nUid:\t0\t33\t0\t33\nGid:\t0\t0\t0\t0\n"), Some(33));
    assert_eq!(effective_uid(b"Name:\tx\n"), None);
}

#[test]
fn a_child_is_grouped_by_user_and_executable_and_this_process_stands_alone() {
    let mut procfs = ProcFs::new("/proc");
    let own = i32::try_from(std::process::id()).unwrap();
    let mut groups = Groups::new(GroupBy::Exe, own, false);
    let stat = stat_of(&mut procfs, own);
    let id = groups.of_process(&mut procfs, own, &stat);
    assert_eq!(groups.get(id).kind, GroupKind::Own);

    let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let stat = stat_of(&mut procfs, pid);
    let id = groups.of_process(&mut procfs, pid, &stat);
    let name = groups.get(id).name.clone();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(name.ends_with(" sleep"), "{name}");
}

#[test]
fn an_ended_process_goes_where_its_like_went() {
    let mut groups = Groups::new(GroupBy::Auto, 1, false);
    let pool = groups.intern(processes("www-data php-fpm8.2".into()));
    groups.learned.insert((33, "php-fpm8.2".into()), pool);
    assert_eq!(groups.of_ended(33, "php-fpm8.2", None), pool);
    let other = groups.of_ended(0, "convert", Some(pool));
    assert_eq!(groups.get(other).name, "root convert");
    let unit = groups.intern(Group { name: "cgi.service".into(), kind: GroupKind::Unit { cgroup: None } });
    assert_eq!(groups.of_ended(33, "php-fpm8.2", Some(unit)), unit);
}
