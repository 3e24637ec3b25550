//! MediaWiki with `preset = "mediawiki"`, its purging and its validator, by PHP-FPM alone. Its folder is links into others,
//! as Debian has it.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use tempfile::TempDir;
use unladen_tests::{Answer, Chromium, Site, Subject, free_address, wait};

use crate::refused;
use crate::visitor::{Visitor, between};

const CODE: &str = "/usr/share/mediawiki";
/// Who may log in.
const NAMES: [&str; 2] = ["Anna", "Bert"];

/// MediaWiki behind a site that runs its scripts and sends its files.
struct Wiki {
    subject: Subject,
    site: Site,
    passwords: [String; 2],
    folder: TempDir,
}

impl Wiki {
    fn up() -> Self {
        let subject = Subject::up_with("mediawiki", &[("UNLADEN_WORKERS", "3")]);
        let state = subject.get("STATE").to_owned();
        let passwords = NAMES.map(|name| subject.run(["account", name]).trim().to_owned());
        let folder = root(Path::new(&state));
        // Another address than that of `Site`, which is not known before it listens.
        let address = free_address();
        configure(Path::new(&state), address);
        let database = fs::read_dir(Path::new(&state).join("sqlite")).expect("its databases").flatten();
        let database = database.map(|entry| entry.path()).find(|path| {
            path.extension().is_some_and(|end| end == "sqlite")
                && !path.to_string_lossy().contains("cache")
                && !path.to_string_lossy().contains("l10n")
                && !path.to_string_lossy().contains("jobqueue")
        });
        let site = Site::start(&format!(
            "root = \"{}\"
             php = \"{state}/fpm.sock\"
             preset = \"mediawiki\"
             database = \"sqlite:{}\"
             [site.fastcgi]
             params = {{ MW_CONFIG_FILE = \"{state}/LocalSettings.php\" }}
             [site.files]
             links = [\"{CODE}\", \"/var/lib/mediawiki\", \"{state}\"]",
            folder.path().display(),
            database.expect("one of SQLite").display(),
        ));
        configure(Path::new(&state), site.address());
        let wiki = Self { subject, site, passwords, folder };
        // PHP looks every other second whether a file has changed.
        wait::until_ok("it says its new address", || {
            let answer = wiki.anonymous().read("/index.php/Main_Page");
            let says = answer.text().contains(&format!("\"http://{}\"", wiki.address()))
                || answer.text().contains(&format!("http://{}/", wiki.address()));
            if says { Ok(()) } else { Err(answer.text().chars().take(2_000).collect::<String>()) }
        });
        wiki
    }

    fn address(&self) -> SocketAddr {
        self.site.address()
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    fn anonymous(&self) -> Visitor {
        Visitor::anonymous(self.address())
    }

    fn uploads(&self) -> PathBuf {
        Path::new(self.subject.get("STATE")).join("uploads")
    }

    fn password(&self, name: &str) -> &str {
        let at = NAMES.iter().position(|own| *own == name).expect("one of the two");
        &self.passwords[at]
    }

    /// One of the two, logged in by the API.
    #[track_caller]
    fn user(&self, name: &str) -> Visitor {
        let mut visitor = self.anonymous();
        let token = token(&mut visitor, "login");
        let fields = [
            ("action", "clientlogin"),
            ("format", "json"),
            ("username", name),
            ("password", self.password(name)),
            ("loginreturnurl", &self.url("/")),
            ("logintoken", &token),
        ];
        let done = visitor.post("/api.php", &fields).is(200);
        assert!(done.text().contains("\"PASS\""), "{done:?}");
        visitor
    }
}

/// Saves a page. When this returns, MediaWiki has answered.
#[track_caller]
fn edit(visitor: &mut Visitor, page: &str, text: &str) {
    let token = token(visitor, "csrf");
    let fields = [("action", "edit"), ("format", "json"), ("title", page), ("text", text), ("token", token.as_str())];
    let done = visitor.post("/api.php", &fields).is(200);
    assert!(done.text().contains("\"Success\""), "{done:?}");
}

#[track_caller]
fn token(visitor: &mut Visitor, kind: &str) -> String {
    let answer = visitor.read(&format!("/api.php?action=query&format=json&meta=tokens&type={kind}"));
    let value: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    value["query"]["tokens"][format!("{kind}token")].as_str().expect("a token").to_owned()
}

/// MediaWiki's folder: links, as Debian's is, but that uploads are the subject's.
fn root(state: &Path) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("our own");
    for entry in fs::read_dir(CODE).expect("MediaWiki's folder").flatten() {
        let name = entry.file_name();
        let whither = if name == "images" { state.join("uploads") } else { Path::new(CODE).join(&name) };
        symlink(whither, folder.path().join(name)).expect("a link of our own");
    }
    folder
}

/// Writes MediaWiki's side of the guide, for this address of the site.
fn configure(state: &Path, address: SocketAddr) {
    const MARK: &str = "\n# Of the test:\n";
    let file = state.join("LocalSettings.php");
    let text = fs::read_to_string(&file).expect("the subject has written it");
    let own = text.split(MARK).next().unwrap_or_default();
    let guide = include_str!("../../../docs/guides/mediawiki.md");
    let lines = between(guide, "```php\n", "```")
        .replace("http://wiki.example", &format!("http://{address}"))
        .replace("'127.0.0.1:80'", &format!("'{address}'"));
    // Tests edit more often than a new user may: 8 times a minute.
    let more = "$wgEnableUploads = true;\n$wgUploadPath = '/images';\n$wgRateLimits = [];\n";
    // It stays the same file: whose it is matters.
    fs::write(&file, format!("{own}{MARK}{lines}\n{more}")).expect("it can be written");
    // The opcode cache keeps no file that is younger than two seconds; and it is another time than before.
    let at = UNIX_EPOCH + Duration::from_secs(1_000_000_000 + u64::from(address.port()));
    fs::File::options().write(true).open(&file).expect("a file").set_modified(at).expect("its time");
}

/// Who MediaWiki thought was reading a page.
#[track_caller]
fn reader(answer: &Answer) -> Option<String> {
    let text = answer.text();
    let (_, rest) =
        text.split_once("\"wgUserName\":").unwrap_or_else(|| panic!("a page says for whom it is: {answer:?}"));
    rest.strip_prefix('"').map(|rest| rest.split('"').next().unwrap_or_default().to_owned())
}

#[test]
fn nobody_gets_the_page_of_somebody_else_and_edits_are_seen_at_once() {
    let wiki = Wiki::up();
    let mut anna = wiki.user("Anna");
    edit(&mut anna, "Read_by_all", "The text number 1.");
    let wait_until_kept = || {
        wait::until_ok("the page is kept", || {
            let answer = wiki.anonymous().read("/index.php/Read_by_all");
            if answer.cache() == "hit; detail=validated" { Ok(()) } else { Err(answer.cache().to_owned()) }
        });
    };
    wait_until_kept();
    for number in 2..6 {
        edit(&mut anna, "Read_by_all", &format!("The text number {number}."));
        for (name, shown) in [("", None), ("Anna", Some("Anna")), ("Bert", Some("Bert"))] {
            let mut visitor = if name.is_empty() { wiki.anonymous() } else { wiki.user(name) };
            for _ in 0..3 {
                let answer = visitor.read("/index.php/Read_by_all");
                assert_eq!(reader(&answer).as_deref(), shown, "{answer:?}");
                assert!(answer.text().contains(&format!("The text number {number}.")), "{name:?}: {}", answer.cache());
            }
        }
    }
    // A purge that was lost: the validator sees the edit all the same.
    let settings = Path::new(wiki.subject.get("STATE")).join("LocalSettings.php");
    let own = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("{own}\n$wgCdnServers = [];\n")).unwrap();
    let mut number = 0;
    wait::until_ok("MediaWiki purges nothing any more", || {
        // Nothing is kept while the second of the last edit may not be over.
        wait_until_kept();
        // The same text once more is no edit.
        number += 1;
        let next = format!("The text without a purge, number {number}.");
        edit(&mut anna, "Read_by_all", &next);
        let answer = wiki.anonymous().read("/index.php/Read_by_all");
        assert!(answer.text().contains(&next), "an old page: {answer:?}");
        // Of a page that was purged nothing is known; of one that was not, that it is stale.
        if answer.cache().starts_with("fwd=stale") { Ok(()) } else { Err(answer.cache().to_owned()) }
    });
    wiki.site.stop();
}

#[test]
fn users_edit_upload_search_and_log_out_in_a_browser() {
    let wiki = Wiki::up();
    let (writer, stranger) = (Chromium::start(), Chromium::start());
    writer.load(&wiki.url("/index.php?title=Special:UserLogin"));
    writer.evaluate(&format!(
        "document.querySelector('#wpName1').value = 'Bert';
         document.querySelector('#wpPassword1').value = {:?};
         document.querySelector('#wpLoginAttempt').click()",
        wiki.password("Bert")
    ));
    writer.wait_for("!location.href.includes('UserLogin') && document.querySelector('#pt-userpage')");
    writer.load(&wiki.url("/index.php?title=Of_boats&action=edit"));
    writer.evaluate(
        "document.querySelector('#wpTextbox1').value = 'Boats float. [[File:Mast.png]]';
         document.querySelector('#wpSave').click()",
    );
    writer.wait_for("!location.href.includes('action=') && document.body.innerText.includes('Boats float.')");
    stranger.load(&wiki.url("/index.php/Of_boats"));
    stranger.wait_for("document.body.innerText.includes('Boats float.') && !document.querySelector('#pt-userpage')");

    writer.load(&wiki.url("/index.php?title=Special:Upload"));
    let png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    writer.wait_for("document.querySelector('#wpUploadFile')");
    writer.evaluate(&format!(
        "(() => {{
             const bytes = Uint8Array.from(atob('{png}'), letter => letter.charCodeAt(0));
             const files = new DataTransfer();
             files.items.add(new File([bytes], 'Mast.png', {{ type: 'image/png' }}));
             document.querySelector('#wpUploadFile').files = files.files;
             document.querySelector('#wpDestFile').value = 'Mast.png';
             document.querySelector('#wpIgnoreWarning').checked = true;
             document.querySelector('#mw-upload-form [name=wpUpload]').click();
         }})()"
    ));
    writer.wait_for(
        "location.href.includes('File:Mast.png') && document.querySelector('.fullImageLink a, .fullMedia a')",
    );
    let link = writer.text("document.querySelector('.fullImageLink a, .fullMedia a').href");
    let path = link.split_once("/images/").map(|(_, rest)| format!("/images/{rest}")).expect("below images");
    let picture = wiki.anonymous().read(&path);
    assert_eq!(picture.field("content-type"), Some("image/png"), "{picture:?}");
    assert_eq!(picture.field("x-content-type-options"), Some("nosniff"), "{picture:?}");

    stranger.load(&wiki.url("/index.php?title=Special:Search&search=Of_boats&fulltext=1"));
    stranger.wait_for("document.body.innerText.includes('Of boats')");
    writer.load(&wiki.url("/index.php?title=Special:UserLogout"));
    writer.evaluate("document.querySelector('#mw-content-text form [type=submit]').click()");
    writer.wait_for("document.querySelector('#pt-login') && !document.querySelector('#pt-userpage')");
    // Scripts and styles came through the site too.
    let asked = stranger.asked();
    assert!(asked.iter().any(|url| url.contains("/load.php?")), "{asked:?}");
    wiki.site.stop();
}

