use unladen_trace::{Ask, CompileSeen, ContainerSeen, Evidence, EvidenceSource, Language, ServerSeen};

use super::*;
use crate::finding::{Saves, Share};
use crate::fix::Fix;
use crate::look::{look, unlooked};
use crate::rules::answers::tests::pages::{asked, made};
use crate::rules::tests::testing;
use crate::server;
use crate::unswitched::unswitched;

fn placed(restart: Option<&str>, fix: Fix) -> Finding {
    let mut evidence = testing::lean();
    let restart = restart.map(str::to_owned);
    let name = "the container 3f9c2a81b7d0".to_owned();
    evidence.groups[testing::PHP].container = Some(ContainerSeen { name, restart, php_folder: None });
    let mut finding = Finding {
        rule: "recompile",
        group: evidence.groups[testing::PHP].name.clone(),
        summary: String::new(),
        figures: Vec::new(),
        items: Vec::new(),
        takes: Share::NotKnown(String::new()),
        saves: Saves::NotKnown(String::new()),
        removes: None,
        fix,
        check_again: "unladen prove, with this knob in its file".into(),
    };
    in_container(&evidence, &mut finding);
    finding
}

#[test]
fn a_fix_in_a_container_named_the_hosts_settings_and_service() {
    let fix = Fix::advice("switch the opcode cache on")
        .lines("/etc/php/8.2/fpm/conf.d/zz-unladen.ini", ["opcache.enable = 1"])
        .command("systemctl reload php8.2-fpm");
    let found = placed(Some("docker restart 3f9c2a81b7d0"), fix.clone());
    assert_eq!(
        found.fix.file.as_deref(),
        Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini, inside the container 3f9c2a81b7d0")
    );
    assert_eq!(found.fix.commands, ["docker restart 3f9c2a81b7d0"]);
    assert!(found.check_again.starts_with("unladen weigh "), "{}", found.check_again);
    let unknown = placed(None, fix);
    assert!(unknown.fix.commands.is_empty(), "{:?}", unknown.fix);
    assert!(unknown.fix.advice.ends_with("and restart it"), "{:?}", unknown.fix);
}

#[test]
fn a_file_that_the_fix_makes_gets_into_each_kind_of_container_by_a_line() {
    let file = "/etc/php/8.2/fpm/conf.d/zz-unladen.ini";
    let named = |name: &str, restart: Option<&str>| ContainerSeen {
        name: name.to_owned(),
        restart: restart.map(str::to_owned),
        php_folder: None,
    };
    let line = |container| mount(&named(container, None), file).map(|(_, line)| line);
    assert_eq!(
        line("the service php of the Compose project shop").unwrap(),
        format!("in the Compose file, below volumes: of that service: - ./zz-unladen.ini:{file}:ro")
    );
    assert!(line("the container php of the pod shop/web").unwrap().contains("subPath: zz-unladen.ini"));
    assert_eq!(line("the container web").unwrap(), format!("in its Dockerfile: COPY zz-unladen.ini {file}"));
    let quadlet = named("the container web of joe", Some("systemctl --user -M joe@ restart web.service"));
    assert_eq!(
        mount(&quadlet, file).unwrap().1,
        format!("below [Container] in web.container, its Quadlet file: Volume=./zz-unladen.ini:{file}:ro")
    );
    // It has other lines too, which would be gone.
    assert_eq!(mount(&named("the container web", None), "/etc/php/8.2/fpm/php.ini"), None);
    assert_eq!(mount(&named("the container web", None), "/etc/un laden;x"), None);
    let fix = Fix::advice("x").lines(file, ["opcache.enable = 1"]);
    let found = placed(Some("docker restart web"), fix);
    assert!(found.fix.advice.contains("mounted into it (in its Dockerfile: COPY zz-unladen.ini"), "{found:?}");
}

#[test]
fn a_command_that_is_not_the_hosts_is_for_inside() {
    let found = placed(None, Fix::advice("write a map").command("unladen classmap /srv/app --out map.php"));
    assert!(found.fix.commands.is_empty());
    assert!(found.fix.advice.contains("run inside it: unladen classmap /srv/app"), "{:?}", found.fix);
    let found = placed(None, Fix::advice("keep names").command("apt install nscd && systemctl restart nscd"));
    assert!(!found.fix.advice.contains("nscd &&"), "{:?}", found.fix);
}

