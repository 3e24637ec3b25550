//! Bodies that wait, in memory and in files, and what they may take.

use std::future::poll_fn;
use std::path::Path;

use unladen_serve_config::BufferSettings;

use super::*;

fn spools(memory: usize, all_memory: u64, disk: u64, folder: &Path) -> std::sync::Arc<Spools> {
    let folder = folder.to_owned();
    Spools::new("test", &BufferSettings { memory, all_memory, disk, folder, ..BufferSettings::default() })
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

async fn push(spool: &mut Spool, mut data: &[u8]) -> Result<(), SpoolError> {
    while !data.is_empty() {
        let count = poll_fn(|cx| spool.poll_push(cx, data)).await?;
        data = &data[count..];
    }
    Ok(())
}

/// All that has not been read, in pieces of at most so many bytes.
async fn read(spool: &mut Spool, most: usize) -> Vec<u8> {
    let mut all = Vec::new();
    while poll_fn(|cx| spool.poll_fill(cx)).await.unwrap() {
        let piece = &spool.data()[..spool.data().len().min(most)];
        assert!(!piece.is_empty());
        all.extend_from_slice(piece);
        let count = piece.len();
        spool.consume(count);
    }
    all
}

/// Bytes of which no two neighbouring blocks are alike.
fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8 ^ (at / 65536) as u8).collect()
}

#[test]
fn a_body_comes_back_as_it_was_however_long_it_is_and_again() {
    let folder = tempfile::tempdir().unwrap();
    run(async {
        for length in [0, 1, 4096, 65_536, 65_537, 131_072, 196_609, 1_000_003] {
            for (memory, all) in [(65_536, 1 << 20), (0, 1 << 20), (65_536, 0), (1000, 200_000)] {
                let spools = spools(memory, all, 2 << 20, folder.path());
                let body = bytes(length);
                let mut spool = Spool::new(&spools);
                for piece in body.chunks(9973) {
                    push(&mut spool, piece).await.unwrap();
                    assert!(spools.state().memory <= all, "{:?}", spools.state());
                }
                assert_eq!(spool.length(), length as u64);
                assert_eq!(read(&mut spool, usize::MAX).await, body, "{length} {memory} {all}");
                spool.rewind();
                assert_eq!(read(&mut spool, 7001).await, body, "{length} {memory} {all}, again");
                drop(spool);
                assert_eq!((spools.state().memory, spools.state().disk), (0, 0));
            }
        }
    });
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "no file has a name");
}

#[test]
fn what_is_read_while_more_is_written_is_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let body = bytes(700_000);
    for sizes in [[10_000, 3_000], [3_000, 10_000], [100_000, 99_000]] {
        let spools = spools(65_536, 1 << 20, 2 << 20, folder.path());
        let seen = run(async {
            let (mut spool, mut seen) = (Spool::new(&spools), Vec::new());
            for piece in body.chunks(sizes[0]) {
                push(&mut spool, piece).await.unwrap();
                let mut left = sizes[1];
                while left > 0 && poll_fn(|cx| spool.poll_fill(cx)).await.unwrap() {
                    let count = spool.data().len().min(left);
                    seen.extend_from_slice(&spool.data()[..count]);
                    spool.consume(count);
                    left -= count;
                }
            }
            seen.extend(read(&mut spool, usize::MAX).await);
            seen
        });
        assert_eq!(seen, body, "{sizes:?}");
    }
}

#[test]
fn all_files_together_are_bounded_and_what_was_taken_stays() {
    let folder = tempfile::tempdir().unwrap();
    let spools = spools(65_536, 1 << 20, 256 * 1024, folder.path());
    run(async {
        let mut first = Spool::new(&spools);
        push(&mut first, &bytes(300_000)).await.unwrap();
        let mut second = Spool::new(&spools);
        assert!(matches!(push(&mut second, &bytes(300_000)).await, Err(SpoolError::NoRoom)));
        let taken = second.length() as usize;
        assert!(taken < 300_000 && spools.state().disk <= 256 * 1024, "{taken} {:?}", spools.state());
        assert_eq!(read(&mut second, usize::MAX).await, bytes(300_000)[..taken]);
        drop(first);
        push(&mut second, &bytes(100_000)).await.unwrap();
    });
}

#[test]
fn a_client_takes_half_of_the_disk_and_leaves_the_rest_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let spools = spools(0, 1 << 20, 512 * 1024, folder.path());
    let of = |client: &str| Spool::new(&spools).for_client(Some(client.parse().unwrap()));
    run(async {
        let mut first = of("192.0.2.1");
        push(&mut first, &bytes(200_000)).await.unwrap();
        // On whatever connection, and of IPv6 by whatever address of its network.
        let mut again = of("192.0.2.1");
        assert!(matches!(push(&mut again, &bytes(200_000)).await, Err(SpoolError::NoRoom)));
        drop(again);
        let mut other = of("2001:db8::1");
        push(&mut other, &bytes(200_000)).await.unwrap();
        assert!(matches!(push(&mut of("2001:db8::2"), &bytes(200_000)).await, Err(SpoolError::NoRoom)));
        drop(first);
        push(&mut of("192.0.2.1"), &bytes(250_000)).await.unwrap();
        assert_eq!(read(&mut other, usize::MAX).await, bytes(200_000));
    });
    assert_eq!((spools.longest(None), spools.longest(Some([192, 0, 2, 1].into()))), (512 * 1024, 256 * 1024));
}

#[test]
fn a_folder_that_is_not_there_is_a_disk_that_fails_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let spools = spools(65_536, 1 << 20, 2 << 20, &folder.path().join("none"));
    run(async {
        let (body, mut spool) = (bytes(500_000), Spool::new(&spools));
        assert!(matches!(push(&mut spool, &body).await, Err(SpoolError::Disk(_))));
        let taken = spool.length() as usize;
        assert!(taken > 65_536 && taken < 500_000, "{taken}");
        assert!(push(&mut spool, &body).await.is_err());
        assert_eq!(read(&mut spool, usize::MAX).await, body[..taken]);
    });
    assert_eq!(spools.state().failures, 1);
}
