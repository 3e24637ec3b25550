//! The principal type is [`People`]: who comes by at a subject, and what they find there.

use unladen_tests::advice::{Ground, Visitor, Visitors, curl, form};

/// All whose fixes are tried.
pub(crate) const SUBJECTS: [&str; 8] =
    ["wordpress", "dokuwiki", "caldav", "caldav-tcp", "mediawiki", "pledges", "sympa", "sidecar"];

/// A subject as it is tried: its script, and what that is told.
pub(crate) fn variables(name: &'static str) -> (&'static str, &'static [(&'static str, &'static str)]) {
    match name {
        // The database without what keeps its connections.
        "caldav-tcp" => ("caldav", &[("UNLADEN_POOLER", "off")]),
        "sympa" => ("sympa", &[("UNLADEN_LISTS", "60")]),
        _ => (name, &[]),
    }
}

/// Those of one subject.
#[derive(Debug)]
pub(crate) struct People {
    /// Of which.
    pub(crate) subject: &'static str,
    /// What the measured request has besides, as options of `unladen weigh`.
    pub(crate) request: Vec<String>,
    /// Paths that answer, and a text that is there.
    pages: Vec<(String, &'static str)>,
    /// What its fixes are found with besides, as options of `unladen weigh`.
    pub(crate) weighed: Vec<&'static str>,
    /// Rules that find something here, if the machine is quiet enough.
    pub(crate) certain: &'static [&'static str],
    visitors: Visitors,
    /// Pages that all of them may see.
    common: Vec<String>,
    /// Pages that one of them alone may see, who by name, and what is there.
    own: Vec<(String, &'static str, &'static str)>,
}

impl People {
    /// Logged in, and with a comment that is held, at the subject's own address: what stands in front is met by who is
    /// somebody already.
    pub(crate) fn of(subject: &'static str, ground: &Ground) -> Self {
        let site = ground.site();
        let own = ground.subject().url().strip_prefix(site).unwrap_or("/").to_owned();
        let nobody = |pages: Vec<(String, &'static str)>| Self {
            subject,
            request: Vec::new(),
            common: pages.iter().map(|(page, _)| page.clone()).collect(),
            pages,
            weighed: Vec::new(),
            certain: &[],
            visitors: Visitors::of(Vec::new()),
            own: Vec::new(),
        };
        match subject {
            "wordpress" => {
                let pages =
                    [(own, "Hello world!"), ("/of-bread/".into(), "Comment 5 upon bread"), ("/".into(), "Of wool")];
                Self {
                    common: pages[..2].iter().map(|(page, _)| page.clone()).take(1).collect(),
                    pages: pages.to_vec(),
                    certain: &["cacheable"],
                    visitors: Visitors::of(vec![
                        wordpress_user(ground, "author", "AUTHOR_PASSWORD"),
                        wordpress_user(ground, "editor", "EDITOR_PASSWORD"),
                        wordpress_commenter(ground),
                    ]),
                    ..nobody(Vec::new())
                }
            }
            "dokuwiki" => {
                let pages = [(own.clone(), "Part 8"), ("/doku.php/of:salt".into(), "of salt")];
                Self {
                    common: vec![own, "/doku.php/of:salt".into()],
                    pages: pages.to_vec(),
                    visitors: Visitors::of(vec![
                        dokuwiki_user(ground, "anna", "ANNA_PASSWORD"),
                        dokuwiki_user(ground, "bert", "BERT_PASSWORD"),
                    ]),
                    ..nobody(Vec::new())
                }
            }
            "caldav" | "caldav-tcp" => Self {
                certain: if subject == "caldav-tcp" { &["database-reconnect"] } else { &[] },
                request: ["-X", "PROPFIND", "-H", "Depth: 1", "--expect-status", "207", "-H"]
                    .into_iter()
                    .map(str::to_owned)
                    .chain([ground.subject().get("AUTHORIZATION").to_owned()])
                    .collect(),
                visitors: Visitors::of(vec![
                    Visitor::with_header("anna", ground.subject().get("AUTHORIZATION")),
                    Visitor::with_header("bert", ground.subject().get("BERT_AUTHORIZATION")),
                ]),
                own: vec![
                    ("/caldav.php/anna/calendar/anna-7.ics".into(), "anna", "Event 7 of anna"),
                    ("/caldav.php/bert/calendar/bert-7.ics".into(), "bert", "Event 7 of bert"),
                ],
                ..nobody(Vec::new())
            },
            "mediawiki" => {
                let pages =
                    [(own.clone(), "MediaWiki has been installed"), ("/index.php/Special:Version".into(), "MediaWiki")];
                Self {
                    visitors: Visitors::of(vec![
                        mediawiki_user(ground, "Annadelta"),
                        mediawiki_user(ground, "Bertomega"),
                    ]),
                    common: vec![own, "/index.php/Special:RecentChanges".into()],
                    ..nobody(pages.to_vec())
                }
            }
            "pledges" => Self {
                visitors: Visitors::of(vec![pledges_signer(ground, "anna"), pledges_signer(ground, "bert")]),
                ..nobody(vec![(own, "signed up of"), ("/blood".into(), "signed up of")])
            },
            // What is dear there is a first request.
            "sympa" => {
                Self { weighed: vec!["--restart", "systemctl restart wwsympa"], ..nobody(vec![(own, "list-0001")]) }
            }
            _ => nobody(vec![(own, "One EUR is")]),
        }
    }

