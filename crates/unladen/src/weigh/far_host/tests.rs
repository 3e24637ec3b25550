use unladen_agent::Witness;

use super::*;

fn host(name: &str) -> Host {
    Host::new(name, &format!("ssh {name}")).unwrap()
}

fn standpoint(boot: u32) -> Standpoint {
    Standpoint {
        boot_id: Some(format!("0b1c3e64-7c0e-4c25-8d6e-2c5a3f1d{boot:04}")),
        witness: Some(Witness { pid: 7, started: 1_000, namespace: None }),
        ..Standpoint::default()
    }
}

/// This machine and two hosts, by who sees whom; nobody else's machine is the same.
fn views<'a>(hosts: &'a [Host; 2], sees: [[bool; 3]; 3]) -> Vec<View<'a>> {
    let all = [None, Some(&hosts[0]), Some(&hosts[1])];
    let view = |(place, host): (usize, Option<&'a Host>)| View {
        host,
        standpoint: standpoint(place as u32),
        sees: sees[place].to_vec(),
    };
    all.into_iter().enumerate().map(view).collect()
}

fn told(sees: [[bool; 3]; 3]) -> String {
    let hosts = [host("web"), host("db")];
    check(&views(&hosts, sees)).map_or_else(|overlap| overlap.to_string(), |()| "fine".to_owned())
}

const Y: bool = true;
const N: bool = false;

/// `weigh --host db=env` counted each process twice, and said nothing.
#[test]
fn what_is_seen_at_two_places_is_refused_with_what_to_do() {
    assert_eq!(told([[Y, N, N], [N, Y, N], [N, N, Y]]), "fine");
    let said = told([[Y, N, Y], [N, Y, N], [Y, N, Y]]);
    assert!(said.starts_with("--host db: `ssh db` leads to this machine"), "{said}");
    let said = told([[Y, Y, N], [N, Y, N], [N, N, Y]]);
    assert!(said.starts_with("--host web: `ssh web` leads into a container of this machine"), "{said}");
    let said = told([[Y, N, N], [Y, Y, N], [N, N, Y]]);
    assert!(said.starts_with("--host web: unladen runs in a container of web"), "{said}");
    let said = told([[Y, N, N], [N, Y, Y], [N, Y, Y]]);
    assert!(said.starts_with("--host web and --host db lead to one machine (`ssh web`, `ssh db`)"), "{said}");
    for (sees, inner, outer) in
        [([[Y, N, N], [N, Y, Y], [N, N, Y]], "db", "web"), ([[Y, N, N], [N, Y, N], [N, Y, Y]], "web", "db")]
    {
        let said = told(sees);
        assert!(
            said.starts_with(&format!("--host {inner}: `ssh {inner}` leads into a container of {outer}")),
            "{said}"
        );
    }
}

/// A user to whom /proc hides root's processes does not see root's agent, which sees the user's.
#[test]
fn one_who_sees_less_is_in_no_container() {
    let hosts = [host("web"), host("db")];
    let mut views = views(&hosts, [[Y, N, N], [N, Y, N], [Y, N, Y]]);
    let boot_id = views[0].standpoint.boot_id.clone();
    for place in [0, 2] {
        let witness = Witness { pid: 7, started: 1_000, namespace: Some(4_026_531_836) };
        views[place].standpoint =
            Standpoint { boot_id: boot_id.clone(), witness: Some(witness), ..Standpoint::default() };
    }
    let said = check(&views).unwrap_err().to_string();
    assert!(said.starts_with("--host db: `ssh db` leads to this machine"), "{said}");
}

/// systemd-nspawn gives its containers a boot id of their own.
#[test]
fn who_is_seen_is_refused_whatever_its_kernel_says() {
    let said = told([[Y, N, Y], [N, Y, N], [N, N, Y]]);
    assert!(said.contains("--host db"), "{said}");
}

#[test]
fn what_cannot_be_checked_is_said() {
    let hosts = [host("web"), host("db")];
    let apart = || views(&hosts, [[Y, N, N], [N, Y, N], [N, N, Y]]);
    assert_eq!(notes(&apart()), []);

    let mut one_machine = apart();
    one_machine[2].standpoint.boot_id = one_machine[1].standpoint.boot_id.clone();
    let said = notes(&one_machine);
    assert!(
        said.len() == 1 && said[0].0 == 2 && said[0].1.starts_with("it and web are parts of one machine"),
        "{said:?}"
    );

    // Not all is seen: it may be seen there.
    one_machine[1].standpoint.is_hiding = true;
    let said = notes(&one_machine);
    assert!(said.len() == 1 && said[0].0 == 2 && said[0].1.contains("/proc of web does not show"), "{said:?}");

    let mut hiding = apart();
    hiding[1].standpoint.witness = None;
    assert_eq!(notes(&hiding), [], "of another machine it is not the same");
    hiding[1].standpoint.boot_id = None;
    let said = notes(&hiding);
    let of = |place: usize, what: &str| said.iter().filter(|(at, said)| *at == place && said.contains(what)).count();
    assert_eq!((of(1, "count both here and at this machine"), of(2, "count both here and at web")), (1, 1), "{said:?}");
    assert_eq!((of(1, "boot_id cannot be read"), said.len()), (1, 3), "{said:?}");
}
