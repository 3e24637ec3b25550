use super::*;

const AT_ONCE: Decision = Decision::AtOnce { new: false };
const AT_ONCE_ON_A_NEW_CONNECTION: Decision = Decision::AtOnce { new: true };

/// Sent on a new connection, which ended without an answer.
const NEW: Reached = Reached::Connection { unprocessed: false, silent: true, ended: true, was_used: false };

/// Sent on a connection that had been idle, which ended without an answer.
const IDLE: Reached = Reached::Connection { unprocessed: false, silent: true, ended: true, was_used: true };

/// On a connection, but nothing of it was processed.
const UNPROCESSED: Reached = Reached::Connection { unprocessed: true, silent: true, ended: false, was_used: true };

/// A GET, for the first time, on a new connection.
const GET: Facts = Facts {
    reason: Reason::UpstreamClosed,
    reached: NEW,
    is_idempotent: true,
    is_kept: true,
    races: 0,
    retries: 0,
    attempts: 2,
};

/// The same as a POST.
const POST: Facts = Facts { is_idempotent: false, ..GET };

#[track_caller]
fn hold(cases: &[(&str, Facts, Decision)]) {
    for (case, facts, decision) in cases {
        assert_eq!(decide(facts), *decision, "{case}: {facts:?}");
    }
}

#[test]
fn without_a_connection_every_method_is_sent_elsewhere() {
    let get = Facts { reached: Reached::Nothing, reason: Reason::ConnectFailed, ..GET };
    let post = Facts { is_idempotent: false, ..get };
    hold(&[
        ("nobody listens, GET", get, Decision::WithLeave),
        ("nobody listens, POST: nothing was sent", post, Decision::WithLeave),
        ("connecting took too long", Facts { reason: Reason::ConnectTimeout, ..post }, Decision::WithLeave),
        ("TLS failed", Facts { reason: Reason::TlsFailed, ..post }, Decision::WithLeave),
        ("no endpoint is healthy", Facts { reason: Reason::NoEndpoint, ..get }, Decision::Never),
        ("too many wait for a connection", Facts { reason: Reason::TooManyPending, ..get }, Decision::Never),
        ("no file descriptor is left", Facts { reason: Reason::OutOfFiles, ..get }, Decision::Never),
        ("the endpoint cannot upgrade", Facts { reason: Reason::NoUpgrade, ..get }, Decision::Never),
        ("not HTTP/2, though it was agreed", Facts { reason: Reason::UpstreamMalformed, ..get }, Decision::Never),
    ]);
}

/// RFC 9110, section 9.2.2: a proxy must not retry requests that are not idempotent by itself.
#[test]
fn what_may_have_been_processed_is_sent_again_if_it_is_idempotent() {
    let part = Reached::Connection { unprocessed: false, silent: false, ended: true, was_used: true };
    let cut = Reached::Connection { unprocessed: false, silent: true, ended: false, was_used: true };
    hold(&[
        ("closed without an answer, GET", GET, Decision::WithLeave),
        ("closed without an answer, POST", POST, Decision::Never),
        ("closed within an answer's head, GET", Facts { reached: part, ..GET }, Decision::Never),
        ("closed within an answer's head, POST", Facts { reached: part, ..POST }, Decision::Never),
        ("the stream was reset, not the connection, GET", Facts { reached: cut, ..GET }, Decision::WithLeave),
        ("the stream was reset, not the connection, POST", Facts { reached: cut, ..POST }, Decision::Never),
        ("the answer is malformed", Facts { reason: Reason::UpstreamMalformed, ..GET }, Decision::Never),
    ]);
}

/// RFC 9112, section 9.3.1: an idle connection can be closed at any time, also while a request is on its way to it.
#[test]
fn the_keep_alive_race_is_run_twice_and_neither_counts_nor_needs_leave() {
    let get = Facts { reached: IDLE, ..GET };
    let spent = Facts { retries: 2, ..get };
    hold(&[
        ("an idle connection was closed, GET", get, AT_ONCE),
        ("the second time", Facts { races: 1, ..get }, AT_ONCE_ON_A_NEW_CONNECTION),
        ("the third time", Facts { races: 2, ..get }, Decision::Never),
        (
            "an idle connection was closed, POST: it may have been read",
            Facts { reached: IDLE, ..POST },
            Decision::Never,
        ),
        ("all retries are spent", spent, AT_ONCE),
        ("no retries are allowed", Facts { attempts: 0, ..get }, AT_ONCE),
        ("after a race, a new connection was closed", Facts { races: 2, ..GET }, Decision::WithLeave),
    ]);
}

