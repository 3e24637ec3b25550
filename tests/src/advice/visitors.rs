//! The principal type is [`Visitors`]: who must not see each other's pages.

use std::process::Command;

/// Somebody with what a browser of theirs sends.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// For messages.
    pub name: &'static str,
    /// `Cookie: a=1; b=2`, `Authorization: …`
    pub headers: Vec<String>,
    /// What is on pages that are theirs, and on nobody else's.
    pub secrets: Vec<String>,
}

/// All who come by, the stranger last.
#[derive(Debug, Default)]
pub struct Visitors {
    all: Vec<Visitor>,
}

impl Visitors {
    /// These, and a stranger.
    pub fn of(mut all: Vec<Visitor>) -> Self {
        all.push(Visitor { name: "stranger", headers: Vec::new(), secrets: Vec::new() });
        Self { all }
    }

    /// All ask for all pages, round after round, each round in another order; and everybody's own is on their pages.
    ///
    /// # Errors
    /// With who saw what of whom.
    pub fn look(&self, site: &str, pages: &[&str]) -> Result<(), String> {
        let mut order: Vec<&Visitor> = self.all.iter().collect();
        for _ in 0..order.len() {
            for page in pages {
                for visitor in &order {
                    self.one(visitor, &format!("{site}{page}"))?;
                }
                // The stranger's page is the one that a cache has by now.
                for visitor in order.iter().rev() {
                    self.one(visitor, &format!("{site}{page}"))?;
                }
            }
            order.rotate_left(1);
        }
        Ok(())
    }

    /// How many they are.
    #[allow(clippy::len_without_is_empty, reason = "a stranger is always among them")]
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// A page that one of them alone may see: whoever asks before and after.
    ///
    /// # Errors
    /// With who saw it, or that its owner did not.
    pub fn is_for_one(&self, url: &str, owner: &str, text: &str) -> Result<(), String> {
        let rounds = [0, 1].map(|_| self.all.iter().chain(self.all.iter().rev()));
        for visitor in rounds.into_iter().flatten() {
            let headers = visitor.headers.iter().flat_map(|header| ["-H", header.as_str()]);
            let (head, body) = curl(headers.chain([url]));
            if body.contains(text) != (visitor.name == owner) {
                let status = head.lines().next().unwrap_or("no answer");
                return Err(format!("{} is answered {status} at {url}, which is {owner}'s", visitor.name));
            }
        }
        Ok(())
    }

    fn one(&self, visitor: &Visitor, url: &str) -> Result<(), String> {
        let body = visitor.get(url)?;
        for other in self.all.iter().filter(|other| other.name != visitor.name) {
            if let Some(secret) = other.secrets.iter().find(|secret| body.contains(secret.as_str())) {
                return Err(format!("{} sees `{secret}` of {} at {url}", visitor.name, other.name));
            }
        }
        match visitor.secrets.iter().find(|secret| !body.contains(secret.as_str())) {
            Some(secret) => Err(format!("{} misses `{secret}` at {url}", visitor.name)),
            None => Ok(()),
        }
    }
}

impl Visitor {
    /// Who says with each request who it is.
    pub fn with_header(name: &'static str, header: &str) -> Self {
        Self { name, headers: vec![header.to_owned()], secrets: Vec::new() }
    }

    /// With these cookies.
    pub fn with_cookies(name: &'static str, cookies: &[String], secrets: &[&str]) -> Self {
        let headers = vec![format!("Cookie: {}", cookies.join("; "))];
        Self { name, headers, secrets: secrets.iter().map(|secret| (*secret).to_owned()).collect() }
    }

    fn get(&self, url: &str) -> Result<String, String> {
        let headers = self.headers.iter().flat_map(|header| ["-H", header.as_str()]);
        let (head, body) = curl(headers.chain([url]));
        match head.split_whitespace().nth(1) {
            Some("200") => Ok(body),
            status => Err(format!("{} is answered {status:?} at {url}", self.name)),
        }
    }
}

/// What curl is answered: the last head, and the body.
///
/// # Panics
/// If there is no curl.
pub fn curl<'a>(args: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let done = Command::new("curl").args(["-s", "-i", "-m", "60"]).args(args).output().expect("curl");
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    (head.to_owned(), body.to_owned())
}

/// A form that is sent: the cookies that are set for it.
pub fn form(url: &str, cookies: &str, fields: &[(&str, &str)]) -> Vec<String> {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let mut args = vec!["-b", cookies];
    args.extend(fields.iter().flat_map(|field| ["--data-urlencode", field.as_str()]));
    args.push(url);
    let (head, _) = curl(args);
    let set = head
        .lines()
        .filter_map(|line| line.split_once(": ").filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie")));
    let pairs = set
        .filter_map(|(_, value)| value.split(';').next())
        .filter(|pair| !pair.ends_with("=deleted") && !pair.ends_with('='));
    pairs.map(str::to_owned).collect()
}
