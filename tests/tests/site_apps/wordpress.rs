//! WordPress with `preset = "wordpress"`, its validator and its triggers, by PHP-FPM alone.

mod browser;
mod linearizable;
mod private;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;

use unladen_tests::{Answer, Site, Subject, wait};

use crate::printed;
use crate::servers::done;
use crate::visitor::Visitor;

const TRIGGERS: &str = include_str!("../../../docs/guides/wordpress/triggers.sql");

/// WordPress behind a site, which runs its scripts and sends its files.
struct Blog {
    subject: Subject,
    site: Site,
}

impl Blog {
    fn up() -> Self {
        Self::with(&[])
    }

    /// With variables of the subject.
    fn with(variables: &[(&str, &str)]) -> Self {
        let subject = Subject::up_with("wordpress", variables);
        let (counter, _) = printed("sql mariadb").split_once("create trigger").expect("triggers");
        let own = "create user validator@localhost; grant select on wordpress.page_version to validator@localhost;";
        sql(&subject, &format!("{counter}\n{TRIGGERS}\n{own}"));
        let state = subject.get("STATE");
        let site = Site::start(&format!(
            "root = \"{state}/wp\"
             php = \"{state}/fpm.sock\"
             preset = \"wordpress\"
             database = \"mysql://validator@localhost/wordpress?socket={}\"",
            subject.get("DATABASE_SOCKET")
        ));
        Self { subject, site }
    }

    fn address(&self) -> SocketAddr {
        self.site.address()
    }

    /// An address of the site.
    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    fn folder(&self) -> PathBuf {
        Path::new(self.subject.get("STATE")).join("wp")
    }

    fn anonymous(&self) -> Visitor {
        Visitor::anonymous(self.address())
    }

    /// One of the subject's two users, logged in by the form.
    #[track_caller]
    fn user(&self, name: &str) -> Visitor {
        let mut visitor = self.anonymous();
        visitor.read("/wp-login.php");
        let password = self.password(name);
        let done = visitor.post("/wp-login.php", &[("log", name), ("pwd", password), ("testcookie", "1")]);
        assert!(done.status == 302 && visitor.has_cookie("wordpress_logged_in_"), "{done:?}");
        visitor
    }

    fn password(&self, name: &str) -> &str {
        self.subject.get(&format!("{}_PASSWORD", name.to_uppercase()))
    }

    /// Waits until a page is kept.
    #[track_caller]
    fn kept(&self, path: &str) -> Answer {
        wait::until_ok(&format!("{path} is kept"), || {
            let answer = self.anonymous().read(path);
            if answer.cache().starts_with("hit; detail=validated") {
                Ok(answer)
            } else {
                Err(answer.cache().to_owned())
            }
        })
    }

    /// What this prints, with WordPress' functions at hand.
    #[track_caller]
    fn php(&self, code: &str) -> String {
        let code = format!(
            "$_SERVER['HTTP_HOST'] = '{}'; $_SERVER['REQUEST_METHOD'] = 'GET'; require '{}';
             function of($name) {{ return get_page_by_path($name, OBJECT, 'post')->ID; }}
             {code}",
            self.address(),
            self.folder().join("wp-load.php").display()
        );
        done(Command::new("php").args(["-d", "display_errors=stderr", "-r", &code]))
    }
}

fn sql(subject: &Subject, text: &str) -> String {
    let mut mariadb = Command::new("setpriv");
    mariadb.args(["--reuid", "mysql", "--regid", "mysql", "--clear-groups", "--"]);
    mariadb.args([
        "mariadb",
        "--no-defaults",
        "-N",
        "-B",
        "-S",
        subject.get("DATABASE_SOCKET"),
        "wordpress",
        "-e",
        text,
    ]);
    done(&mut mariadb)
}
