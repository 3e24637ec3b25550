//! The principal type is [`Site`]: `unladen serve` in front of an application, and what can be seen of it from outside.
//! [`app`] is an application that answers as a test says.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::port::free_address;
use crate::serve::Serve;
use crate::upstream::{Seen, Upstream};
use crate::wait;
use crate::wire::{Answer, Wire};

/// `unladen serve` in front of an application; it listens at a Unix socket and at an address.
#[derive(Debug)]
pub struct Site {
    serve: Serve,
    address: SocketAddr,
}

// === impl Site ===

impl Site {
    /// In front of this application, with these settings of its table, which may begin others: `via = false`,
    /// `[site.cache]` …
    pub fn of(app: &Upstream, settings: &str) -> Self {
        Self::start(&format!("upstream = \"{}\"\n{settings}", app.url()))
    }

    /// The same in front of it by each protocol: HTTP, FastCGI.
    pub fn each(app: &Upstream, settings: &str) -> impl Iterator<Item = Self> + use<> {
        let http = format!("upstream = \"{}\"\n{settings}", app.url());
        [http, program(app, settings)].into_iter().map(|settings| Self::start(&settings))
    }

    /// The same in front of it by FastCGI alone.
    pub fn program(app: &Upstream, settings: &str) -> Self {
        Self::start(&program(app, settings))
    }

    /// With a table of these settings. The application is not asked twice, but where they say so, and failures count as
    /// they are.
    pub fn start(settings: &str) -> Self {
        let address = free_address();
        let more = if settings.contains("retry") { "" } else { "retry = { attempts = 0 }\noutlier = false" };
        let serve = Serve::start(&format!(
            "threads = 2
             [admin]
             listen = \"unix:DIR/admin.sock\"
             [[site]]
             name = \"test\"
             listen = [\"unix:DIR/a.sock\", \"{address}\"]
             {more}
             {settings}
             "
        ));
        Self { serve, address }
    }

    /// A new connection to its address.
    pub fn wire(&self) -> Wire {
        Wire::tcp(self.address)
    }

    /// A new connection to its Unix socket, where clients have no address.
    pub fn unix(&self) -> Wire {
        Wire::unix(&self.socket())
    }

    /// GET on a connection of its own.
    #[track_caller]
    pub fn get(&self, path: &str) -> Answer {
        self.wire().get(path)
    }

    /// GET with these lines besides, each with its end.
    #[track_caller]
    pub fn get_with(&self, path: &str, lines: &str) -> Answer {
        self.wire().ask(get(path, lines))
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where it listens, too.
    pub fn socket(&self) -> PathBuf {
        self.serve.path("a.sock")
    }

    /// A file in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.serve.path(name)
    }

    /// The process and its folder.
    pub fn serve(&self) -> &Serve {
        &self.serve
    }

    /// Memory that it holds, in bytes ([`Running::memory`](crate::Running::memory)).
    pub fn memory(&self) -> u64 {
        self.serve.running().memory()
    }

    /// Waits until so many requests of clients are in flight: all that were sent have been read.
    #[track_caller]
    pub fn wait_for_requests(&self, count: usize) {
        wait::until_ok(&format!("{count} requests are in flight"), || {
            let text = Wire::unix(&self.path("admin.sock")).get("/metrics").is(200).text();
            let line = text.lines().find(|line| line.starts_with("http_server_active_requests{")).unwrap_or_default();
            let number = line.rsplit(' ').next().and_then(|number| number.parse::<f64>().ok());
            if number == Some(count as f64) { Ok(()) } else { Err(line.to_owned()) }
        });
    }

    /// GETs until an answer is so, such as one that is stored by what goes on behind.
    #[track_caller]
    pub fn get_until(&self, path: &str, is_so: impl Fn(&Answer) -> bool) -> Answer {
        wait::until_ok(&format!("{path} is so"), || {
            let answer = self.get(path);
            if is_so(&answer) { Ok(answer) } else { Err(format!("{answer:?}")) }
        })
    }

    /// Asks it to stop, which has to go well: what it wrote to standard error.
    #[track_caller]
    pub fn told(self) -> String {
        self.serve.stop().stderr
    }

    /// Asks it to stop, which has to go well.
    #[track_caller]
    pub fn stop(self) {
        self.serve.stop();
    }
}

fn program(app: &Upstream, settings: &str) -> String {
    format!("php = \"fcgi://{}\"\nfastcgi.script = \"/srv/program\"\n{settings}", app.address())
}

/// A GET with these lines besides, each with its end.
pub fn get(path: &str, lines: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: test\r\n{lines}\r\n")
}

/// An application that answers each request with what this gives: a whole answer, or one that breaks off, after which
/// the connection is closed. It is spoken to by HTTP or by FastCGI.
pub fn app(answer: impl Fn(&Seen) -> String + Send + Sync + 'static) -> Upstream {
    Upstream::start(move |peer| {
        while let Some(request) = peer.request() {
            if !peer.send_answer(&answer(&request)) {
                return;
            }
        }
    })
}

/// An address that nobody listens at.
pub fn free() -> SocketAddr {
    free_address()
}

/// 200 with these lines, each with its end, and this body.
pub fn page(lines: &str, body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\n{lines}Content-Length: {}\r\n\r\n{body}", body.len())
}

impl Answer {
    /// What the cache says that it did, without its name.
    #[track_caller]
    pub fn cache(&self) -> &str {
        let said = self.field("cache-status").unwrap_or_else(|| panic!("no Cache-Status: {self:?}"));
        said.strip_prefix("unladen").unwrap_or_else(|| panic!("not ours: {said}")).trim_start_matches("; ")
    }

    /// Asserts that it was in memory: whole, with this status.
    #[track_caller]
    pub fn is_hit(self, status: u16) -> Self {
        assert!(self.status == status && self.cache().starts_with("hit"), "{self:?}");
        self
    }

    /// Asserts that the application was asked for it, and gave this status.
    #[track_caller]
    pub fn is_asked(self, status: u16) -> Self {
        assert!(self.status == status && self.cache().starts_with("fwd="), "{self:?}");
        self
    }
}
