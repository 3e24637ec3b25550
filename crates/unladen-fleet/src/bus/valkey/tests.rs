//! Tests of what an engine that is not one says: a scripted one, on 127.0.0.1.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use crate::BusUrl;

/// What is told of an engine that answers each command by this, and whose URL has these secrets.
fn told(secrets: &str, answers: &'static [&'static str]) -> BusError {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let engine = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            for answer in answers {
                let mut command = [0; 4096];
                if stream.read(&mut command).await.unwrap() == 0 {
                    return;
                }
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        let url = BusUrl::parse(&format!("valkey://{secrets}@{address}/3")).unwrap();
        let bus = open(&BusSettings { url, ca: None, fleet: "test".into(), node: "a".into(), keep: 10 }).unwrap();
        let error = bus.members().await.unwrap_err();
        engine.await.unwrap();
        error
    })
}

/// It went to the log, and into the answers of PURGE.
#[test]
fn a_password_that_an_engine_repeats_is_not_shown() {
    for answers in [
        &["-ERR unknown command 'AUTH', with args beginning with: 's3cretpw' \r\n"][..],
        // All of it, the beginning of it, or as its first word.
        &["-ERR unknown command `AUTH`, with args beginning with: `me`, `s3cre\r\n"],
        &["-s3cretpw me\r\n"],
        &["-\r\n"],
        &["+OK\r\n", "-ERR unknown command 'SELECT' after 's3cretpw'\r\n"],
        &["+OK\r\n", "+OK\r\n", "-NOPERM s3cretpw\r\n"],
    ] {
        for secrets in ["me:s3cretpw", ":s3cretpw"] {
            let error = told(secrets, answers);
            assert!(matches!(error, BusError::Refused(_)), "{error}");
            assert!(!format!("{error} {error:?}").contains("s3cre"), "{error}");
            assert!(error.to_string().contains("AUTH: "), "{error}");
        }
    }
}

/// It was taken for a proxy that hides the run id.
#[test]
fn a_sentinel_is_told_to_be_one() {
    const INFO: &str = "run_id:0000000000000000000000000000000000000000\r\nredis_mode:sentinel\r\n";
    let answers: Vec<String> =
        ["+OK\r\n".to_owned(), "+OK\r\n".to_owned(), format!("${}\r\n{INFO}\r\n", INFO.len())].into();
    let answers: Vec<&'static str> = answers.into_iter().map(|answer| &*answer.leak()).collect();
    let error = told(":s3cretpw", answers.leak());
    assert!(matches!(&error, BusError::Refused(words) if words.contains("leads to the primary")), "{error}");
}

#[test]
fn what_an_engine_says_is_told_with_what_to_do() {
    let error = told(":s3cretpw", &["-WRONGPASS invalid username-password pair or user is disabled.\r\n"]).to_string();
    assert!(error.contains("WRONGPASS") && error.contains("user and password to the URL"), "{error}");
    let error = told(":s3cretpw", &["+OK\r\n", "-ERR DB index is out of range\r\n"]).to_string();
    assert!(error.contains("DB index is out of range"), "{error}");
}
