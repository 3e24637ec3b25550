//! [`run`]: asks the validator and the application the way requests go, and reports what is kept of the answer.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;
use tokio::task::spawn_local;
use tokio::time::timeout;
use unladen_cache::{FetchReader, NoStore, Time};
use unladen_http1::{Fields, Length, Response};
use unladen_observability::{Observability, ObservabilitySettings, Version};
use unladen_pool::Resolver;
use unladen_serve_config::Settings;

use super::seen::{AnswerSeen, KeptFor, Outlook, Rule, WhyNot, shown};
use crate::cache::News;
use crate::cache::cache_lookup::ValidatorAnswer;
use crate::cache::fetch_plan::FetchPlan;
use crate::context::Context;
use crate::limits::budget::Budget;
use crate::responder::admit::{Arrival, InboundRequest};
use crate::responder::fetch::fetch;
use crate::site::prepare::Who;
use crate::site::trust::Peer;

/// Upper bound; the upstream's own apply first.
const LONGEST: Duration = Duration::from_secs(120);

/// Most characters shown of a field.
const SHOWN: usize = 200;

const TOLD: [&str; 11] = [
    "cache-control",
    "cdn-cache-control",
    "surrogate-control",
    "expires",
    "pragma",
    "age",
    "vary",
    "etag",
    "last-modified",
    "location",
    "set-cookie",
];

pub(super) fn run(
    settings: &Settings,
    wanted: FetchPlan,
    who: Who,
    peer: Peer,
    outlook: &mut Outlook,
) -> io::Result<()> {
    // Not a client's request: it is in no log.
    let budget = Budget::new(settings.client_memory);
    let observability = Arc::new(Observability::new(ObservabilitySettings::default(), budget.clone())?);
    let runtime = Builder::new_current_thread().enable_all().build_local(Default::default())?;
    runtime.block_on(ask(observability, budget, wanted, who, peer, outlook));
    Ok(())
}

async fn ask(
    observability: Arc<Observability>,
    budget: Arc<Budget>,
    mut wanted: FetchPlan,
    who: Who,
    peer: Peer,
    outlook: &mut Outlook,
) {
    let site = wanted.site.clone();
    let upstream = wanted.proxy.upstream.clone();
    let index = observability.upstream(&upstream.settings().name);
    let context = Context::new(0, &observability, budget);
    let following = spawn_local(async move { upstream.follow(Arc::new(Resolver::system()), |_, _| (), |_| ()).await });
    if outlook.rule == Rule::Validator {
        let now = Instant::now();
        let inbound =
            InboundRequest::new(&context, &site, Arrival { index, version: Version::Http11, began: now, now, peer });
        inbound.who.set(who);
        let known = inbound.ask(&wanted.request).await;
        wanted.version = label(known.ok(), &wanted, outlook);
    }
    wanted.is_validated = wanted.version.is_some();
    if outlook.kept.is_none() {
        fetched(&context, index, wanted, outlook).await;
    }
    following.abort();
}

fn label(known: Option<ValidatorAnswer>, wanted: &FetchPlan, outlook: &mut Outlook) -> Option<Box<[u8]>> {
    match known {
        Some(ValidatorAnswer::Version(version)) => {
            outlook.label = Some(shown(&version));
            return Some(version);
        }
        Some(ValidatorAnswer::Nothing) => {
            let note = "the validator has no label for this page (no row, or null): it is stored as a page without a \
                validator";
            outlook.notes.push(note.to_owned());
            outlook.rule = Rule::Lifetime;
        }
        Some(ValidatorAnswer::Settling(label)) => {
            outlook.label = Some(shown(&label));
            outlook.why_not.push(WhyNot::of_request("label-settling"));
            outlook.kept = Some(false);
        }
        Some(ValidatorAnswer::Silent(_)) | None => {
            let number = outlook.validators.first().map_or(0, |validator| validator.number);
            let asked = wanted.site.validators.get(number.saturating_sub(1));
            let why = asked.and_then(|validator| validator.try_once().err()).map(|error| format!(": {error}"));
            outlook.notes.push(format!("the validator does not answer now{}", why.unwrap_or_default()));
            outlook.why_not.push(WhyNot::of_request("validator-silent"));
            outlook.kept = Some(false);
        }
    }
    None
}

