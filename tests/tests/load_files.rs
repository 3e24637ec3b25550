//! The files that `unladen load` writes: records and their description, HdrHistogram's log and table.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use nix::sys::signal::Signal;
use tempfile::TempDir;
use unladen_load::{RecordEnd, RecordHead, RecordWriter, RequestRecord};
use unladen_tests::{Call, Document, Records, Reply, Server, wait};

fn folder_with(name: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    (folder, file)
}

/// A server whose answers differ in time, status and body, so that each field of a record has something to say.
fn varied() -> Server {
    Server::replying(|asked| {
        sleep(Duration::from_millis(asked.number as u64 % 7));
        match asked.number % 20 {
            5 => Reply::text("503 Service Unavailable", "busy\n"),
            9 => Reply::text("200 OK", "another body").and_close(),
            13 => Reply::Last("no HTTP\r\n\r\n".to_owned()),
            _ => Reply::good(),
        }
    })
}

fn replay(file: &Path) -> Document {
    Call::load(["--replay"]).args([file]).document()
}

/// Of a load that is still writing; none before there is anything to read.
fn requests_until_now(file: &Path) -> f64 {
    let done = Call::load(["--json", "--replay"]).args([file]).run();
    if done.code == Some(0) { done.document().number("requests") } else { 0.0 }
}

fn replay_with_failures(file: &Path) -> Document {
    Call::load(["--replay"]).args([file]).document_with_failures()
}

/// Without what each run says of itself and its machine.
fn of_load(document: Document) -> serde_json::Value {
    let mut value = document.0;
    if let Some(fields) = value.as_object_mut() {
        fields.retain(|name, _| {
            // What the first requests were answered is in no record either.
            !["version", "time", "host", "command", "environment", "revision", "machine", "answers"]
                .contains(&name.as_str())
        });
    }
    value
}

#[test]
fn a_replay_tells_what_the_load_told() {
    let (folder, file) = folder_with("load.records");
    for how in
        [&["--rate", "200", "-n", "400"][..], &["-c", "3", "-n", "400"], &["--step", "50:1s", "--step", "100:1s"]]
    {
        let load = Call::load(how).args(["--record"]).args([&file]).args([varied().url("/page")]);
        // What the machine did meanwhile is of the run, and in no record: here nothing is known of it.
        let load = load.env("UNLADEN_MACHINE_PROC", folder.path());
        let document = load.document_with_failures();
        assert_eq!(of_load(replay_with_failures(&file)), of_load(document), "{how:?}");
        // Tables and pictures too, and other buckets than then.
        let text = Call::load(["--buckets", "3ms,9s", "--replay"]).args([&file]).run().ended_with(4);
        text.shows(["p99", "9 s"]);
    }
}

#[test]
fn a_replay_of_a_mix_tells_its_requests_apart() {
    let server = Server::good();
    let (_folder, file) = folder_with("load.records");
    let urls = [server.url("/a"), server.url("/b")];
    let document = Call::load(["-n", "300", "--seed", "2", "--record"]).args([&file]).args(&urls).document();
    let counts = |document: &Document| -> BTreeMap<String, u64> {
        let parts = document.list("by_request").iter();
        parts.map(|part| (part["name"].as_str().unwrap().to_owned(), part["requests"].as_u64().unwrap())).collect()
    };
    assert_eq!(counts(&replay(&file)), counts(&document));
    assert_eq!(counts(&document).values().sum::<u64>(), 300);
}

#[test]
fn a_replay_can_be_judged() {
    let (_folder, file) = folder_with("load.records");
    Call::load(["-n", "100", "--record"]).args([&file]).args([Server::good().url("/")]).run().succeeded();
    let judged = |condition: &str| Call::load(["--fail-on", condition, "--replay"]).args([&file]).run();
    judged("within.10s < 95%").succeeded();
    judged("within.1us < 95%").ended_with(8).says(["within.1us < 95%: it is 0.00 %"]);
    // One in a thousand of a hundred: nobody can tell.
    judged("p99.9 > 10s")
        .ended_with(8)
        .says(["`p99.9 > 10s` could not be judged: an interval needs more answered requests"]);
}

/// Records were kept until there were 4,096 of them: a load that was killed left none.
#[test]
fn a_load_that_was_killed_leaves_its_records_until_then() {
    let server = Server::good();
    let (_folder, file) = folder_with("load.records");
    let running = Call::load(["--rate", "100", "-t", "1min", "--record"]).args([&file]).args([server.url("/")]).start();
    wait::until("a hundred requests are in the file", || requests_until_now(&file) >= 100.0);
    running.signal(Signal::SIGKILL);
    assert_eq!(running.wait().code, None);
    let document = replay(&file);
    assert!(document.number("requests") >= 100.0, "{document}");
    assert_eq!(document["ended"], "interrupted");
    assert_eq!(document["rate"], 100.0);
    // And of any beginning of it.
    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 7]).unwrap();
    assert!(replay(&file).number("requests") >= document.number("requests") - 2.0);
}

