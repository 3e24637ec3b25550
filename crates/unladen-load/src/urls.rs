//! The principal type is [`UrlLine`]: one line of a list of URLs, `[WEIGHT] [METHOD] URL [label]`.
//!
//! Empty lines and lines that begin with `#` are skipped. The weight is the request's relative frequency.
//!
//! ```
//! use std::path::Path;
//! use unladen_load::UrlLine;
//!
//! let list = "# the wiki\nhttp://localhost:8080/index.php/Main_Page  main page\n0.1 POST http://localhost:8080/api.php\n";
//! let lines = UrlLine::parse_list(list, Path::new("wiki.urls"))?;
//! assert_eq!(lines[0].label.as_deref(), Some("main page"));
//! assert_eq!((lines[1].method.as_str(), lines[1].weight), ("POST", 0.1));
//! # Ok::<(), unladen_load::UrlListError>(())
//! ```

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use http::Method;

use crate::request::{RequestBuilder, RequestError};

/// Maximum length of a list, bytes: far above any that can be weighed, and an end to reading /dev/zero.
const LONGEST: u64 = 16 << 20;

/// One line of the list.
#[derive(Clone, Debug)]
pub struct UrlLine {
    pub method: Method,
    pub is_method_named: bool,
    pub url: url::Url,
    /// Rest of the line, the request's name.
    pub label: Option<String>,
    /// Relative frequency; 1 by default.
    pub weight: f64,
}

/// Why a list was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UrlListError {
    #[error("cannot read the list of URLs {file}: {source}", file = file.display())]
    Read { file: PathBuf, source: io::Error },
    /// The file is no text, or does not end.
    #[error("the list of URLs {file} is {what}: expected UTF-8 text of at most 16 MiB, one URL per line", file = file.display())]
    NoText { file: PathBuf, what: &'static str },
    #[error("the list of URLs {file} is empty: expected `[WEIGHT] [METHOD] URL [label]`, one per line", file = file.display())]
    Empty { file: PathBuf },
    #[error("{file}:{line}: `{value}` has no URL: expected `[WEIGHT] [METHOD] URL [label]`", file = file.display())]
    NoUrl { file: PathBuf, line: usize, value: String },
    /// A line begins with a number that is no weight.
    #[error("{file}:{line}: the weight {weight} is invalid: expected a number above 0, such as 10 or 0.5, before the \
        URL", file = file.display())]
    Weight { file: PathBuf, line: usize, weight: String },
    #[error("{file}:{line}: {source}; a line has the form `[WEIGHT] [METHOD] URL [label]`", file = file.display())]
    Line { file: PathBuf, line: usize, source: RequestError },
}

/// A list, as far as it can be sent.
#[derive(Debug)]
pub struct UrlList {
    pub lines: Vec<UrlLine>,
    /// Why other lines are not: fewer than those that are.
    pub passed_over: Vec<UrlListError>,
}

impl UrlList {
    /// Reads a file. Fails when it cannot be read, is no text, holds no URL, or most lines are malformed.
    pub fn read(file: &Path) -> Result<Self, UrlListError> {
        let read = |source| UrlListError::Read { file: file.to_owned(), source };
        let mut bytes = Vec::new();
        File::open(file).map_err(read)?.take(LONGEST + 1).read_to_end(&mut bytes).map_err(read)?;
        if bytes.len() as u64 > LONGEST {
            return Err(UrlListError::NoText { file: file.to_owned(), what: "longer than 16 MiB" });
        }
        Self::parse(&bytes, file)
    }

