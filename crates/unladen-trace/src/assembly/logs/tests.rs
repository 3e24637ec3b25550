use super::*;
use crate::event::Socket;

#[test]
fn lines_for_a_log_that_dev_log_leads_to_were_none() {
    let mut logs = Logs::default();
    let mut is_line = |datagram, payload: &[u8]| {
        let peer = Peer::Unix(b"/srv/state/syslog.sock".to_vec());
        let socket = Socket { id: 1, datagram, accepted: false, peer };
        let result = payload.len() as i64;
        let transfer =
            Transfer { at_ns: 5, pid: 7, group: 0, way: Way::Out, socket: &socket, result, payload, took_ns: 2 };
        logs.socket(&transfer, Moment { phase: 0, request: 0 })
    };
    let line = b"<135>Nov 21 17:36:31 pledges[7]: step 1 of the page is done";
    assert!(is_line(true, line));
    assert!(!is_line(false, line) && !is_line(true, b"something else"));
}