#[test]
fn a_load_that_runs_can_be_looked_at() {
    let server = Server::good();
    let (_folder, file) = folder_with("load.records");
    let running = Call::load(["--rate", "100", "-t", "1min", "--record"]).args([&file]).args([server.url("/")]).start();
    wait::until("requests are in the file", || requests_until_now(&file) > 0.0);
    assert!(replay(&file).number("requests") > 0.0);
    running.interrupt();
    running.wait().ended_with(130);
}

/// The reader that docs/reference/records.md names.
const PYTHON_READER: &str = include_str!("../../docs/reference/records.py");

#[test]
fn the_reader_of_the_documentation_reads_every_field() {
    if Command::new("python3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: the_reader_of_the_documentation_reads_every_field: no python3");
        return;
    }
    let (folder, file) = folder_with("load.records");
    let timeouts = Server::replying(|asked| {
        if asked.number % 50 == 7 {
            sleep(Duration::from_secs(3600));
        }
        if asked.number % 9 == 4 { Reply::text("503 Service Unavailable", "busy\n") } else { Reply::good() }
    });
    let args = ["--rate", "200", "-n", "200", "--arrivals", "poisson", "-c", "2", "--timeout", "500ms", "--record"];
    Call::load(args).args([&file]).args([timeouts.url("/")]).run().ended_with(4);
    let script = folder.path().join("reader.py");
    std::fs::write(&script, PYTHON_READER).unwrap();
    let output = Command::new("python3").arg(&script).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines: Vec<serde_json::Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();

    let records = Records::read(&file);
    let (head, rest) = lines.split_first().unwrap();
    let (end, read) = rest.split_last().unwrap();
    assert_eq!(head["target"].as_str(), Some(records.head.target.as_str()));
    assert_eq!(end["bytes_sent"].as_u64(), Some(records.end.as_ref().unwrap().bytes_sent));
    assert_eq!(read.len(), records.all.len());
    for (read, record) in read.iter().zip(&records.all) {
        let number = |name: &str| read[name].as_u64();
        assert_eq!(number("planned_ns"), Some(record.planned_ns));
        assert_eq!(number("latency_ns"), Some(record.latency_ns));
        assert_eq!(number("request"), Some(u64::from(record.request)));
        assert_eq!(number("body_bytes"), Some(record.body_bytes));
        assert_eq!(number("lag_ns"), record.lag_ns);
        assert_eq!(number("sent_ns"), record.sent_ns);
        assert_eq!(number("first_byte_ns"), record.first_byte_ns);
        assert_eq!(number("status"), record.status.map(u64::from));
        assert_eq!(read["error"].as_str(), record.error.map(|kind| kind.into_str()));
        let flags = ["reused", "retried", "changed"].map(|name| read[name].as_bool().unwrap());
        assert_eq!(flags, [record.reused, record.retried, record.changed]);
    }
    // Each field was there and was not.
    let kinds: Vec<_> = records.all.iter().filter_map(|record| record.error.map(|kind| kind.into_str())).collect();
    assert!(kinds.contains(&"timeout") && kinds.contains(&"status"), "{kinds:?}");
    assert!(records.all.iter().any(|record| record.lag_ns.is_none()) && records.all.iter().any(|record| record.reused));
}

#[test]
fn a_standard_reader_reads_the_log_of_histograms() {
    let server = varied();
    let (folder, log) = folder_with("load.hlog");
    let (table, records) = (folder.path().join("load.hgrm"), folder.path().join("load.records"));
    let call = Call::load(["--rate", "100", "-t", "2500ms", "--hdr-log"]).args([&log]).args(["--hdr-percentiles"]);
    let call = call.args([&table]).args(["--record"]).args([&records]).args([server.url("/")]);
    let document = call.document_with_failures();
    check_hdr(&log, &table, &document);
    // Of records they are the same.
    let again = [&log, &table].map(|file| std::fs::read(file).unwrap());
    let call = Call::load(["--replay"]).args([&records]).args(["--hdr-log"]).args([&log]);
    call.args(["--hdr-percentiles"]).args([&table]).run().ended_with(4);
    assert_eq!([&log, &table].map(|file| std::fs::read(file).unwrap()), again);
}

