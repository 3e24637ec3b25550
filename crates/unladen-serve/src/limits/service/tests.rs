use std::net::SocketAddr;

use bytes::{BufMut, Bytes, BytesMut};
use http::HeaderMap;
use proptest::prelude::*;
use prost::Message;
use tokio::net::TcpListener;

use super::link::{Code, DescriptorStatus, RateLimitResponse, Reset, ended_well, message};
use super::*;

const LONG: Duration = Duration::from_secs(20);

/// How a service answers.
#[derive(Clone, Debug)]
enum Manner {
    Says(RateLimitResponse),
    Bytes(Vec<u8>),
    Fails,
    Status(u16),
    Closes,
    Silent,
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// On this runtime; each question is answered so.
async fn start(manner: Manner) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let manner = manner.clone();
            tokio::spawn(async move {
                let mut connection = h2::server::handshake(socket).await.unwrap();
                while let Some(Ok((request, respond))) = connection.accept().await {
                    assert_eq!(request.uri().path(), METHOD);
                    match &manner {
                        Manner::Closes => return,
                        Manner::Silent => {
                            // Kept: dropped, it would be an end.
                            std::mem::forget(respond);
                        }
                        manner => {
                            let manner = manner.clone();
                            tokio::spawn(answer(request, respond, manner));
                        }
                    }
                }
            });
        }
    });
    address
}

async fn answer(request: http::Request<h2::RecvStream>, mut respond: h2::server::SendResponse<Bytes>, manner: Manner) {
    let mut body = request.into_body();
    let mut read = BytesMut::new();
    while let Some(data) = body.data().await {
        read.extend_from_slice(&data.unwrap());
    }
    let asked = RateLimitRequest::decode(message(&read).unwrap()).unwrap();
    assert_eq!((asked.domain.as_str(), asked.hits_addend, asked.descriptors.len()), ("shop", 1, 1));
    let (status, grpc, bytes) = match manner {
        Manner::Says(response) => {
            let mut bytes = BytesMut::new();
            bytes.put_u8(0);
            bytes.put_u32(u32::try_from(response.encoded_len()).unwrap());
            response.encode(&mut bytes).unwrap();
            (200, "0", bytes.to_vec())
        }
        Manner::Bytes(bytes) => (200, "0", bytes),
        Manner::Status(status) => (status, "0", Vec::new()),
        _ => (200, "14", Vec::new()),
    };
    let head = http::Response::builder().status(status).body(()).unwrap();
    let mut send = respond.send_response(head, false).unwrap();
    send.send_data(bytes.into(), false).unwrap();
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", grpc.parse().unwrap());
    send.send_trailers(trailers).unwrap();
}

fn service(address: SocketAddr) -> RateService {
    let (host, port) = (address.ip().to_string(), address.port());
    RateService::new(RateServiceSettings { tls: false, host, port, domain: "shop".to_owned() })
}

fn question() -> RateLimitRequest {
    let entries = vec![Entry { key: "a".to_owned(), value: "b".to_owned() }];
    RateLimitRequest { domain: "shop".to_owned(), descriptors: vec![Descriptor { entries }], hits_addend: 1 }
}

fn response(code: Code, resets: &[(Code, i64, i32)]) -> RateLimitResponse {
    let status = |(code, seconds, nanos): &(Code, i64, i32)| DescriptorStatus {
        code: (*code).into(),
        duration_until_reset: Some(Reset { seconds: *seconds, nanos: *nanos }),
    };
    RateLimitResponse { overall_code: code.into(), statuses: resets.iter().map(status).collect() }
}

/// What comes of one question, and what is told of it.
fn asked(manner: Manner, deadline: Duration) -> (Result<Verdict, Unanswered>, String) {
    runtime().block_on(async {
        let service = service(start(manner).await);
        let verdict = service.ask(0, &question(), deadline).await;
        (verdict, service.state().error.unwrap_or_default())
    })
}

#[test]
fn verdicts_are_those_of_the_service() {
    let said = |response| asked(Manner::Says(response), LONG).0;
    assert_eq!(said(response(Code::Ok, &[])), Ok(Verdict::Within));
    let over =
        response(Code::OverLimit, &[(Code::Ok, 90, 0), (Code::OverLimit, 2, 500_000_000), (Code::OverLimit, 1, 0)]);
    assert_eq!(said(over), Ok(Verdict::Over(Duration::from_millis(2500))));
    assert_eq!(said(response(Code::OverLimit, &[])), Ok(Verdict::Over(Duration::from_secs(1))));
    let absurd = response(Code::OverLimit, &[(Code::OverLimit, i64::MAX, 0), (Code::OverLimit, -3, 0)]);
    assert_eq!(said(absurd), Ok(Verdict::Over(Duration::from_secs(86_400))));
}