#[test]
fn settings_deleted_files_and_programs_are_refused() {
    let wiki = Wiki::up();
    let (address, host) = (wiki.address(), wiki.address().to_string());
    for (folder, name) in [("deleted/a", "secret.png"), ("x", "evil.php"), ("x", "index.php"), ("x", "evil.png")] {
        fs::create_dir_all(wiki.uploads().join(folder)).unwrap();
        fs::write(wiki.uploads().join(folder).join(name), "<?php echo 'was run ', 6 * 7; // a secret").unwrap();
    }
    fs::create_dir(wiki.folder.path().join(".git")).unwrap();
    fs::write(wiki.folder.path().join(".git/config"), "[core]\n").unwrap();
    // A link out of all folders that were named.
    symlink("/etc", wiki.uploads().join("etc")).unwrap();
    refused::by_the_site(
        address,
        &host,
        &[
            "/LocalSettings.php",
            "/%4cocalSettings.php",
            "/LocalSettings.php/x",
            "/images/deleted/a/secret.png",
            "/images//deleted/a/secret.png",
            "/images/x/../deleted/a/secret.png",
            "/images/x/evil.php",
            "/images/x/evil.php/x.png",
            "/images/x/",
            "/images/%78//",
            "/images/etc/passwd",
            "/maintenance/install.php",
            "/includes/DefaultSettings.php",
            "/vendor/autoload.php",
            "/mw-config/index.php",
            "/extensions/Cite/extension.php",
        ],
    );
    refused::everywhere(address, &host, &["$wgSecretKey"]);
    let picture = wiki.anonymous().get("/images/x/evil.png/x.php");
    assert!(!picture.text().contains("was run 42"), "{picture:?}");
    // Files of the skins, and what MediaWiki's other programs answer.
    let logo = wiki.anonymous().read("/resources/assets/poweredby_mediawiki_88x31.png");
    assert_eq!(logo.field("content-type"), Some("image/png"));
    assert!(wiki.anonymous().read("/load.php?modules=startup&only=scripts").text().contains("mw"));
    assert!(wiki.anonymous().read("/rest.php/v1/search/title?q=Main").text().contains("Main"));
    assert_eq!(wiki.anonymous().get("/index.php/No_such_page").status, 404);
    let first = wiki.anonymous().get("/");
    assert!(
        first.status == 301 && first.field("location").is_some_and(|at| at.ends_with("/index.php/Main_Page")),
        "{first:?}"
    );
    wiki.site.stop();
}
