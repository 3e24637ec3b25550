//! An application of Laravel with what `--init laravel` writes: `unladen serve` is its only web server.

use std::net::SocketAddr;

use unladen_tests::{Answer, Chromium, Subject};

use crate::refused;
use crate::visitor::{Visitor, between};

fn address(subject: &Subject) -> SocketAddr {
    subject.get("SITE").trim_start_matches("http://").parse().expect("its address")
}

/// One of the two, logged in by the form.
#[track_caller]
fn user(subject: &Subject, name: &str) -> Visitor {
    let mut visitor = Visitor::anonymous(address(subject));
    let form = visitor.read("/").text();
    let token = between(&form, "name=\"_token\" value=\"", "\"");
    let (email, password) =
        (format!("{name}@notes.example"), subject.get(&format!("{}_PASSWORD", name.to_uppercase())));
    let done = visitor.post("/login", &[("_token", token), ("email", &email), ("password", password)]);
    assert!(done.status == 302 && visitor.has_cookie("laravel_session"), "{done:?}");
    visitor
}

/// Whether it came from memory.
fn is_hit(answer: &Answer) -> bool {
    answer.field("cache-status").is_some_and(|said| said.starts_with("unladen; hit"))
}

#[test]
fn two_users_and_a_stranger_see_their_own_pages() {
    let subject = Subject::up("laravel");
    std::thread::scope(|scope| {
        for (name, shown) in [("anna", "Anna of the notes"), ("bert", "Bert of the notes"), ("", "Log in")] {
            let subject = &subject;
            scope.spawn(move || {
                let mut visitor =
                    if name.is_empty() { Visitor::anonymous(address(subject)) } else { user(subject, name) };
                for _ in 0..20 {
                    let answer = visitor.read("/");
                    assert!(!is_hit(&answer), "{answer:?}");
                    for text in ["Anna of the notes", "Bert of the notes", "Log in"] {
                        assert_eq!(answer.text().contains(text), text == shown, "{name:?}: {answer:?}");
                    }
                }
            });
        }
    });
    // A page that says how long it is good is kept, for who has no cookie; a form without its token is refused.
    let mut stranger = Visitor::anonymous(address(&subject));
    assert!(stranger.read("/notes").text().contains("The first note."));
    assert!(is_hit(&stranger.read("/notes")));
    let forged = user(&subject, "anna").post("/notes", &[("text", "forged")]);
    assert_eq!(forged.status, 419, "{forged:?}");
}

#[test]
fn a_user_writes_uploads_and_logs_out_in_a_browser_and_the_rest_is_private() {
    let subject = Subject::up("laravel");
    let browser = Chromium::start();
    browser.load(subject.get("SITE"));
    browser.evaluate(&format!(
        "document.querySelector('[name=email]').value = 'bert@notes.example';
         document.querySelector('[name=password]').value = {:?};
         document.querySelector('#login').click()",
        subject.get("BERT_PASSWORD")
    ));
    browser.wait_for("document.querySelector('#user')");
    browser.evaluate(
        "(() => {
             const files = new DataTransfer();
             files.items.add(new File(['<?php echo \"was run \", 6 * 7;'], 'evil.php', { type: 'image/png' }));
             document.querySelector('[name=file]').files = files.files;
             document.querySelector('[name=text]').value = 'A note of Bert.';
             document.querySelector('#write').click();
         })()",
    );
    browser.wait_for("document.body.innerText.includes('A note of Bert.')");
    let (address, host) = (address(&subject), address(&subject).to_string());
    // What he uploaded is there, and is no program.
    let uploaded = std::path::Path::new(subject.get("STATE")).join("app/public/storage/evil.php");
    assert!(uploaded.is_file());
    let folder = uploaded.with_file_name("evil");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::copy(&uploaded, folder.join("index.php")).unwrap();
    refused::by_the_site(
        address,
        &host,
        &[
            "/storage/evil.php",
            "/storage/%65vil.php",
            "/storage/evil.php/x.png",
            "/storage/evil/",
            "/storage/%65vil//",
            "/../.env",
            "/..%2f.env",
        ],
    );
    refused::everywhere(address, &host, &["a secret of the environment", "was run 42"]);
    let style = Visitor::anonymous(address).read("/build/assets/app-4ed993c7.css");
    assert!(style.field("cache-control").is_some_and(|said| said.contains("immutable")), "{style:?}");
    assert!(Visitor::anonymous(address).read("/notes?q=Bert").text().contains("A note of Bert."));
    assert_eq!(Visitor::anonymous(address).get("/no-such-page").status, 404);
    browser.evaluate("document.querySelector('#logout').click()");
    browser.wait_for("document.querySelector('#login') && !document.querySelector('#user')");
}