#[test]
fn what_is_no_verdict_is_a_failure_that_says_why() {
    let failed = |manner, words: &str| {
        let (verdict, why) = asked(manner, LONG);
        assert_eq!(verdict, Err(Unanswered::Failed), "{why}");
        assert!(why.contains(words), "{why}");
    };
    failed(Manner::Says(response(Code::Unknown, &[])), "UNKNOWN");
    failed(Manner::Says(RateLimitResponse { overall_code: 77, statuses: Vec::new() }), "UNKNOWN");
    failed(Manner::Bytes(vec![0, 0, 0, 0, 9, 1]), "a message of 9 bytes that has 1");
    failed(Manner::Bytes(vec![1, 0, 0, 0, 0]), "compressed");
    failed(Manner::Bytes(vec![0, 0, 0, 0, 2, 0xff, 0xff]), "cannot be read");
    failed(Manner::Bytes(vec![0; 100_000]), "more than 65536 bytes");
    failed(Manner::Fails, "grpc-status `14`");
    failed(Manner::Status(404), "it answered 404");
    failed(Manner::Closes, "connection");
    let (verdict, why) = asked(Manner::Silent, Duration::from_millis(5));
    assert_eq!((verdict, why.as_str()), (Err(Unanswered::Late), "no answer within 5ms"));
}

#[test]
fn a_service_that_fails_is_given_up_and_asked_again_by_one() {
    let now = Instant::now();
    let mut circuit = Circuit::default();
    for _ in 0..4 {
        assert!(circuit.lets_through(now) && !circuit.failed(now));
    }
    assert!(circuit.lets_through(now) && circuit.failed(now) && circuit.is_open());
    // Those that were under way already say nothing new.
    assert!(!circuit.failed(now));
    assert!(!circuit.lets_through(now + Duration::from_millis(249)));
    let mut later = now + Duration::from_millis(500);
    for doubled in [500, 1000, 2000, 4000, 8000, 15_000, 15_000] {
        assert!(circuit.lets_through(later), "one is let through");
        assert!(!circuit.lets_through(later + Duration::from_millis(doubled - 1)), "and no other");
        later += Duration::from_millis(2 * doubled);
    }
    assert!(circuit.succeeded() && !circuit.is_open() && circuit.lets_through(later));
    assert!(!circuit.succeeded());
}

#[test]
fn bounds_of_one_service_share_it() {
    let settings = |port| RateServiceSettings { tls: false, host: "a".to_owned(), port, domain: "shop".to_owned() };
    let (one, other, third) =
        (RateService::of(&settings(1)), RateService::of(&settings(1)), RateService::of(&settings(2)));
    assert!(Arc::ptr_eq(&one, &other) && !Arc::ptr_eq(&one, &third));
    assert_eq!(distinct([one, other, third].into_iter()).len(), 2);
}

#[test]
fn an_end_without_a_status_is_a_failure() {
    assert!(ended_well(&HeaderMap::new()).unwrap_err().contains("grpc-status ``"));
}

proptest! {
    #[test]
    fn nothing_that_comes_is_more_than_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(message) = message(&bytes)
            && let Ok(response) = RateLimitResponse::decode(message)
        {
            let _ = response.verdict();
        }
        if let Ok(response) = RateLimitResponse::decode(bytes.as_slice())
            && let Some(Verdict::Over(after)) = response.verdict()
        {
            prop_assert!(after <= Duration::from_secs(86_400));
        }
    }

    #[test]
    fn resets_are_told_as_they_are(seconds in any::<i64>(), nanos in any::<i32>()) {
        let verdict = response(Code::OverLimit, &[(Code::OverLimit, seconds, nanos)]).verdict();
        let is_one = seconds >= 0 && (0..1_000_000_000).contains(&nanos);
        let expected = if is_one { Duration::new(seconds.cast_unsigned(), nanos.cast_unsigned()) } else { Duration::from_secs(1) };
        prop_assert_eq!(verdict, Some(Verdict::Over(expected.min(Duration::from_secs(86_400)))));
    }
}
