//! Traffic where there is no log: [`of_sitemap`], the pages that a site says it has; [`listed`], those of a list of URLs.

use std::collections::BTreeSet;
use std::path::Path;

use unladen_load::{UrlList, UrlListError};
use unladen_traffic::{Method, Options, Sitemap, Traffic, TrafficError};
use url::Url;

use crate::exit::Failure;
use crate::say::say;

/// Sitemaps that an index may lead to, and pages of all: far above any site's that is measured by it.
const MOST_SITEMAPS: usize = 500;
const MOST_PAGES: usize = 1_000_000;
/// Requests of a list whose weights are no whole numbers, or very large: each is counted.
const REQUESTS: f64 = 1e6;

/// Of a list whose weights say how often each is asked for.
pub(crate) fn listed(file: &Path, options: &Options) -> Result<Traffic, Failure> {
    let list = UrlList::read(file).map_err(|error: UrlListError| Failure::Usage(error.to_string()))?;
    list.remark().into_iter().for_each(|remark| say!("unladen: {remark}"));
    let lines = list.lines;
    let all: f64 = lines.iter().map(|line| line.weight).sum();
    let is_counted = all <= REQUESTS && lines.iter().all(|line| line.weight.fract() == 0.0);
    let unit = if is_counted { 1.0 } else { all / REQUESTS };
    let requests: Vec<(Method, String, u64)> = lines
        .iter()
        .map(|line| {
            let method = if line.method.as_str() == "GET" { Method::Get } else { Method::Other };
            (method, target(&line.url).to_owned(), (line.weight / unit).round().max(1.0) as u64)
        })
        .collect();
    counted(&requests, &file.display().to_string(), options)
}

/// Each page of a sitemap, and of those that it names, once. `fetch` gets a sitemap: as it was named, or the target of one
/// that another has named. One of these that cannot be had is said, and passed over.
pub(crate) fn of_sitemap(
    named: &str,
    options: &Options,
    mut fetch: impl FnMut(&str) -> Result<Vec<u8>, Failure>,
) -> Result<Traffic, Failure> {
    let mut read = |map: &str| -> Result<Sitemap, Failure> {
        Sitemap::parse(&fetch(map)?).map_err(|error| Failure::Usage(format!("the sitemap {map} {error}")))
    };
    let mut seen = BTreeSet::from([named.to_owned()]);
    let mut waiting = Vec::new();
    let mut pages = Pages::default();
    let mut next = Some(read(named)?);
    loop {
        if let Some(Sitemap { pages: found, sitemaps, passed_over }) = next {
            pages.passed_over += passed_over;
            found.iter().for_each(|page| pages.add(page));
            let further = sitemaps.iter().filter_map(|map| Some(target(&Url::parse(map).ok()?).to_owned()));
            waiting.extend(further.filter(|map| seen.insert(map.clone())));
        }
        if seen.len() > MOST_SITEMAPS || pages.targets.len() > MOST_PAGES {
            let why = format!("has more than {MOST_SITEMAPS} further ones, or {MOST_PAGES} pages: name one of them");
            return Err(Failure::Usage(format!("the sitemap {named} {why}")));
        }
        let Some(map) = waiting.pop() else { break };
        next = read(&map).inspect_err(|error| say!("unladen: passed over: {error}")).ok();
    }
    if pages.others + pages.passed_over > 0 {
        say!("unladen: passed over: {} pages of other hosts, {} that are no URLs", pages.others, pages.passed_over);
    }
    let requests: Vec<(Method, String, u64)> =
        pages.targets.into_iter().map(|target| (Method::Get, target, 1)).collect();
    counted(&requests, named, options)
}

/// Pages of sitemaps: of the first one's host, each once.
#[derive(Default)]
struct Pages {
    host: Option<String>,
    targets: BTreeSet<String>,
    others: u64,
    passed_over: u64,
}

impl Pages {
    fn add(&mut self, page: &str) {
        let Ok(url) = Url::parse(page) else {
            self.passed_over += 1;
            return;
        };
        let host = url.host_str().unwrap_or_default();
        if self.host.get_or_insert_with(|| host.to_owned()) == host {
            self.targets.insert(target(&url).to_owned());
        } else {
            self.others += 1;
        }
    }
}

/// Path and query.
fn target(url: &Url) -> &str {
    &url[url::Position::BeforePath..url::Position::AfterQuery]
}

fn counted(requests: &[(Method, String, u64)], name: &str, options: &Options) -> Result<Traffic, Failure> {
    let requests = requests.iter().map(|(method, target, times)| (*method, target.as_str(), *times));
    Traffic::of_list(requests, name, options).map_err(|error: TrafficError| Failure::Usage(error.to_string()))
}