fn check_hdr(log: &Path, table: &Path, document: &Document) {
    let log = std::fs::read(log).unwrap();
    let (mut sum, mut starts) = (Histogram::<u64>::new(3).unwrap(), Vec::new());
    for entry in IntervalLogIterator::new(&log) {
        if let LogEntry::Interval(interval) = entry.expect("a line of the log") {
            let bytes = base64(interval.encoded_histogram());
            let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut &bytes[..]).expect("a histogram");
            assert!((histogram.max() as f64 / 1e6 - interval.max()).abs() < 0.01 * interval.max());
            assert!(histogram.len() <= 100);
            starts.push(interval.start_timestamp());
            sum.add(histogram).unwrap();
        }
    }
    assert_eq!(starts, [0, 1, 2].map(Duration::from_secs));
    assert_eq!(sum.len() as f64, document.number("requests"), "what failed has no latency");
    let max = document["latency_ns"]["max"].as_f64().unwrap();
    assert!((sum.max() as f64 - max).abs() < 0.002 * max, "{} {max}", sum.max());

    // Value, percentile, total count, 1 / (1 − percentile); lines of comments at the end.
    let table = std::fs::read_to_string(table).unwrap();
    let rows: Vec<Vec<f64>> = table
        .lines()
        .skip(2)
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().map(|number| number.parse().unwrap()).collect())
        .collect();
    assert!(
        rows.windows(2).all(|pair| pair[0][0] <= pair[1][0] && pair[0][1] <= pair[1][1] && pair[0][2] <= pair[1][2])
    );
    let last = rows.last().unwrap();
    assert_eq!((last[1], last[2]), (1.0, document.number("requests")));
    assert!((last[0] * 1e6 - max).abs() < 0.002 * max, "{table}");
    assert!(table.contains("#[Mean    =") && table.contains("Total count    ="));
}

/// RFC 4648, as the log has it.
fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes().filter(|letter| *letter != b'=') {
        let value = ALPHABET.iter().position(|own| *own == letter).expect("a letter of base64");
        (bits, count) = (bits << 6 | value as u32, count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

/// As many as a day at 115 a second, in less memory than a browser's empty window.
///
/// Without optimisation ten million take half a minute: then the memory of one million, and what it grew by, stand for
/// them.
#[test]
fn ten_million_requests_take_less_than_200_mb() {
    const TEN_MILLION: u64 = 10_000_000;
    let (few, many) = if cfg!(debug_assertions) { (200_000, 1_000_000) } else { (1_000_000, TEN_MILLION) };
    let (of_few, of_many) = (peak_of_replay(few), peak_of_replay(many));
    let grows_by = of_many.saturating_sub(of_few) as f64 / (many - few) as f64;
    let of_ten_million = of_many + (grows_by * (TEN_MILLION - many) as f64) as u64;
    assert!(of_many > 1_000 && of_ten_million < 200_000, "{of_few} KiB, {of_many} KiB, so {of_ten_million} KiB");
}

/// The most memory, in KiB, that it took to tell what came of so many requests.
fn peak_of_replay(requests: u64) -> u64 {
    let (_folder, file) = folder_with("load.records");
    write_many(&file, requests);
    let running = Call::load(["--json", "--replay"]).args([&file]).start();
    let status = format!("/proc/{}/status", running.pid());
    let (begun, mut peak) = (Instant::now(), 0);
    // The peak is asked for as long as there is something to ask; the last answer is a few ms before the end.
    while begun.elapsed() < Duration::from_secs(80) {
        let Some(now) = std::fs::read_to_string(&status).ok().as_deref().and_then(peak_kib) else { break };
        peak = now;
        sleep(Duration::from_millis(5));
    }
    let document = running.wait().ended_with(4).document();
    assert_eq!(document.number("planned"), requests as f64);
    assert_eq!(document.number("requests"), (requests - requests / 1000) as f64);
    peak
}

fn peak_kib(status: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB")?.parse().ok())
}

/// Some hours at a rate: latencies of 1 to 10 ms, and one in a hundred over five orders of magnitude.
fn write_many(file: &Path, requests: u64) {
    let head = RecordHead {
        target: "http://localhost/".into(),
        requests: vec!["GET /".into()],
        steps: vec![(100.0, 100.0, requests * 10_000_000)],
        arrivals: "constant".into(),
        concurrency: 1000,
        ..RecordHead::default()
    };
    let mut writer = RecordWriter::new(file, std::fs::File::create(file).unwrap(), &head).unwrap();
    let mut random = 88_172_645_463_325_252_u64;
    for turn in 0..requests {
        // Marsaglia's xorshift.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
        let latency = 10f64.powf(if turn % 100 == 0 { 4.0 + 5.0 * share } else { 6.0 + share }) as u64;
        let failed = turn % 1000 == 0;
        let record = RequestRecord {
            request: 0,
            planned_ns: turn * 10_000_000,
            lag_ns: Some(random % 50_000),
            sent_ns: Some(random % 60_000),
            first_byte_ns: Some(latency / 2),
            latency_ns: latency,
            status: Some(if failed { 503 } else { 200 }),
            body_bytes: 476,
            reused: turn % 100 != 0,
            retried: false,
            changed: false,
            error: failed.then_some(unladen_load::ErrorKind::Status),
        };
        writer.write(&record).unwrap();
    }
    writer.end(&RecordEnd { ended: "complete".into(), ..RecordEnd::default() }).unwrap();
}
