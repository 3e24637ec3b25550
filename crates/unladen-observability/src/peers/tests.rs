use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

fn address(text: &str) -> PeerAddress {
    text.parse().unwrap()
}

#[test]
fn addresses_are_written_as_they_are_read_and_nothing_else_is_one() {
    for good in ["http://10.0.0.2:9902", "http://web-2.example:9902", "http://[::1]:9902", "unix:/run/other/admin.sock"]
    {
        assert_eq!(address(good).to_string(), good);
    }
    for bad in [
        "",
        "10.0.0.2:9902",
        "https://10.0.0.2:9902",
        "http://10.0.0.2",
        "http://10.0.0.2:9902/x",
        "http://a:b@c:1",
        "http://c:1/?q",
        "unix:run",
        "file:///etc/passwd",
        "http://c:99999",
    ] {
        assert!(bad.parse::<PeerAddress>().is_err(), "{bad}");
    }
}

/// Answers each with these bytes.
async fn peer(answer: Vec<u8>) -> PeerAddress {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut asked = [0; 1024];
            let n = stream.read(&mut asked).await.unwrap();
            assert!(asked[..n].starts_with(b"GET /metrics HTTP/1.1\r\n"), "{}", String::from_utf8_lossy(&asked));
            // Who asks may have had enough.
            let _ = stream.write_all(&answer).await;
            if answer.is_empty() {
                std::future::pending::<()>().await;
            }
        }
    });
    address(&at)
}

fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn each_says_how_it_does_or_why_that_is_not_known() {
    run(async {
        let metrics = "unladen_draining 0\nunladen_fleet_connected 1\nunladen_fleet_lag 0\n";
        let mut endless = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
        endless.resize(5 << 20, b'#');
        let gone =
            address(&format!("http://{}", TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap()));
        let all = vec![
            peer(ok(metrics)).await,
            peer(ok("<script>alert(1)</script>")).await,
            peer(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n".to_vec()).await,
            peer(endless).await,
            peer(Vec::new()).await,
            gone,
        ];
        let peers = Peers::default();
        peers.set(all.clone());
        let state = peers.state().await;
        let addresses: Vec<_> = state.iter().map(|one| one["address"].as_str().unwrap().to_owned()).collect();
        assert_eq!(addresses, all.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!((&state[0]["connected"], &state[0]["error"]), (&json!(true), &json!(null)));
        let error = |index: usize| state[index]["error"].as_str().unwrap().to_owned();
        assert!(error(1).starts_with("its metrics cannot be read: "), "{}", error(1));
        assert_eq!(error(2), "answers 302, not 200");
        assert!(error(3).contains("longer than 4194304 bytes"), "{}", error(3));
        assert_eq!(error(4), "no answer within 1s");
        assert!(error(5).starts_with("no connection: "), "{}", error(5));
        // Not asked again at once, but after other settings.
        assert_eq!(peers.state().await, state);
        peers.set(vec![all[0].clone()]);
        assert_eq!((peers.len(), peers.state().await.len()), (1, 1));
        peers.set(Vec::new());
        assert!(peers.state().await.is_empty());
    });
}
