//! What no visitor gets, whatever the application: files beside the root, sources, hidden files, in all spellings.

use std::net::SocketAddr;

use unladen_tests::{Answer, Wire};

/// Ways out of the root, and to what is hidden in it.
const EVERYWHERE: [&str; 16] = [
    "/../../../../etc/passwd",
    "/..%2f..%2f..%2f..%2fetc/passwd",
    "/%2e%2e/%2e%2e/%2e%2e/etc/passwd",
    "/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "/..;/..;/etc/passwd",
    "/..%5c..%5cetc%5cpasswd",
    "/.git/config",
    "/%2egit/config",
    "/.env",
    "/.htaccess",
    "//.htaccess",
    "/./.htaccess",
    "/index.php%00.txt",
    "/index.php%20",
    "/index.php.",
    "/index.php~",
];

fn get(address: SocketAddr, host: &str, path: &str) -> Answer {
    Wire::tcp(address).ask(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"))
}

/// Asserts that a site gives nothing of these away, nor of what no site gives away: an answer that is not an error is
/// one of the application, and has nothing of the file.
#[track_caller]
pub(crate) fn everywhere(address: SocketAddr, host: &str, secret: &[&str]) {
    for path in EVERYWHERE {
        let answer = get(address, host, path);
        let text = answer.text();
        assert!(answer.status < 500, "{path}: {answer:?}");
        for word in ["root:x:0:0", "<?php", "[core]"].iter().chain(secret) {
            assert!(!text.contains(word), "{path} shows {word:?}: {answer:?}");
        }
    }
}

/// Asserts that the site itself refuses these: no program of the application was run for them.
#[track_caller]
pub(crate) fn by_the_site(address: SocketAddr, host: &str, paths: &[&str]) {
    for path in paths {
        let answer = get(address, host, path);
        // A status that a route gives has no reason: it is no failure.
        let is_own = answer.reason().is_some() || answer.text() == "403 Forbidden\n";
        assert!(matches!(answer.status, 400 | 403 | 404) && is_own, "{path}: {answer:?}");
    }
}
