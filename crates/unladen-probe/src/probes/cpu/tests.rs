use super::*;

#[test]
fn the_microseconds_of_a_control_group_become_nanoseconds() {
    let times = Times::parse(b"usage_usec 15\nuser_usec 10\nsystem_usec 5\nnice_usec 0\n").unwrap();
    assert_eq!(times, Times { total_ns: 15_000, user_ns: 10_000, system_ns: 5_000 });
    assert_eq!(Times::parse(b"usage_usec 15\n"), None);
}

fn used(total_ns: u64) -> Times {
    Times { total_ns, user_ns: total_ns / 2, system_ns: total_ns / 2 }
}

/// What these paths have grown by, in the order in which they are given, where the kernel says `now` of them.
fn grown(units: &mut Units, now: &[(&str, u64)], within: &[(&str, u64)]) -> Vec<u64> {
    let read = |file: &Path| now.iter().find(|(path, _)| Path::new(path) == file).map(|(_, total)| used(*total));
    let within = within.iter().map(|(path, total)| ((*path).to_owned(), used(*total)));
    let grown = units.grown(read, None, within);
    let of = |path: &str| grown.iter().find(|(group, _)| units.all[group].path == path).map(|(_, used)| used.total_ns);
    now.iter().map(|(path, _)| of(path).unwrap_or_default()).collect()
}

fn of(paths: &[&str]) -> Units {
    let mut units = Units::default();
    for (group, path) in (0..).zip(paths) {
        units.insert(GroupId(group), path, PathBuf::from(path));
    }
    units
}

/// The time of a service in a container was counted for the service, and for the container once more.
#[test]
fn what_lies_within_another_was_counted_twice() {
    let (web, php, job) = ("/lxc.payload.web", "/lxc.payload.web/system.slice/php.service", "/web.service");
    let inner = "/lxc.payload.web/system.slice/php.service/docker/7f";
    let mut units = of(&[web, php, inner, job]);
    assert_eq!(grown(&mut units, &[(web, 0), (php, 0), (inner, 0), (job, 0)], &[]), [0; 4]);
    let now = [(web, 1_000), (php, 700), (inner, 300), (job, 50)];
    assert_eq!(grown(&mut units, &now, &[]), [300, 400, 300, 50]);
    let now = [(web, 1_900), (php, 1_500), (inner, 1_000), (job, 50)];
    assert_eq!(grown(&mut units, &now, &[]), [100, 100, 700, 0]);
}

/// A job of a CI runner has the server that it measures in the runner's own unit, and so had the client's time.
#[test]
fn the_clients_own_time_was_counted_for_the_unit_that_it_runs_in() {
    let (runner, other) = ("/system.slice/runner.service", "/system.slice/other.service");
    let mut units = of(&[runner, other]);
    assert_eq!(grown(&mut units, &[(runner, 0), (other, 0)], &[]), [0; 2]);
    let within = [("/system.slice/runner.service/job", 400), ("/user.slice/user-0.slice", 9)];
    assert_eq!(grown(&mut units, &[(runner, 1_000), (other, 5)], &within), [600, 5]);
    // Its clock was read earlier than the file, or later: in the end it comes to the same.
    assert_eq!(grown(&mut units, &[(runner, 1_300), (other, 5)], &[(runner, 350)]), [0, 0]);
    assert_eq!(grown(&mut units, &[(runner, 1_500), (other, 5)], &[(runner, 20)]), [130, 0]);
}

#[test]
fn the_root_has_what_is_nobodys() {
    let mut units = of(&["/", "/a", "/a/b.service"]);
    assert_eq!(grown(&mut units, &[("/", 0), ("/a", 0), ("/a/b.service", 0)], &[]), [0; 3]);
    assert_eq!(grown(&mut units, &[("/", 100), ("/a", 60), ("/a/b.service", 10)], &[("/", 5)]), [35, 50, 10]);
}

/// A shell in a container that had only services until then: all that the container had ever used was counted at once.
#[test]
fn a_group_that_is_new_here_may_be_old() {
    let mut units = of(&["/web"]);
    assert!(units.has_unread());
    assert_eq!(units.grown(|_| Some(used(500)), None, std::iter::empty()), []);
    assert!(!units.has_unread());
    units.insert(GroupId(1), "/new.service", PathBuf::from("/new.service"));
    units.insert(GroupId(2), "/old.service", PathBuf::from("/old.service"));
    let shown = HashMap::from([(GroupId(1), used(90)), (GroupId(2), used(30))]);
    let read = |file: &Path| Some(used(if file.starts_with("/old.service") { 9_000_000 } else { 520 }));
    let mut grown = units.grown(
        |file| if file.starts_with("/new.service") { Some(used(80)) } else { read(file) },
        Some(&shown),
        std::iter::empty(),
    );
    grown.sort_unstable_by_key(|(group, _)| *group);
    assert_eq!(grown, [(GroupId(0), used(20)), (GroupId(1), used(80)), (GroupId(2), used(30))]);
    assert_eq!(units.grown(|_| None, None, std::iter::empty()), []);
}
