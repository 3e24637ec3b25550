use super::*;

/// Another's PHP, seen beside a busy background, kept `debug-left-on` from looking at the page's own.
#[test]
fn a_php_that_does_not_answer_hid_the_settings_of_the_others() {
    let no = || Some("no".to_owned());
    let others = AskedPhp { answered: true, perhaps_failed: no(), ..AskedPhp::default() };
    assert_eq!(others.why(), None);
    assert_eq!(AskedPhp { perhaps_failed: no(), ..AskedPhp::default() }.why(), no());
    assert_eq!(AskedPhp { answered: true, failed: no(), ..AskedPhp::default() }.why(), no());
    assert_eq!(AskedPhp::default().why(), None);
}

#[test]
fn the_folder_that_is_read_last_has_the_last_word() {
    assert_eq!(last_folder(":/srv/php.d"), "/srv/php.d");
    assert_eq!(last_folder("/etc/php/8.2/fpm/conf.d"), "/etc/php/8.2/fpm/conf.d");
    assert_eq!(last_folder(""), "");
}

const ROOTS: u32 = 0;
const WORKERS: u32 = 1;

fn of(pid: i32, all: &[Watched]) -> (u32, u32, bool) {
    let found = all.iter().find(|watched| watched.pid == pid.cast_unsigned()).expect("it is followed");
    (found.group, found.children, found.own)
}

#[test]
fn workers_that_a_master_of_another_group_will_start_belong_to_the_workers() {
    let groups =
        [vec![Member { pid: 10, parent: 1 }], vec![Member { pid: 11, parent: 10 }, Member { pid: 12, parent: 10 }]];
    let all = watched(&groups, |_, _| true);
    assert_eq!(all.len(), 3);
    assert_eq!(of(10, &all), (ROOTS, WORKERS, true));
    assert_eq!(of(11, &all), (WORKERS, WORKERS, true));
}

#[test]
fn of_a_master_that_does_not_follow_only_the_children_count() {
    let groups = [vec![Member { pid: 11, parent: 10 }, Member { pid: 21, parent: 20 }, Member { pid: 31, parent: 1 }]];
    let all = watched(&groups, |worker, _| worker != 21);
    assert_eq!(of(10, &all), (0, 0, false));
    assert_eq!(all.len(), 4, "neither a parent of another program, nor the first process: {all:?}");
}

#[test]
fn a_worker_that_starts_programs_keeps_them() {
    let groups = [vec![Member { pid: 11, parent: 10 }], vec![Member { pid: 12, parent: 11 }]];
    let all = watched(&groups, |_, _| false);
    assert_eq!(of(11, &all), (0, 0, true));
}

/// Another PHP-FPM of the same user was counted, too.
#[test]
fn of_two_servers_of_a_user_the_one_that_took_the_requests_is_counted() {
    let start = || std::process::Command::new("sleep").arg("60").spawn().unwrap();
    let (mut ours, mut other) = (start(), start());
    let member = |child: &std::process::Child| Member { pid: child.id().cast_signed(), parent: 1 };
    let counted = |took: &[u32]| -> Vec<i32> {
        of_servers(vec![member(&ours), member(&other)], took).iter().map(|member| member.pid).collect()
    };
    let (one, two) = (member(&ours).pid, member(&other).pid);
    assert_eq!(counted(&[ours.id()]), [one]);
    assert_eq!(counted(&[ours.id(), other.id()]), [one, two]);
    assert_eq!(counted(&[1]), [one, two], "nobody knows which");
    for child in [&mut ours, &mut other] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
