use super::*;

/// Of process ids, parents, beginnings, names and titles.
fn carried(all: &[(i32, i32, u64, &str, &str)]) -> Vec<i32> {
    let look = |pid: i32| {
        let (_, parent, start, name, title) = all.iter().find(|one| one.0 == pid)?;
        Some(Ancestor { parent: *parent, start: *start, name: (*name).into(), title: (*title).into() })
    };
    carriers(all[0].0, look).into_iter().map(|(pid, _)| pid).collect()
}

#[test]
fn a_session_of_openssh_is_carried_by_all_but_the_listener() {
    let agent = (900, 899, 500_000, "unladen-agent", "/proc/self/fd/4 agent");
    let shell = (899, 898, 499_990, "bash", "bash -c sh");
    let listener = (400, 1, 1_000, "sshd", "sshd: /usr/sbin/sshd -D [listener] 0 of 10-100 startups");
    let root = [agent, shell, (898, 400, 499_900, "sshd", "sshd: root@notty"), listener];
    assert_eq!(carried(&root), [899, 898]);
    // A user's own process, and root's that watches it; kept open for an hour.
    let user = (898, 897, 100_000, "sshd", "sshd: anna@notty");
    let watch = (897, 400, 100_000, "sshd", "sshd: anna [priv]");
    assert_eq!(carried(&[agent, shell, user, watch, listener]), [899, 898, 897]);
    let user = (898, 897, 100_000, "sshd-session", "sshd-session: anna@notty");
    let watch = (897, 400, 100_000, "sshd-session", "sshd-session: anna [priv]");
    assert_eq!(carried(&[agent, shell, user, watch, listener]), [899, 898, 897]);
    // Before version 8, and started by systemd for each connection.
    let old = (400, 1, 1_000, "sshd", "/usr/sbin/sshd -D");
    assert_eq!(carried(&[agent, (899, 400, 499_990, "sshd", "sshd: root@notty"), old]), [899]);
    let each = (898, 1, 499_900, "sshd", "sshd: root@notty");
    assert_eq!(carried(&[agent, shell, each, (1, 0, 1, "systemd", "/sbin/init")]), [899, 898]);
}

#[test]
fn dropbear_is_told_by_its_parent() {
    let agent = (900, 899, 500_000, "unladen-agent", "");
    let of = |pid, parent, start, title| (pid, parent, start, "dropbear", title);
    let session = of(899, 400, 499_000, "/usr/sbin/dropbear -p 22");
    assert_eq!(carried(&[agent, session, of(400, 1, 1_000, "/usr/sbin/dropbear -p 22")]), [899]);
    assert_eq!(carried(&[agent, of(899, 1, 499_000, "dropbear -i")]), [899]);
    assert_eq!(carried(&[agent, of(899, 1, 1_000, "dropbear -p 22")]), [0; 0]);
}

/// Whoever works at the machine, and a server that hands out shells, have more to do than this.
#[test]
fn what_was_there_long_before_is_not_own() {
    let agent = (900, 899, 500_000, "unladen-agent", "");
    let sudo = (899, 898, 499_000, "sudo", "sudo sh");
    assert_eq!(carried(&[agent, sudo, (898, 400, 400_000, "bash", "-bash")]), [899]);
    assert_eq!(carried(&[agent, (899, 900, 499_000, "sh", "sh")]).len(), MAX_ANCESTORS, "a circle ends");
    assert_eq!(carried(&[agent]), [0; 0], "in a container, whose command has no parent");
}