    /// A printed check with what the request carries, also what it does not show: a comment in a file, variables in a
    /// command.
    pub(crate) fn with_request(&self, printed: &str) -> String {
        let headers: Vec<&str> =
            self.request.windows(2).filter(|pair| pair[0] == "-H").map(|pair| pair[1].as_str()).collect();
        if headers.is_empty() {
            return printed.to_owned();
        }
        if !printed.contains("[[knob]]") {
            return headers.iter().filter_map(|header| header.split_once(": ")).fold(
                printed.to_owned(),
                |printed, (name, value)| {
                    let variable = format!("\"${{{}:?}}\"", name.to_uppercase().replace('-', "_"));
                    printed.replace(&variable, &format!("'{value}'"))
                },
            );
        }
        let shown = |line: &&str| !line.starts_with("headers = ") && !line.starts_with("# the header ");
        let lines = printed.lines().filter(shown).map(|line| match line {
            "[load]" => format!("[load]\nheaders = {headers:?}\n"),
            line => format!("{line}\n"),
        });
        lines.collect()
    }

    /// The paths of its pages, the measured one first.
    pub(crate) fn paths(&self, ground: &Ground) -> Vec<String> {
        let own = ground.subject().url().strip_prefix(ground.site()).unwrap_or("/").to_owned();
        let others = self.pages.iter().map(|(page, _)| page.clone()).filter(|page| *page != own);
        std::iter::once(own.clone()).chain(others).collect()
    }

    /// # Errors
    /// With what does not answer as it did.
    pub(crate) fn pages_answer(&self, site: &str) -> Result<(), String> {
        for (page, text) in &self.pages {
            let (head, body) = curl([format!("{site}{page}").as_str()]);
            if head.split_whitespace().nth(1) != Some("200") || !body.contains(text) {
                return Err(format!("{site}{page}: {}", head.lines().next().unwrap_or("no answer")));
            }
        }
        if self.subject.starts_with("caldav") {
            let own = format!("{site}/caldav.php/anna/calendar/");
            let args = self.request.iter().enumerate().filter(
                |(at, _)| !matches!(self.request.get(at.saturating_sub(1)), Some(word) if word == "--expect-status"),
            );
            let args = args.map(|(_, word)| word.as_str()).filter(|word| *word != "--expect-status");
            let (head, body) = curl(args.chain([own.as_str()]));
            // Bert, and nobody, may not.
            let (stranger, _) = curl(["-X", "PROPFIND", "-H", "Depth: 1", own.as_str()]);
            if !head.contains(" 207 ") || !body.contains("anna-40.ics") || !stranger.contains(" 401 ") {
                return Err(format!("{own}: {:?}, a stranger {:?}", head.lines().next(), stranger.lines().next()));
            }
        }
        Ok(())
    }

    /// Whether anybody but strangers comes by.
    pub(crate) fn has_users(&self) -> bool {
        self.visitors.len() > 1
    }

    /// # Errors
    /// With who saw what of whom.
    pub(crate) fn do_not_see_each_other(&self, site: &str) -> Result<(), String> {
        let pages: Vec<&str> = self.common.iter().map(String::as_str).collect();
        self.visitors.look(site, &pages)?;
        self.own
            .iter()
            .try_for_each(|(page, owner, text)| self.visitors.is_for_one(&format!("{site}{page}"), owner, text))
    }
}