/// What the page answers is nobody's finding: the host's PHP was given the lines of the container's, and reloaded.
#[test]
fn a_finding_of_the_answers_named_the_hosts_files_for_a_containers_php() {
    let mut evidence = testing::lean();
    let name = "the container 3f9c2a81b7d0".to_owned();
    let restart = Some("docker restart 3f9c2a81b7d0".to_owned());
    evidence.groups[testing::PHP].container = Some(ContainerSeen { name, restart, php_folder: None });
    let of = |fix: Fix| Finding { group: String::new(), fix, ..placed(None, Fix::advice("x")) };
    let site = Fix::advice("x").lines("unladen.toml", ["[[site]]"]).command("systemctl reload php8.2-fpm");
    let site = site
        .of(Some(testing::PHP))
        .command("unladen serve --config unladen.toml")
        .also("/etc/php/8.2/fpm/conf.d/zz-unladen.ini", ["a=b"]);
    let mut found = Finding { check_again: "unladen prove --a x --b y".into(), ..of(site) };
    in_container(&evidence, &mut found);
    assert_eq!(found.fix.file.as_deref(), Some("unladen.toml"));
    assert!(found.fix.also[0].file.ends_with("zz-unladen.ini, inside the container 3f9c2a81b7d0"), "{found:?}");
    assert_eq!(found.fix.commands, ["docker restart 3f9c2a81b7d0", "unladen serve --config unladen.toml"]);
    assert_eq!(found.check_again, "unladen prove --a x --b y", "what stands in front is on the host");
    // nginx is the host's here.
    let nginx = Fix::advice("x")
        .lines("/etc/nginx/conf.d/unladen-gzip.conf", ["gzip on;"])
        .command("nginx -s reload")
        .of(Some(testing::NGINX));
    let mut found = of(nginx.clone());
    in_container(&evidence, &mut found);
    assert_eq!(found.fix, nginx);
}

#[test]
fn what_stands_beside_a_container_is_not_inside() {
    let fix = Fix::advice("x").lines("unladen.toml", ["[[outbound]]"]).command("unladen serve --config unladen.toml");
    let found = placed(Some("docker restart 3f9c2a81b7d0"), fix);
    assert_eq!(found.fix.file.as_deref(), Some("unladen.toml"));
    assert_eq!(found.fix.commands, ["unladen serve --config unladen.toml"]);
    assert!(found.fix.advice.contains("in the network of the container 3f9c2a81b7d0"), "{found:?}");
}

#[test]
fn advice_alone_is_the_same_anywhere() {
    let found = placed(None, Fix::advice("ask once"));
    assert_eq!(found.fix, Fix::advice("ask once"));
}

/// A page has no group: nginx' and PHP's own files were named on the host, with a knob that writes them.
#[test]
fn fixes_of_page_rules_changed_the_host() {
    let mut evidence = made(&[], vec![asked(Ask::Compressed, Some(true), &[])]);
    evidence.php = vec![testing::php(&[])];
    for group in [testing::PHP, testing::NGINX] {
        let name = format!("the container c{group}");
        let container = ContainerSeen { name, restart: Some(format!("docker restart c{group}")), php_folder: None };
        evidence.groups[group].container = Some(container);
    }
    let found = look(&evidence);
    let of = |rule: &str| found.iter().find(|finding| finding.rule == rule).unwrap();
    let nginx = of("uncompressed");
    assert_eq!(nginx.fix.commands, ["docker restart c1"]);
    assert!(nginx.fix.advice.contains("run inside it: for line in"), "{}", nginx.fix.advice);
    let page = of("cacheable");
    assert_eq!(page.fix.file.as_deref(), Some("unladen.toml"));
    assert!(
        page.fix.also.len() == 2 && page.fix.also.iter().all(|part| part.file.ends_with(", inside the container c0"))
    );
    assert_eq!(page.fix.commands, ["docker restart c0", "unladen serve --config unladen.toml"]);
    assert!(page.check_again.starts_with("unladen prove --a "), "{}", page.check_again);
    for finding in &found {
        assert!(!finding.check_again.contains("[[knob]]"), "{finding:?}");
    }
}