async fn fetched(
    context: &std::rc::Rc<Context>,
    index: unladen_observability::UpstreamIndex,
    wanted: FetchPlan,
    outlook: &mut Outlook,
) {
    let Some(cache) = &wanted.site.clone().cache else { return };
    let (writer, mut reader) = cache.fetches.alone(&wanted.key);
    fetch(context, index, wanted.clone(), writer, None, std::rc::Rc::default(), Default::default());
    let news = timeout(LONGEST, poll_fn(|cx| reader.poll_head(cx))).await.ok().flatten();
    outlook.kept = Some(false);
    let began = match news {
        Some(News::Began(began)) => began,
        Some(News::Failed(reason, _)) => {
            outlook.notes.push(format!("the application did not answer: {}", reason.as_str()));
            return;
        }
        _ => {
            outlook.notes.push("the application did not answer".to_owned());
            return;
        }
    };
    let read = timeout(LONGEST, read(&mut reader)).await.ok();
    let response = &began.response;
    outlook.answer = Some(AnswerSeen {
        status: response.status,
        fields: told(&response.fields),
        bytes: read.map_or(0, |(bytes, _)| bytes),
    });
    if !read.is_some_and(|(_, is_whole)| is_whole) {
        outlook.notes.push("its body is incomplete".to_owned());
    }
    match &began.kept {
        Ok(kept) if cache.store.find(&wanted.key).is_some() => {
            outlook.kept = Some(true);
            outlook.kept_for = Some(KeptFor::new(&kept.freshness, &kept.nominated, wanted.is_validated));
        }
        // The length was not announced.
        Ok(_) => outlook.why_not.push(WhyNot::of_answer(NoStore::TooLarge)),
        Err(_) => {
            outlook.why_not.extend(reasons(wanted, response.clone()).into_iter().map(WhyNot::of_answer));
        }
    }
}

/// Length of the body, and whether it was complete.
async fn read(reader: &mut FetchReader<News>) -> (u64, bool) {
    let mut bytes = 0;
    loop {
        match poll_fn(|cx| reader.poll_piece(cx)).await {
            Ok(Some(piece)) => bytes += piece.len() as u64,
            Ok(None) => return (bytes, true),
            Err(()) => return (bytes, false),
        }
    }
}

fn told(fields: &Fields) -> Vec<(String, String)> {
    let is_told = |name: &[u8]| TOLD.iter().any(|told| name.eq_ignore_ascii_case(told.as_bytes()));
    let told = fields.iter().filter(|field| is_told(field.name)).map(|field| {
        let name = String::from_utf8_lossy(field.name).to_ascii_lowercase();
        let mut value = shown(field.value);
        if name == "set-cookie" {
            // Its value may be a secret.
            value = format!("{}=…", value.split('=').next().unwrap_or_default());
        }
        if value.chars().count() > SHOWN {
            value = value.chars().take(SHOWN).chain(['…']).collect();
        }
        (name, value)
    });
    told.collect()
}

/// More than there are.
const MOST: usize = 16;

/// The cache gives only the first reason: it is remedied, and the cache asked again.
pub(super) fn reasons(mut wanted: FetchPlan, mut response: Response) -> Vec<NoStore> {
    let mut reasons = Vec::new();
    let received = Time::now();
    while let Err(why) = wanted.judge(&response, received) {
        if reasons.contains(&why) || reasons.len() >= MOST {
            break;
        }
        reasons.push(why);
        mend(why, &mut wanted, &mut response);
    }
    reasons
}

/// Changes request and answer so that this reason no longer applies.
fn mend(why: NoStore, wanted: &mut FetchPlan, response: &mut Response) {
    let request = &mut wanted.request;
    match why {
        NoStore::Method => request.method = b"GET".to_vec(),
        NoStore::RequestNoStore => without(&mut request.fields, &[b"cache-control", b"pragma"]),
        NoStore::Status | NoStore::OddRequest => response.status = 200,
        NoStore::NoStore => take_off(&mut response.fields, b"no-store"),
        NoStore::Private => take_off(&mut response.fields, b"private"),
        NoStore::Authorization => without(&mut request.fields, &[b"authorization"]),
        NoStore::SetCookie => without(&mut response.fields, &[b"set-cookie"]),
        NoStore::VaryAll => without(&mut response.fields, &[b"vary"]),
        // As if a validator vouched for it.
        NoStore::NoLifetime => wanted.is_validated = true,
        NoStore::Cookies => without(&mut request.fields, &[b"cookie"]),
        NoStore::TooLarge => response.length = Length::None,
    }
}

fn without(fields: &mut Fields, names: &[&[u8]]) {
    fields.retain(|field| !names.iter().any(|name| field.name.eq_ignore_ascii_case(name)));
}

/// Removes a directive of `Cache-Control` and its kin.
fn take_off(fields: &mut Fields, directive: &[u8]) {
    for name in [&b"cache-control"[..], b"cdn-cache-control"] {
        let lines: Vec<Vec<u8>> = fields
            .iter()
            .filter(|field| field.name.eq_ignore_ascii_case(name))
            .map(|field| field.value.to_vec())
            .collect();
        if lines.is_empty() {
            continue;
        }
        let joined = lines.join(&b", "[..]);
        let is_meant = |part: &[u8]| {
            let word = part.split(|byte| *byte == b'=').next().unwrap_or_default();
            word.trim_ascii().eq_ignore_ascii_case(directive)
        };
        let left: Vec<&[u8]> = joined.split(|byte| *byte == b',').filter(|part| !is_meant(part)).collect();
        without(fields, &[name]);
        fields.push(name, &left.join(&b","[..]));
    }
}
