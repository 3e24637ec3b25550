//! WordPress with the triggers of docs/guides/wordpress: what its own functions change is seen by the request after
//! it.

use std::path::Path;
use std::process::Command;

use unladen_tests::{Answer, Site, Subject};

use crate::doc;
use crate::servers::done;

const TRIGGERS: &str = include_str!("../../../docs/guides/wordpress/triggers.sql");

/// WordPress, with the counter in its database, behind `unladen serve`.
struct Blog {
    subject: Subject,
    site: Site,
}

impl Blog {
    fn up() -> Self {
        let subject = Subject::up("wordpress");
        let (counter, _) = doc::block("sql", "mariadb").split_once("create trigger").expect("triggers");
        let own = "create user validator@localhost; grant select on wordpress.page_version to validator@localhost;";
        sql(&subject, &format!("{counter}\n{TRIGGERS}\n{own}"));
        let database = format!("mysql://validator@localhost/wordpress?socket={}", subject.get("DATABASE_SOCKET"));
        let validator = doc::validator("wordpress", &database);
        let site = Site::start(&format!("upstream = \"{}\"\n{validator}", subject.get("SITE")));
        Self { subject, site }
    }

    /// As whoever has not logged in.
    #[track_caller]
    fn get(&self, path: &str) -> Answer {
        let host = self.subject.get("SITE").trim_start_matches("http://");
        self.site.wire().ask(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n")).is(200)
    }

    /// Asks until a page is kept, which takes two requests, or more if the hour is over between.
    #[track_caller]
    fn kept(&self, path: &str) {
        let is_kept = (0..5).any(|_| self.get(path).cache().starts_with("hit; detail=validated"));
        assert!(is_kept, "{path} is not kept: {}", self.get(path).cache());
    }

    /// What this prints, with WordPress' functions at hand.
    #[track_caller]
    fn php(&self, code: &str) -> String {
        let load = Path::new(self.subject.get("STATE")).join("wp/wp-load.php");
        let code = format!(
            "$_SERVER['HTTP_HOST'] = '{}'; $_SERVER['REQUEST_METHOD'] = 'GET'; require '{}';
             function of($name) {{ return get_page_by_path($name, OBJECT, 'post')->ID; }}
             {code}",
            self.subject.get("SITE").trim_start_matches("http://"),
            load.display()
        );
        done(Command::new("php").args(["-d", "display_errors=stderr", "-r", &code]))
    }

    fn counted(&self) -> String {
        sql(&self.subject, "select sum(n) from page_version")
    }
}

fn sql(subject: &Subject, text: &str) -> String {
    let mut mariadb = Command::new("setpriv");
    mariadb.args([
        "--reuid",
        "mysql",
        "--regid",
        "mysql",
        "--clear-groups",
        "--",
        "mariadb",
        "--no-defaults",
        "-N",
        "-B",
    ]);
    done(mariadb.args(["-S", subject.get("DATABASE_SOCKET"), "wordpress", "-e", text]))
}

/// `max(post_modified_gmt)` missed all but the edits, and of two in one second the later.
#[test]
fn what_wordpress_changes_is_seen_by_the_printed_triggers() {
    let blog = Blog::up();
    // What is done, where it is seen, and what is there then, or, with `!`, is not there any more.
    let changes = [
        (
            "an edit",
            "wp_update_post(['ID' => of('of-bread'), 'post_content' => '<p>edited once</p>']);",
            "/of-bread/",
            "edited once",
        ),
        (
            "another at once",
            "wp_update_post(['ID' => of('of-bread'), 'post_content' => '<p>edited twice</p>']);",
            "/of-bread/",
            "edited twice",
        ),
        (
            "a comment",
            "wp_insert_comment(['comment_post_ID' => of('of-bread'), 'comment_author' => 'Dai', 'comment_content' => 'said by Dai', 'comment_approved' => 1]);",
            "/of-bread/",
            "said by Dai",
        ),
        (
            "a comment that waits",
            "wp_insert_comment(['comment_post_ID' => of('of-bread'), 'comment_author' => 'Nia', 'comment_content' => 'said by Nia', 'comment_approved' => 0]);",
            "/of-bread/",
            "!said by Nia",
        ),
        (
            "its approval",
            "wp_set_comment_status(get_comments(['search' => 'said by Nia'])[0]->comment_ID, 'approve');",
            "/of-bread/",
            "said by Nia",
        ),
        (
            "a comment that is deleted",
            "wp_delete_comment(get_comments(['search' => 'said by Dai'])[0]->comment_ID, true);",
            "/of-bread/",
            "!said by Dai",
        ),
        ("the site's name", "update_option('blogname', 'Named anew');", "/of-bread/", "Named anew"),
        (
            "a tag's name",
            "wp_update_term(get_term_by('name', 'bread', 'post_tag')->term_id, 'post_tag', ['name' => 'Loaves']);",
            "/of-bread/",
            "Loaves",
        ),
        (
            "an author's name",
            "wp_update_user(['ID' => get_user_by('login', 'author')->ID, 'display_name' => 'Author renamed']);",
            "/of-bread/",
            "Author renamed",
        ),
        (
            "a menu",
            "$menu = wp_create_nav_menu('Main'); wp_update_nav_menu_item($menu, 0, ['menu-item-title' => 'Menu entry', 'menu-item-url' => '/x/', 'menu-item-status' => 'publish']); set_theme_mod('nav_menu_locations', ['primary' => $menu]);",
            "/of-bread/",
            "Menu entry",
        ),
        ("a post that goes", "wp_delete_post(of('of-salt'), true);", "/", "!Of salt"),
        (
            "a post that waits for its day",
            "wp_insert_post(['post_title' => 'Of tomorrow', 'post_name' => 'of-tomorrow', 'post_content' => 'x', 'post_status' => 'future', 'post_date' => gmdate('Y-m-d H:i:s', time() + 86400)]);",
            "/",
            "!Of tomorrow",
        ),
        (
            "its day",
            "global $wpdb; $id = $wpdb->get_var(\"select ID from $wpdb->posts where post_name = 'of-tomorrow'\"); wp_publish_post($id);",
            "/",
            "Of tomorrow",
        ),
    ];
    for (what, code, path, text) in changes {
        blog.kept(path);
        let before = blog.counted();
        blog.php(code);
        assert_ne!(blog.counted(), before, "{what}");
        let answer = blog.get(path).is_asked(200);
        let (text, is_there) = text.strip_prefix('!').map_or((text, true), |text| (text, false));
        assert_eq!(answer.text().contains(text), is_there, "{what}");
    }
    // What is no part of any page.
    for (what, code) in [
        ("a transient", "set_transient('seen', time()); set_site_transient('seen', time()); delete_transient('seen');"),
        ("who edits a post", "update_post_meta(of('of-bread'), '_edit_lock', time() . ':1');"),
        ("a login", "update_user_meta(get_user_by('login', 'author')->ID, 'session_tokens', ['x' => time()]);"),
        ("a job", "wp_schedule_single_event(time() + 60, 'of_nothing');"),
    ] {
        let before = blog.counted();
        blog.php(code);
        assert_eq!(blog.counted(), before, "{what}");
    }
    blog.site.stop();
}