/// RFC 9113, section 8.7: of a stream that was refused, or is above the last of a GOAWAY, nothing was processed.
#[test]
fn what_was_not_processed_is_sent_again_whatever_the_method() {
    let get = Facts { reached: UNPROCESSED, ..GET };
    let post = Facts { reached: UNPROCESSED, ..POST };
    let new = Reached::Connection { unprocessed: true, silent: true, ended: true, was_used: false };
    hold(&[
        ("refused or not sent, GET", get, AT_ONCE),
        ("refused or not sent, POST", post, AT_ONCE),
        ("the second time, POST", Facts { races: 1, ..post }, AT_ONCE_ON_A_NEW_CONNECTION),
        ("the third time, POST", Facts { races: 2, ..post }, Decision::Never),
        ("on a new connection, POST", Facts { reached: new, ..post }, AT_ONCE),
        ("malformed besides", Facts { reason: Reason::UpstreamMalformed, ..post }, Decision::Never),
    ]);
}

/// RFC 8446, appendix E.1.2: with TLS 1.3 the client is done before its certificate is judged.
#[test]
fn a_certificate_refused_after_the_handshake_is_a_failure_and_no_race() {
    let tls = Reason::TlsFailed;
    hold(&[
        (
            "before anything was processed, POST",
            Facts { reached: UNPROCESSED, reason: tls, ..POST },
            Decision::WithLeave,
        ),
        ("after it was sent, GET", Facts { reason: tls, ..GET }, Decision::WithLeave),
        ("after it was sent, POST", Facts { reason: tls, ..POST }, Decision::Never),
    ]);
}

#[test]
fn a_listed_status_is_tried_again_if_the_method_is_idempotent() {
    let get = Facts { reached: Reached::Answer, reason: Reason::UpstreamStatus, ..GET };
    hold(&[
        ("GET", get, Decision::WithLeave),
        ("POST", Facts { is_idempotent: false, ..get }, Decision::Never),
        ("all retries are spent", Facts { retries: 2, ..get }, Decision::Never),
        ("its body is no longer there", Facts { is_kept: false, ..get }, Decision::Never),
    ]);
}

#[test]
fn retries_are_counted() {
    hold(&[
        ("one of two", Facts { retries: 1, ..GET }, Decision::WithLeave),
        ("two of two", Facts { retries: 2, ..GET }, Decision::Never),
        ("none is allowed", Facts { attempts: 0, ..GET }, Decision::Never),
    ]);
}

#[test]
fn a_body_that_is_gone_is_not_sent_again() {
    let gone = Facts { is_kept: false, ..GET };
    hold(&[
        ("no connection", Facts { reached: Reached::Nothing, reason: Reason::ConnectFailed, ..gone }, Decision::Never),
        ("closed without an answer", gone, Decision::Never),
        ("an idle connection was closed", Facts { reached: IDLE, ..gone }, Decision::Never),
        ("refused", Facts { reached: UNPROCESSED, ..gone }, Decision::Never),
    ]);
}

/// It is said of the endpoint that it failed, unless it was a race: in particular when it is not sent again.
#[test]
fn a_race_is_one_also_when_it_is_not_run_again() {
    assert!(Facts { reached: IDLE, races: 2, ..GET }.is_race());
    assert!(Facts { reached: UNPROCESSED, is_kept: false, ..POST }.is_race());
    assert!(!Facts { reached: IDLE, ..POST }.is_race());
    assert!(!GET.is_race());
    assert!(!Facts { reached: Reached::Nothing, ..GET }.is_race());
}

#[test]
fn a_wait_has_to_end_before_the_requests_time_does() {
    let ms = Duration::from_millis;
    assert!(has_time(None, ms(100)));
    assert!(has_time(Some(ms(101)), ms(100)));
    assert!(!has_time(Some(ms(100)), ms(100)));
    assert!(!has_time(Some(ms(0)), ms(100)));
}
