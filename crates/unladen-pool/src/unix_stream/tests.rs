use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

fn pair() -> (UnixStream, System) {
    let (ours, theirs) = System::pair().unwrap();
    ours.set_nonblocking(true).unwrap();
    (UnixStream::from_std(ours).unwrap(), theirs)
}

#[tokio::test]
async fn what_comes_is_read_to_its_end() {
    let (mut ours, mut theirs) = pair();
    theirs.write_all(b"one").unwrap();
    let mut into = [0; 8];
    assert_eq!(ours.read(&mut into).await.unwrap(), 3);
    // It asks again only when there is more.
    theirs.write_all(b"two").unwrap();
    assert_eq!(ours.read(&mut into).await.unwrap(), 3);
    drop(theirs);
    assert_eq!(ours.read(&mut into).await.unwrap(), 0);
}

#[tokio::test]
async fn a_peer_that_reads_slowly_gets_all() {
    let (mut ours, mut theirs) = pair();
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    let expected = bytes.clone();
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        let mut piece = [0; 10_000];
        loop {
            let count = theirs.read(&mut piece).unwrap();
            if count == 0 {
                return all;
            }
            all.extend_from_slice(&piece[..count]);
        }
    });
    ours.write_all(&bytes).await.unwrap();
    ours.shutdown().await.unwrap();
    assert!(reader.join().unwrap() == expected);
}

#[tokio::test]
async fn a_place_to_write_is_waited_for_only_while_there_is_none() {
    let (mut ours, mut theirs) = pair();
    assert!(ours.full.is_none());
    let mut sent = 0;
    let write = async {
        loop {
            sent += ours.write(&[0; 65_536]).await.unwrap();
        }
    };
    let _ = tokio::time::timeout(std::time::Duration::from_millis(50), write).await;
    assert!(ours.full.is_some());
    let mut all = vec![0; sent];
    theirs.read_exact(&mut all).unwrap();
    ours.write_all(b"more").await.unwrap();
    assert!(ours.full.is_none());
}

#[tokio::test]
async fn a_peer_that_is_gone_is_told() {
    let (mut ours, theirs) = pair();
    drop(theirs);
    assert_eq!(ours.write(b"one").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert_eq!(ours.read(&mut [0; 8]).await.unwrap(), 0);
}

/// It failed, though it only had to wait, when the process had no descriptor left.
#[tokio::test]
async fn a_full_queue_that_cannot_be_watched_is_tried_again() {
    let (mut ours, mut theirs) = pair();
    while ours.stream.get_ref().write(&[0; 65_536]).is_ok() {}
    ours.full = Some(Full::Later(Box::pin(sleep(AGAIN))));
    let reader = std::thread::spawn(move || {
        let mut all = Vec::new();
        theirs.read_to_end(&mut all).map(|_| all.ends_with(b"last"))
    });
    ours.write_all(b"last").await.unwrap();
    drop(ours);
    assert!(reader.join().unwrap().unwrap());
}