    fn parse(text: &[u8], file: &Path) -> Result<Self, UrlListError> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let (mut lines, mut passed_over) = (Vec::new(), Vec::new());
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let line = std::str::from_utf8(line).map(str::trim);
            match line {
                Ok(line) if line.is_empty() || line.starts_with('#') => {}
                Ok(line) => match UrlLine::parse(line, file, index + 1) {
                    Ok(line) => lines.push(line),
                    Err(error) => passed_over.push(error),
                },
                Err(_) => passed_over.push(UrlListError::NoText { file: file.to_owned(), what: "not UTF-8 text" }),
            }
        }
        let most = passed_over.len() > lines.len();
        match passed_over.into_iter() {
            mut faults if most => faults.next().map_or(Err(UrlListError::Empty { file: file.to_owned() }), Err),
            _ if lines.is_empty() => Err(UrlListError::Empty { file: file.to_owned() }),
            faults => Ok(Self { lines, passed_over: faults.collect() }),
        }
    }

    /// What was passed over, in a sentence; `None` if nothing was.
    pub fn remark(&self) -> Option<String> {
        let first = self.passed_over.first()?;
        let lines = self.lines.len() + self.passed_over.len();
        Some(format!("{} of {lines} lines passed over, the first: {first}", self.passed_over.len()))
    }
}

impl UrlLine {
    /// A GET of this URL, as often as any other.
    pub fn get(url: url::Url) -> Self {
        Self { method: Method::GET, is_method_named: false, url, label: None, weight: 1.0 }
    }

    /// Reads a text whose lines are all right; `file` is named in errors. Fails when it holds no URL, or a line is malformed.
    pub fn parse_list(text: &str, file: &Path) -> Result<Vec<Self>, UrlListError> {
        let UrlList { lines, passed_over } = UrlList::parse(text.as_bytes(), file)?;
        passed_over.into_iter().next().map_or(Ok(lines), Err)
    }

    /// Begins the request of this line. Fails only when the fields were changed to values that no list may hold.
    pub fn request(&self) -> Result<RequestBuilder, RequestError> {
        let builder = RequestBuilder::new(self.method.clone(), self.url.clone())?;
        Ok(match &self.label {
            Some(label) => builder.named(label),
            None => builder,
        })
    }

    fn parse(text: &str, file: &Path, line: usize) -> Result<Self, UrlListError> {
        let wrong = |source| UrlListError::Line { file: file.to_owned(), line, source };
        let (weight, text) = match word(text) {
            // A word with a slash or a colon is an address: 127.0.0.1:8080/page.
            (first, rest)
                if first.starts_with(|c: char| c.is_ascii_digit() || c == '.') && !first.contains(['/', ':']) =>
            {
                let weight = first.parse().ok().filter(|weight: &f64| *weight > 0.0 && weight.is_finite());
                let refused = || UrlListError::Weight { file: file.to_owned(), line, weight: first.to_owned() };
                (weight.ok_or_else(refused)?, rest)
            }
            _ => (1.0, text),
        };
        let (first, rest) = word(text);
        let is_method = first.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
        let (method, url, rest) = if is_method {
            let (url, rest) = word(rest);
            if url.is_empty() {
                return Err(UrlListError::NoUrl { file: file.to_owned(), line, value: text.to_owned() });
            }
            (first, url, rest)
        } else {
            ("GET", first, rest)
        };
        // Prose is no list: a single word is a host only if it is this machine.
        if !url.contains(['/', ':', '.']) && !url.eq_ignore_ascii_case("localhost") {
            return Err(UrlListError::NoUrl { file: file.to_owned(), line, value: text.to_owned() });
        }
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|source| wrong(RequestError::Method { method: method.to_owned(), source }))?;
        let url = crate::typed::with_scheme(url).map_err(|source| wrong(RequestError::url(url, source)))?;
        // Checks scheme, credentials and method here, where the line is known.
        RequestBuilder::new(method.clone(), url.clone()).map_err(wrong)?;
        Ok(Self { method, is_method_named: is_method, url, label: (!rest.is_empty()).then(|| rest.to_owned()), weight })
    }
}

fn word(text: &str) -> (&str, &str) {
    match text.split_once(char::is_whitespace) {
        Some((first, rest)) => (first, rest.trim_start()),
        None => (text, ""),
    }
}

#[cfg(test)]
mod tests;