#[test]
fn what_is_not_in_a_container_stays() {
    let evidence = testing::lean();
    let fix = Fix::advice("x").command("systemctl reload php8.2-fpm");
    let mut finding = placed(None, Fix::advice("x"));
    finding.fix = fix.clone();
    in_container(&evidence, &mut finding);
    assert_eq!(finding.fix, fix);
}

/// A PHP without its opcode cache.
fn compiling() -> Evidence {
    let compile = |file: u32| CompileSeen {
        group: testing::PHP,
        language: Language::Php,
        path: format!("/srv/app/{file}.php"),
        counted: testing::counted(1, 100_000),
    };
    let (compiles, php) = ((0..40).map(compile).collect(), vec![testing::php(&[("opcache.enable", "0")])]);
    Evidence { compiles, php, ..testing::lean() }
}

#[test]
fn a_fix_of_another_host_names_it_everywhere() {
    let here = look(&compiling()).remove(0);
    assert!(here.fix.knob.is_some() && here.check_again.contains("unladen prove"), "{here:?}");
    let there = look(&Evidence { host: Some("web-1".into()), ..compiling() }).remove(0);
    assert_eq!((there.rule, there.group.as_str()), ("recompile", "web-1/www-data php-fpm8.2"));
    assert_eq!(there.fix.host.as_deref(), Some("web-1"));
    assert_eq!(there.fix.advice, format!("on web-1: {}", here.fix.advice));
    assert_eq!(there.fix.file.as_deref(), Some("/etc/php/8.2/fpm/conf.d/zz-unladen.ini, on web-1"));
    assert_eq!((&there.fix.lines, &there.fix.commands), (&here.fix.lines, &here.fix.commands));
    // Nothing of this machine is switched: all of it goes there.
    assert!(there.check_again.contains("unladen prove") && !there.check_again.contains("{ file = "), "{there:?}");
    for line in there
        .check_again
        .lines()
        .filter(|line| ["on = ", "off = ", "restart = \"printf"].iter().any(|key| line.starts_with(key)))
    {
        assert!(line.ends_with("| ${HOST_WEB_1:?} sh\""), "{line}");
    }
    let why = unswitched(&there.fix);
    assert!(why.starts_with("it is on the host web-1"), "{why}");
}

#[test]
fn what_only_the_sender_sees_is_not_missed_there() {
    let mut evidence = compiling();
    evidence.sources.retain(|source| *source != EvidenceSource::Response);
    assert!(unlooked(&evidence).any(|lacking| lacking.source == EvidenceSource::Response));
    evidence.host = Some("db".into());
    assert!(unlooked(&evidence).all(|lacking| lacking.source != EvidenceSource::Response));
}

/// That a first request is slow is seen by whoever sent it, and was told once for each host.
#[test]
fn a_slow_first_request_is_told_once() {
    let mut evidence = testing::lean();
    evidence.page.first_ns = Some(2_000_000_000);
    assert!(look(&evidence).iter().any(|finding| finding.rule == "cold-start"));
    evidence.host = Some("db".into());
    assert!(look(&evidence).iter().all(|finding| finding.rule != "cold-start"));
}

/// A server, and what the fix of a finding in it becomes.
fn of(server: ServerSeen) -> Finding {
    let mut evidence = testing::lean();
    let group = &mut evidence.groups[0];
    group.server = Some(server);
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
    of_unknown(&evidence, &mut finding);
    assert_eq!(finding.fix.file.as_deref(), Some("unladen-x.conf"));
    assert_eq!(finding.fix.commands, [""; 0]);
    assert!(finding.check_again.starts_with("unladen weigh"), "{}", finding.check_again);
    finding
}

/// The first one's settings were changed, whichever answered.
#[test]
fn two_servers_of_a_group_were_taken_for_the_first() {
    let fix = of(ServerSeen { several: vec![12, 40], ..ServerSeen::default() }).fix;
    assert!(fix.advice.contains("2 servers of this kind run (processes 12, 40)"), "{}", fix.advice);
}

/// The package's nginx was named, and `unladen fix`, as root, changed that one.
#[test]
fn without_root_another_users_server_was_taken_for_the_packages() {
    let fix = of(ServerSeen { is_hidden: true, ..ServerSeen::default() }).fix;
    assert!(fix.advice.contains("only root sees which files"), "{}", fix.advice);
}
