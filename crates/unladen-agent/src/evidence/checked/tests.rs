use proptest::prelude::*;
use unladen_trace::{
    ConnectionSeen, ContainerSeen, DnsSeen, GroupSeen, Interval, LogSeen, PathSeen, PhaseSeen, PhpSetAgain,
    PhpSettings, QuerySeen, Response,
};

use super::*;

fn json(evidence: &Evidence) -> Vec<u8> {
    serde_json::to_vec(evidence).unwrap()
}

#[test]
fn what_only_the_sender_of_requests_can_know_is_not_believed() {
    let mut told = Evidence {
        host: Some("elsewhere".into()),
        response: Some(Response::default()),
        path: Some(PathSeen::default()),
        left_out: vec!["x".into()],
        sources: vec![EvidenceSource::Syscalls, EvidenceSource::Response, EvidenceSource::Syscalls],
        groups: vec![GroupSeen {
            name: "php".into(),
            cpu: Some(Interval { value: 1e12, low: 1e12, high: 1e12 }),
            on_path: true,
            ..GroupSeen::default()
        }],
        ..Evidence::default()
    };
    told.page.url = "http://elsewhere/".into();
    told.page.restart = Some("rm -rf /".into());
    told.phases.push(PhaseSeen { on: true, duration_ns: 5, requests: 3 });
    let kept = read_evidence(&json(&told), 1).unwrap();
    assert_eq!(kept.page.url, "");
    assert_eq!((kept.page.restart, kept.page.requests), (None, 3));
    assert_eq!((kept.host, kept.response, kept.path), (None, None, None));
    assert_eq!(kept.sources, [EvidenceSource::Syscalls]);
    assert_eq!((kept.groups[0].cpu, kept.groups[0].on_path), (None, false));
}

#[test]
fn no_text_tells_a_terminal_anything() {
    let log = LogSeen { path: "/log\u{1b}[2J".into(), examples: vec!["a".repeat(20_000)], ..LogSeen::default() };
    let container = |restart: &str| {
        let container = ContainerSeen { restart: Some(restart.into()), ..ContainerSeen::default() };
        GroupSeen { container: Some(container), ..GroupSeen::default() }
    };
    let groups = vec![container("docker restart shop_php-1"), container("docker restart x; curl e | sh")];
    let kept = read_evidence(&json(&Evidence { logs: vec![log], groups, ..Evidence::default() }), 2).unwrap();
    assert_eq!(kept.logs[0].path, "/log [2J");
    assert_eq!(kept.logs[0].examples[0].len(), MAX_TEXT);
    let restart = |index: usize| kept.groups[index].container.as_ref().unwrap().restart.as_deref();
    assert_eq!((restart(0), restart(1)), (Some("docker restart shop_php-1"), None));
}

/// Those of rootless engines were refused, and `-H` taken for a unit.
#[test]
fn what_starts_a_container_again_on_a_host_was_told_apart_wrongly() {
    let restart = |command: &str| {
        let container = ContainerSeen { restart: Some(command.into()), ..ContainerSeen::default() };
        let groups = vec![GroupSeen { container: Some(container), ..GroupSeen::default() }];
        let mut kept = read_evidence(&json(&Evidence { groups, ..Evidence::default() }), 1).unwrap();
        kept.groups[0].container.take().unwrap().restart
    };
    for command in [
        "docker compose -p shop restart php",
        "sudo -iu joe podman restart web",
        "DOCKER_HOST=unix:///run/user/1000/docker.sock docker restart web",
        "systemctl --user -M joe@ restart web.service",
    ] {
        assert_eq!(restart(command).as_deref(), Some(command));
    }
    for command in ["systemctl restart -H root@bank x", "podman restart --all", "docker compose -p x exec restart"] {
        assert_eq!(restart(command), None, "{command}");
    }
}

