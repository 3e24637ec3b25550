use std::io::{Read, Write};
use std::os::unix::net::UnixListener;

use unladen_fastcgi::{END_REQUEST, STDERR, STDOUT, write_record};

use super::*;
use crate::endpoint::Address;

const LONG: Duration = Duration::from_secs(20);

/// Answers one question with these records.
async fn answered(records: &[(u8, &[u8])], timeout: Duration) -> Result<(u16, Vec<u8>), AskError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let listener = UnixListener::bind(&path).unwrap();
    let mut bytes = Vec::new();
    records.iter().for_each(|(kind, content)| write_record(&mut bytes, *kind, 1, content));
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = [0; 4096];
        let count = stream.read(&mut heard).unwrap();
        stream.write_all(&bytes).unwrap();
        if !bytes.is_empty() {
            return heard[..count].to_vec();
        }
        // Until who asked has gone.
        let _ = stream.read(&mut heard);
        Vec::new()
    });
    let asked = ask_fastcgi(&Endpoint::new(Address::Unix(path), 0, 1), "/status", "json", timeout).await;
    let heard = server.join().unwrap();
    if asked.is_ok() {
        assert_eq!(heard, question("/status", "json").unwrap());
    }
    asked
}

#[tokio::test]
async fn a_page_is_read_to_its_end() {
    let ended = [0; 8];
    let records = [(STDOUT, &b"Status: 201\n\nhel"[..]), (STDERR, b"x"), (STDOUT, b"lo"), (END_REQUEST, &ended)];
    assert_eq!(answered(&records, LONG).await.unwrap(), (201, b"hello".to_vec()));
}

#[tokio::test]
async fn what_is_none_is_told() {
    let told = async |records: &[(u8, &[u8])]| answered(records, LONG).await.unwrap_err().to_string();
    assert!(told(&[(STDOUT, b"A: b\n\n")]).await.contains("closed the connection"));
    assert!(told(&[(END_REQUEST, &[0, 0, 0, 0, 2, 0, 0, 0])]).await.contains("overloaded"));
    assert!(told(&[(END_REQUEST, &[0; 8])]).await.contains("before the response head"));
    assert!(told(&[(1, b"")]).await.contains("type 1"));
    let long = vec![b'x'; 60_000];
    assert!(told(&[(STDOUT, &long), (STDOUT, &long)]).await.contains("longer than"));
    let late = answered(&[], Duration::from_millis(30)).await.unwrap_err();
    assert!(matches!(late, AskError::Timeout { .. }), "{late}");
    let nowhere = Endpoint::new(Address::Unix("/nonexistent/socket".into()), 0, 1);
    let error = ask_fastcgi(&nowhere, "/", "", LONG).await.unwrap_err().to_string();
    assert!(error.contains("/nonexistent/socket"), "{error}");
}
