use super::*;

/// By the text of a whole: whatever a structure holds, each of its texts was seen.
#[test]
fn every_text_is_seen() {
    let one = || "\u{1b}[2J".to_owned();
    let mut evidence = Evidence {
        host: Some(one()),
        left_out: vec![one()],
        cut_short: Some(one()),
        path: Some(PathSeen { unknown: Some(PathUnknown { why: one(), takes: one() }), ..PathSeen::default() }),
        missing: vec![Missing { source: super::super::EvidenceSource::Php, why: one(), takes: one() }],
        syscalls: vec![SyscallSeen { name: one(), error: Some(one()), ..SyscallSeen::default() }],
        transfers: vec![TransferSeen { path: one(), ..TransferSeen::default() }],
        queries: vec![QuerySeen { example: one(), fingerprint: one(), ..QuerySeen::default() }],
        logs: vec![LogSeen { examples: vec![one()], ..LogSeen::default() }],
        php: vec![PhpSettings {
            settings: [(one(), one())].into(),
            set_again: vec![PhpSetAgain { text: one(), unknown: Some(one()), ..PhpSetAgain::default() }],
            pool_unknown: Some(one()),
            ..PhpSettings::default()
        }],
        response: Some(Response { headers: vec![(one(), one())], ..Response::default() }),
        ..Evidence::default()
    };
    evidence.page.restart = Some(one());
    evidence.groups = vec![GroupSeen {
        exe: Some(one()),
        container: Some(ContainerSeen { name: one(), restart: Some(one()), php_folder: Some(one()) }),
        ..GroupSeen::default()
    }];
    evidence.each_text(&mut |text| *text = "seen".into());
    let text = serde_json::to_string(&evidence).unwrap();
    assert!(!text.contains("u001b") && text.matches("seen").count() > 20, "{text}");
}