fn wordpress_user(ground: &Ground, name: &'static str, password: &str) -> Visitor {
    let login = format!("{}/wp-login.php", ground.site());
    let fields = [("log", name), ("pwd", ground.subject().get(password)), ("testcookie", "1")];
    let cookies = form(&login, "wordpress_test_cookie=WP+Cookie+check", &fields);
    let secret = match name {
        "author" => "Logged in as Author of the site",
        _ => "Logged in as Editor of the site",
    };
    let visitor = Visitor::with_cookies(name, &cookies, &[secret]);
    assert!(
        cookies.iter().any(|cookie| cookie.starts_with("wordpress_logged_in_")),
        "{name} cannot log in: {cookies:?}"
    );
    visitor
}

fn wordpress_commenter(ground: &Ground) -> Visitor {
    let fields = [
        ("author", "Zed"),
        ("email", "zed@secret.example"),
        ("comment", "What only Zed may read until it is approved."),
        ("comment_post_ID", "1"),
        ("comment_parent", "0"),
        ("wp-comment-cookies-consent", "yes"),
    ];
    let cookies = form(&format!("{}/wp-comments-post.php", ground.site()), "", &fields);
    assert!(
        cookies.iter().any(|cookie| cookie.starts_with("comment_author_email_")),
        "no comment is taken: {cookies:?}"
    );
    Visitor::with_cookies("commenter", &cookies, &["zed@secret.example", "What only Zed may read"])
}

/// Every page has the name of who has logged in.
fn mediawiki_user(ground: &Ground, name: &'static str) -> Visitor {
    let password = ground.subject().run(["account", name]);
    let api = format!("{}/api.php", ground.site());
    let (head, body) = curl([format!("{api}?action=query&meta=tokens&type=login&format=json").as_str()]);
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("Set-Cookie: ")?.split(';').next())
        .unwrap_or_default()
        .to_owned();
    let token: serde_json::Value = serde_json::from_str(&body).unwrap_or_default();
    let token = token["query"]["tokens"]["logintoken"].as_str().unwrap_or_default();
    let fields = [("action", "login"), ("lgname", name), ("lgpassword", password.trim()), ("lgtoken", token)];
    let mut cookies = form(&api, &session, &fields);
    assert!(
        cookies.iter().any(|cookie| cookie.contains(&format!("UserName={name}"))),
        "{name} cannot log in: {head}\n{body}\n{cookies:?}"
    );
    // The session goes on where it has begun, unless it is given a new name.
    let named = session.split('=').next().unwrap_or_default();
    if !cookies.iter().any(|cookie| cookie.split('=').next() == Some(named)) {
        cookies.push(session);
    }
    Visitor::with_cookies(name, &cookies, &[name])
}

/// Who has signed is known again by a cookie with the address.
fn pledges_signer(ground: &Ground, name: &'static str) -> Visitor {
    let address = format!("{name}@secret.example");
    let fields = [("ref", "blood"), ("name", name), ("email", address.as_str())];
    let cookies = form(&format!("{}/sign.php", ground.site()), "", &fields);
    assert!(cookies.iter().any(|cookie| cookie.starts_with("signer=")), "{name} cannot sign: {cookies:?}");
    Visitor::with_cookies(name, &cookies, &[address.as_str()])
}

fn dokuwiki_user(ground: &Ground, name: &'static str, password: &str) -> Visitor {
    let page = format!("{}/doku.php/of:bread?do=login", ground.site());
    let (head, body) = curl([page.as_str()]);
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("Set-Cookie: ")?.split(';').next())
        .unwrap_or_default()
        .to_owned();
    let token =
        body.split("name=\"sectok\" value=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
    let fields =
        [("u", name), ("p", ground.subject().get(password)), ("do", "login"), ("sectok", token), ("id", "of:bread")];
    let mut cookies = form(&format!("{}/doku.php", ground.site()), &session, &fields);
    // The session goes on where it has begun, unless it is given a new name.
    if !cookies.iter().any(|cookie| cookie.starts_with("DokuWiki=")) {
        cookies.push(session);
    }
    let visitor =
        Visitor::with_cookies(name, &cookies, &[if name == "anna" { "Anna of the wiki" } else { "Bert of the wiki" }]);
    assert!(cookies.iter().any(|cookie| cookie.starts_with("DW")), "{name} cannot log in: {cookies:?}");
    visitor
}
