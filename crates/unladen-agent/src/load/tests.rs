use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use unladen_load::{
    Arrivals, ConfigForm, DriverConfig, End, ErrorKind, LoadPlan, Mix, PlanForm, Request, Schedule, Share, Stop,
};

use super::*;

/// Far above what an answer takes.
const LIMIT: Duration = Duration::from_secs(60);

fn far() -> (FarLoad, Receiver<LoadAnswer>) {
    let (send, answers) = sync_channel(64);
    (FarLoad::start(move |answer| send.send(answer).is_ok()).unwrap(), answers)
}

fn answer(answers: &Receiver<LoadAnswer>) -> LoadAnswer {
    answers.recv_timeout(LIMIT).unwrap()
}

#[track_caller]
fn refused(answers: &Receiver<LoadAnswer>, word: &str) {
    match answer(answers) {
        LoadAnswer::Failed { kind: ErrorKind::Client, why } => assert!(why.contains(word), "{why}"),
        other => panic!("{other:?}"),
    }
}

fn page() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|read| read > 0) {
                    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").unwrap();
                }
            });
        }
    });
    url
}

fn tell(far: &FarLoad, url: &str) {
    let page = Request::get(url).unwrap().build().unwrap();
    let config = ConfigForm::of(&DriverConfig::new(vec![page])).unwrap();
    for (piece, last) in pieces(&config).unwrap() {
        far.ask(LoadAsk::Start { piece, last });
    }
    let plan = LoadPlan {
        schedule: Some(Schedule::steady(1_000.0, Arrivals::Constant, 0).unwrap()),
        stop: Stop::after(Duration::ZERO).or_requests(41),
        concurrency: 4,
        ..LoadPlan::new(Mix::only(0))
    };
    let plan = PlanForm::of(&plan, Duration::from_secs(60), Share::new(1, 2).unwrap()).unwrap();
    for (piece, last) in pieces(&plan).unwrap() {
        far.ask(LoadAsk::Plan { piece, last });
    }
}

#[test]
fn a_share_is_sent_and_all_its_records_come_before_the_end() {
    let (far, answers) = far();
    tell(&far, &page());
    assert_eq!((answer(&answers), answer(&answers)), (LoadAnswer::Started, LoadAnswer::Planned));
    far.ask(LoadAsk::Begin { at_ns: unladen_probe::monotonic_ns() + 50_000_000 });
    let mut planned = Vec::new();
    let end = loop {
        match answer(&answers) {
            LoadAnswer::Records(batch) => planned.extend(batch.records().unwrap().iter().map(|one| one.planned_ns)),
            LoadAnswer::Look { .. } => {}
            LoadAnswer::Ended { end, .. } => break end,
            other => panic!("{other:?}"),
        }
    };
    planned.sort_unstable();
    // The odd ones of 41, a millisecond after each other.
    assert_eq!(planned, (0..20).map(|turn| (2 * turn + 1) * 1_000_000).collect::<Vec<u64>>());
    assert_eq!((end.ended, end.sent, end.unsent), (End::Requests, 20, 0));
}

/// A way that takes nothing until the load has ended, and an agent with room for a few records.
#[test]
fn a_way_that_is_too_slow_delays_no_request_and_loses_none() {
    const FEW: usize = 100;
    let (send, answers) = sync_channel(64);
    let (open, is_open) = std::sync::mpsc::channel::<()>();
    let is_open = std::sync::Mutex::new(is_open);
    let way = move |answer| {
        if matches!(answer, LoadAnswer::Records(_) | LoadAnswer::Look { .. }) {
            // Until the other end is dropped.
            let _ = is_open.lock().unwrap().recv();
        }
        send.send(answer).is_ok()
    };
    let far = FarLoad::with_room(FEW, way).unwrap();
    let url = page();
    tell(&far, &url);
    assert_eq!((answer(&answers), answer(&answers)), (LoadAnswer::Started, LoadAnswer::Planned));
    far.ask(LoadAsk::Begin { at_ns: unladen_probe::monotonic_ns() + 50_000_000 });
    // 20 requests take 41 ms; what is told meanwhile waits.
    std::thread::sleep(Duration::from_millis(400));
    drop(open);
    let (mut told, mut pieces, mut summary) = (0, Vec::new(), None);
    let end = loop {
        match answer(&answers) {
            LoadAnswer::Records(batch) => told += batch.len() as u64,
            LoadAnswer::Look { .. } => {}
            LoadAnswer::Summary { piece, last } => {
                summary = gathered::<unladen_load::RecordSummary>(&mut pieces, &piece, last, 1 << 20).unwrap();
            }
            LoadAnswer::Ended { end, .. } => break end,
            other => panic!("{other:?}"),
        }
    };
    let counted = summary.map_or(0, |summary| summary.recorded);
    assert_eq!((end.ended, end.sent, told + counted), (End::Requests, 20, 20), "{told} told, {counted} counted");
    assert!(counted > 0, "all {told} had room");
}

#[test]
fn what_cannot_be_done_is_told_and_the_next_question_is_answered() {
    let (far, answers) = far();
    far.ask(LoadAsk::Sample { request: 0 });
    refused(&answers, "does not know");
    far.ask(LoadAsk::Begin { at_ns: u64::MAX });
    refused(&answers, "not planned");
    far.ask(LoadAsk::Start { piece: vec![0xff; 40], last: true });
    refused(&answers, "cannot be read");
    far.ask(LoadAsk::Plan { piece: vec![0xff; 40], last: true });
    refused(&answers, "cannot be read");
    tell(&far, &page());
    assert_eq!((answer(&answers), answer(&answers)), (LoadAnswer::Started, LoadAnswer::Planned));
    far.ask(LoadAsk::Sample { request: 7 });
    assert!(matches!(answer(&answers), LoadAnswer::Failed { .. }));
    far.ask(LoadAsk::Sample { request: 0 });
    match answer(&answers) {
        LoadAnswer::Sampled { version, latency_ns } => assert!(version == "HTTP/1.1" && latency_ns > 0),
        other => panic!("{other:?}"),
    }
    far.ask(LoadAsk::Begin { at_ns: 1 });
    refused(&answers, "after the agreed start");
}

#[test]
fn what_is_to_be_sent_is_bounded() {
    let (far, answers) = far();
    for _ in 0..=128 {
        far.ask(LoadAsk::Plan { piece: vec![0; 1 << 19], last: false });
    }
    refused(&answers, "has more than");
}
