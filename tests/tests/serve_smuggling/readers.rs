//! What is sent on, read by servers that others wrote: they answer as many requests as were sent, each as it was meant.
//! They share connections between the requests of all clients, as any upstream does.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use unladen_tests::{ScriptServer, wait};

use crate::cases::Becomes::{Cut, Last, Refused, Sent};
use crate::cases::TABLES;
use crate::support::{Contact, Said, bytes, hear_of, say};

/// Says what it understood of each request, and reads bodies in its own way.
const PYTHON: &str = r#"
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True
    def body(self):
        if self.headers.get("Transfer-Encoding", "").strip().lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return body
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))
    def any(self):
        body = self.body()
        said = f"{self.command} {self.path} {self.headers['Host']} {len(body)}".encode("latin-1")
        self.send_response(200)
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(said)
    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.any
        raise AttributeError(name)
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"#;

#[test]
fn nginx_reads_what_was_meant() {
    let folder = tempfile::tempdir().unwrap();
    let _nginx = Nginx::start(folder.path());
    let upstream = format!("unix:{}/nginx.sock", folder.path().display());
    check_all(&upstream, |method, target, host, _| format!("{method} {target} {host}"));
}

#[test]
fn python_reads_what_was_meant() {
    let site = ScriptServer::python(PYTHON);
    check_all(site.url().trim_end_matches('/'), |method, target, host, length| {
        // It takes a leading slash away where there are two.
        let target =
            if target.starts_with("//") { format!("/{}", target.trim_start_matches('/')) } else { target.to_owned() };
        format!("{method} {target} {host} {length}")
    });
}

fn check_all(upstream: &str, words: impl Fn(&str, &str, &str, usize) -> String) {
    let place = Contact::at(upstream, "host = \"keep\"\nvia = false\n");
    let mut understood = 0;
    for (table, cases) in TABLES {
        for (name, text, becomes) in *cases {
            let (sent, closes) = match becomes {
                Sent(sent) => (*sent, false),
                Last(sent) => (*sent, true),
                Refused(_) | Cut(_) => continue,
            };
            let mut stream = place.connect();
            say(&mut stream, &bytes(text), usize::MAX);
            let method =
                |at: usize| if sent.get(at).is_some_and(|sent| sent.starts_with("HEAD ")) { "HEAD" } else { "GET" };
            let said = hear_of(&mut stream, if closes { 0 } else { sent.len() }, method);
            understood += check(&format!("{table}: {name}"), sent, &said, &words);
            // Another client, on the same connection upstream.
            let mut stream = place.connect();
            say(&mut stream, b"GET /canary HTTP/1.1\r\nHost: c\r\n\r\n", usize::MAX);
            let said = hear_of(&mut stream, 1, |_| "GET");
            assert_eq!(
                (&*said.answers[0].body, &*said.rest),
                (words("GET", "/canary", "c", 0).as_bytes(), &b""[..]),
                "{name}"
            );
        }
    }
    assert!(understood > 40, "only {understood} requests were understood");
    place.serve.stop();
}

fn check(name: &str, sent: &[&str], said: &Said, words: impl Fn(&str, &str, &str, usize) -> String) -> usize {
    assert_eq!((said.answers.len(), &*said.rest), (sent.len(), &b""[..]), "{name}: {said:?}");
    let mut understood = 0;
    for (sent, answer) in sent.iter().zip(&said.answers) {
        let mut first = sent.split([' ', '¶']);
        let (method, target) = (first.next().unwrap(), first.next().unwrap());
        let host = sent.split("¶host: ").nth(1).unwrap().split('¶').next().unwrap();
        let body = bytes(sent.split_once("¶¶").unwrap().1);
        let length = if sent.contains("chunked¶") {
            crate::support::chunks(&body).map_or(0, |(body, _)| body.len())
        } else {
            body.len()
        };
        // It may refuse what is odd, such as `%00` in a target: as one request.
        if answer.status == 200 && method != "HEAD" {
            assert_eq!(String::from_utf8_lossy(&answer.body), words(method, target, host, length), "{name}");
            understood += 1;
        }
    }
    understood
}

/// nginx, as long as it is held.
struct Nginx(Child);

impl Nginx {
    fn start(folder: &Path) -> Self {
        let at = folder.display();
        let config = format!(
            "daemon off; master_process off; pid {at}/pid; error_log {at}/error.log;\n\
             events {{}}\n\
             http {{ access_log off; client_body_temp_path {at}/body; proxy_temp_path {at}/proxy; fastcgi_temp_path {at}/fcgi;\n\
             uwsgi_temp_path {at}/uwsgi; scgi_temp_path {at}/scgi;\n\
             server {{ listen unix:{at}/nginx.sock; keepalive_requests 1000000; default_type text/plain;\n\
             location / {{ return 200 \"$request_method $request_uri $http_host\"; }} }} }}\n"
        );
        std::fs::write(folder.join("nginx.conf"), config).unwrap();
        let mut command = Command::new("nginx");
        command.args(["-p", &at.to_string(), "-e", &format!("{at}/error.log"), "-c", &format!("{at}/nginx.conf")]);
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("nginx");
        wait::until_ok("nginx comes up", || {
            let log = || std::fs::read_to_string(folder.join("error.log")).unwrap_or_default();
            folder.join("nginx.sock").exists().then_some(()).ok_or_else(log)
        });
        Self(child)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
