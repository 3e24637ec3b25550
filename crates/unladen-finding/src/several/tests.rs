use unladen_trace::ServerSeen;

use super::*;
use crate::finding::{Saves, Share};
use crate::fix::Fix;
use crate::rules::tests::testing;
use crate::server;

/// The first one's settings were changed, whichever answered.
#[test]
fn two_servers_of_a_group_were_taken_for_the_first() {
    let mut evidence = testing::lean();
    let group = &mut evidence.groups[0];
    group.server = Some(ServerSeen { several: vec![12, 40], ..ServerSeen::default() });
    let mut finding = Finding {
        rule: "stat-storm",
        group: group.name.clone(),
        summary: String::new(),
        figures: Vec::new(),
        items: Vec::new(),
        takes: Share::NotKnown(String::new()),
        saves: Saves::NotKnown(String::new()),
        removes: None,
        fix: Fix::advice("x").lines("/etc/nginx/conf.d/unladen-x.conf", ["a on;"]).command("nginx -s reload"),
        check_again: "unladen prove try.toml".into(),
    };
    assert_eq!(server::of(&evidence, Some(0)), None);
    place(&evidence, &mut finding);
    assert_eq!(finding.fix.file.as_deref(), Some("unladen-x.conf"));
    assert_eq!(finding.fix.commands, [""; 0]);
    assert!(finding.fix.advice.contains("2 servers of this kind run (processes 12, 40)"), "{}", finding.fix.advice);
    assert!(finding.check_again.starts_with("unladen weigh"), "{}", finding.check_again);
}