/// Two hosts that each told of so many requests made a sum that overflowed, and fewer made more of each.
#[test]
fn a_host_told_how_many_requests_were_sent() {
    let told = |phases: &[(bool, u64)]| {
        let mut evidence = Evidence::default();
        for (on, requests) in phases {
            evidence.phases.push(PhaseSeen { on: *on, duration_ns: 5, requests: *requests });
        }
        let asked = [AskedPhase { on: true, requests: 3 }, AskedPhase { on: false, requests: 0 }];
        check_phases(&evidence, &asked).map_err(|error| error.to_string())
    };
    assert_eq!(told(&[(true, 3), (false, 7)]), Ok(()));
    assert_eq!(told(&[]), Ok(()), "blocks that were cut short are left out");
    let of_requests = |found| Err(format!("evidence of {found} requests in a phase, but 3 were requested"));
    assert_eq!(told(&[(true, u64::MAX)]), of_requests(u64::MAX));
    assert_eq!(told(&[(true, 1), (false, 7)]), of_requests(1));
    assert!(told(&[(true, 3), (false, u64::MAX)]).is_err());
    for wrong in [&[(false, 3)][..], &[(true, 3), (false, 1), (true, 3)]] {
        assert!(told(wrong).unwrap_err().contains("phases, but 2 were requested"), "{wrong:?}");
    }
}

#[test]
fn evidence_of_something_else_is_refused() {
    let error = |json: &[u8], groups| read_evidence(json, groups).unwrap_err().to_string();
    assert_eq!(error(&json(&Evidence::default()), 2), "evidence of 0 groups, but 2 were requested");
    assert!(error(b"{\"groups\": 3}", 0).contains("the evidence cannot be read"));
    assert!(error(b"[[[[", 0).contains("the evidence cannot be read"));
    assert_eq!(error(&vec![b' '; MAX_EVIDENCE + 1], 0), "evidence of more than 32 MiB");
}

/// Three bytes each made structures of four hundred: gigabytes of 32 MiB.
#[test]
fn short_evidence_took_gigabytes() {
    for (list, one) in [("groups", "{}"), ("files", "{}"), ("logs", "[]"), ("queries", "{ }")] {
        let json = format!("{{\"{list}\": [{}{{}}]}}", format!("{one},").repeat(1_000_000));
        assert!(matches!(read_evidence(json.as_bytes(), 1), Err(EvidenceError::TooMany)), "{list}");
    }
    let nested = format!("{{\"response\": {{\"variants\": [{}{{}}]}}}}", "{},".repeat(1_000_000));
    assert!(matches!(read_evidence(nested.as_bytes(), 1), Err(EvidenceError::TooMany)));
}

/// Each of sixty thousand connections was held against all others, and was a finding of several rules.
#[test]
fn a_host_told_of_more_peers_than_rules_can_look_at() {
    let connections = vec![ConnectionSeen::default(); MAX_PEERS + 3];
    let queries = vec![QuerySeen::default(); MAX_QUERIES + 4];
    let php = vec![PhpSettings::default(); 3];
    let kept =
        read_evidence(&json(&Evidence { connections, queries, php, lost: 5, ..Evidence::default() }), 0).unwrap();
    assert_eq!((kept.connections.len(), kept.queries.len(), kept.php.len()), (MAX_PEERS, MAX_QUERIES, 0));
    assert_eq!(kept.lost, 12, "what is left out is told");
    let set_again = vec![PhpSetAgain::default(); MAX_SET_AGAIN + 1];
    let php = vec![PhpSettings { set_again, ..PhpSettings::default() }];
    let groups = vec![GroupSeen::default()];
    let kept = read_evidence(&json(&Evidence { php, groups, ..Evidence::default() }), 1).unwrap();
    assert_eq!((kept.php[0].set_again.len(), kept.lost), (MAX_SET_AGAIN, 1));
    let most = Evidence { lost: u64::MAX, dns: vec![DnsSeen::default(); MAX_PEERS + 1], ..Evidence::default() };
    assert_eq!(read_evidence(&json(&most), 0).unwrap().lost, u64::MAX);
}

proptest! {
    #[test]
    fn whatever_comes_is_taken_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = read_evidence(&bytes, 1);
    }
}

#[test]
fn what_stands_in_texts_is_no_structure() {
    let text = |inner: &str| format!("[\"{}\"]", inner.repeat(MAX_STRUCTURES));
    assert!(has_room(text("{").as_bytes()));
    assert!(has_room(text(r#"\"{"#).as_bytes()));
    assert!(!has_room(text(r#"",{},""#).as_bytes()));
    assert!(!has_room(text(r#"\\",{},""#).as_bytes()));
}

#[test]
fn there_are_only_so_many_values() {
    let list = |one: &str| format!("[{}0]", one.repeat(MAX_VALUES));
    assert!(!has_room(list("0,").as_bytes()));
    assert!(!has_room(list("\"\",").as_bytes()));
    assert!(has_room("[0,0]".repeat(1000).as_bytes()));
}
