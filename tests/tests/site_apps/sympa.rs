//! Sympa's web interface with `preset = "sympa"`: wwsympa.fcgi answers all paths, files are the site's.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use unladen_tests::{Ability, Chromium, Site, Subject, skip_without};

use crate::refused;
use crate::servers::done;
use crate::visitor::{Visitor, between};

/// Sympa behind a site that asks wwsympa by FastCGI.
struct Lists {
    site: Site,
}

/// One for all tests: where no syslog daemon is, those of one machine share one.
static SYMPA: LazyLock<Subject> =
    LazyLock::new(|| Subject::up_with("sympa", &[("UNLADEN_LISTS", "20"), ("UNLADEN_WORKERS", "2")]));

impl Lists {
    fn up() -> Self {
        let state = SYMPA.get("STATE");
        let site = Site::start(&format!(
            "php = \"{state}/wwsympa.sock\"
             preset = \"sympa\"
             [[site.route]]
             path = \"/css-sympa/\"
             alias = \"{state}/css\""
        ));
        Self { site }
    }

    fn address(&self) -> SocketAddr {
        self.site.address()
    }

    /// Sympa answers to the name in its settings alone, whatever the port.
    fn anonymous(&self) -> Visitor {
        Visitor::anonymous(self.address())
    }

    /// Somebody with a password, as the subject's database has none.
    fn register(&self, email: &str, password: &str) {
        let code = format!(
            "use lib '/usr/share/sympa/lib'; use Conf; use Sympa::DatabaseManager; use Sympa::User;
             Conf::load($ENV{{SYMPA_CONFIG}}) or die; Sympa::DatabaseManager->instance or die;
             Sympa::User::add_global_user({{email => '{email}', password => '{password}'}}) or die"
        );
        let config = format!("SYMPA_CONFIG={}/sympa.conf", SYMPA.get("STATE"));
        done(Command::new("runuser").args(["-u", "sympa", "--", "env", &config, "perl", "-e", &code]).current_dir("/"));
    }
}

#[test]
fn two_users_and_a_stranger_see_their_own_pages() {
    if skip_without(Ability::Sympa, "two_users_and_a_stranger_see_their_own_pages") {
        return;
    }
    let lists = Lists::up();
    let people = [("anna@example.org", "a password of Anna"), ("bert@example.org", "a password of Bert")];
    for (email, password) in people {
        lists.register(email, password);
    }
    let log_in = |email: &str, password: &str| {
        let mut visitor = lists.anonymous();
        let form = visitor.read("/wws").text();
        let token =
            form.contains("name=\"csrftoken\"").then(|| between(&form, "name=\"csrftoken\" value=\"", "\"").to_owned());
        let token = token.unwrap_or_default();
        let fields = [
            ("csrftoken", token.as_str()),
            ("previous_action", ""),
            ("submit", "submit"),
            ("email", email),
            ("passwd", password),
            ("action", "login"),
            ("action_login", "Login"),
        ];
        let done = visitor.post("/wws", &fields);
        assert!(done.status == 302 && visitor.has_cookie("sympa_session"), "{done:?}");
        visitor
    };
    std::thread::scope(|scope| {
        for (email, password) in people.into_iter().chain([("", "")]) {
            let (lists, log_in) = (&lists, &log_in);
            scope.spawn(move || {
                let mut visitor = if email.is_empty() { lists.anonymous() } else { log_in(email, password) };
                for _ in 0..6 {
                    for path in ["/wws/lists", "/wws", "/wws/info/list-0001"] {
                        let page = visitor.read(path).text();
                        for (other, _) in people {
                            assert_eq!(page.contains(other), other == email, "{path} of {email:?} and {other}");
                        }
                    }
                }
            });
        }
    });
    lists.site.stop();
}

#[test]
fn lists_are_searched_in_a_browser_and_files_are_sent() {
    if skip_without(Ability::Sympa, "lists_are_searched_in_a_browser_and_files_are_sent") {
        return;
    }
    let lists = Lists::up();
    lists.register("carla@example.org", "a password of Carla");
    let url = |path: &str| format!("http://{}{path}", lists.address());
    let browser = Chromium::start();
    browser.load(&url("/wws/lists"));
    browser.wait_for("document.body.innerText.includes('list-0001')");
    let found = lists.anonymous().read("/wws/search_list/list-0007").text();
    assert!(found.contains("list-0007") && !found.contains("list-0008"), "{found}");
    browser.load(&url("/wws/login"));
    browser.evaluate(
        "document.querySelector('#email_login').value = 'carla@example.org';
         document.querySelector('#passwd').value = 'a password of Carla';
         document.querySelector('#passwd').form.querySelector('[type=submit]').click()",
    );
    browser.wait_for("document.body.innerText.includes('carla@example.org')");
    browser.evaluate("document.querySelector('[name=action_logout]').click()");
    browser.wait_for("!document.body.innerText.includes('carla@example.org')");
    // Its styles and scripts are files of other folders, by the preset and by a route of the test's.
    let asked = browser.asked();
    for part in ["/static-sympa/", "/css-sympa/"] {
        let found = asked.iter().find(|asked| asked.contains(part)).unwrap_or_else(|| panic!("no {part} in {asked:?}"));
        let path = &found[found.find(part).expect("it is there")..];
        let file = lists.anonymous().read(path);
        assert!(!file.body.is_empty() && file.field("cache-control").is_some(), "{path}: {file:?}");
        assert!(file.field("set-cookie").is_none(), "{path}: {file:?}");
    }
    refused::by_the_site(
        lists.address(),
        &lists.address().to_string(),
        &["/static-sympa/../wwsympa.fcgi", "/static-sympa/%2e%2e/lib/Conf.pm", "/static-sympa/no-such-file.js"],
    );
    assert!(Path::new("/usr/share/sympa/lib/Conf.pm").exists(), "the test looks for another file than Sympa has");
    refused::everywhere(lists.address(), &lists.address().to_string(), &["package Conf;"]);
    lists.site.stop();
}
