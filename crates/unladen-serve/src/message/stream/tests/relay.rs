//! Answers that wait for their client.

use std::path::Path;
use std::sync::Arc;

use unladen_serve_config::BufferSettings;

use super::*;
use crate::message::spool::Spools;

fn spools(memory: usize, disk: u64, folder: &Path) -> Arc<Spools> {
    let folder = folder.to_owned();
    Spools::new("test", &BufferSettings { memory, disk, folder, ..BufferSettings::default() })
}

/// What comes out of a relay, when the client begins to read only after the upstream's connection has been given up, if
/// it has.
async fn relayed(
    body: &[u8],
    (from, to): (Framing, Framing),
    manner: &Manner,
    spools: Option<&Arc<Spools>>,
) -> Vec<u8> {
    let (source_end, writer) = pair();
    let (sink_end, reader) = pair();
    let writing = tokio::spawn(write(writer, from.encode(body, &manner.chunks), manner.written.clone()));
    let mut reader = Some(reader);
    let mut reading = None;
    let mut begin = || {
        if let Some(reader) = reader.take() {
            reading = Some(tokio::spawn(read(reader, manner.read.clone())));
        }
    };
    if spools.is_none() {
        begin();
    }
    let mut buffer = Buffer::default();
    let mut out = Vec::new();
    let mut sink = Sink::from(H1Sink::new(Half(&sink_end), &mut out, to.length(body)));
    let mut relay = Relay::new(spools, None);
    let relayed = {
        let mut source = BodySource::H1(H1Source::new(Half(&source_end), &mut buffer, from.length(body)));
        poll_fn(|cx| relay.poll(cx, &mut source, &mut sink)).await.unwrap()
    };
    // The upstream has said all, and nobody waits for it any more.
    drop(source_end);
    writing.await.unwrap();
    begin();
    if relayed == Relayed::Here {
        poll_fn(|cx| relay.poll_rest(cx, &mut sink)).await.unwrap();
    }
    assert_eq!(relay.bytes, body.len() as u64);
    drop(sink);
    drop(sink_end);
    drop(relay);
    if let Some(spools) = spools {
        assert_eq!((spools.state().memory, spools.state().disk), (0, 0));
    }
    reading.unwrap().await.unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn an_answer_is_the_same_though_its_client_takes_it_later(
        body in body(),
        from in framing(),
        to in framing(),
        written in sizes(),
        read in sizes(),
        chunks in sizes(),
        memory in prop_oneof![Just(0_usize), Just(4096), Just(65_536)],
        waits in any::<bool>(),
    ) {
        let manner = Manner { written, read, chunks };
        let folder = tempfile::tempdir().unwrap();
        let spools = spools(memory, 64 << 20, folder.path());
        let bytes = run(relayed(&body, (from, to), &manner, waits.then_some(&spools)));
        let (carried, after) = to.decode(&bytes);
        prop_assert!(carried == body, "{} bytes for {}", carried.len(), body.len());
        let trailers: &[u8] = match (from, to) {
            (Framing::Chunked, Framing::Chunked) => b"X-Sum: 6\r\n\r\n",
            (_, Framing::Chunked) => b"\r\n",
            _ => b"",
        };
        prop_assert_eq!(after, trailers);
    }
}

#[test]
fn what_there_is_no_room_for_waits_where_it_comes_from() {
    let folder = tempfile::tempdir().unwrap();
    let spools = spools(4096, 65_536, folder.path());
    let body: Vec<u8> = (0..2_000_000_u32).map(|number| number as u8 ^ (number >> 12) as u8).collect();
    run(async {
        let (source_end, writer) = pair();
        let (sink_end, reader) = pair();
        let writing = tokio::spawn(write(writer, body.clone(), vec![100_000]));
        let (mut buffer, mut out) = (Buffer::default(), Vec::new());
        let mut source = BodySource::H1(H1Source::new(Half(&source_end), &mut buffer, Framing::Exact.length(&body)));
        let mut sink = Sink::from(H1Sink::new(Half(&sink_end), &mut out, Framing::Exact.length(&body)));
        let mut relay = Relay::new(Some(&spools), None);
        // Until nothing goes on: half a second is a hundred times what it takes, and more is not asked of it.
        let first = poll_fn(|cx| relay.poll(cx, &mut source, &mut sink));
        assert!(tokio::time::timeout(std::time::Duration::from_millis(500), first).await.is_err());
        assert!(spools.state().disk <= 65_536 && !writing.is_finished());
        let reading = tokio::spawn(read(reader, vec![70_000]));
        if poll_fn(|cx| relay.poll(cx, &mut source, &mut sink)).await.unwrap() == Relayed::Here {
            poll_fn(|cx| relay.poll_rest(cx, &mut sink)).await.unwrap();
        }
        drop(sink);
        drop(sink_end);
        assert!(reading.await.unwrap() == body);
    });
}
