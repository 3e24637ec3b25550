use super::*;

#[test]
fn only_those_that_listen() {
    let table = "  sl  local_address rem_address   st tx_queue\n   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 \
                 00:00000000 00000000    33        0 27182 1 0000000000000000 100 0 0 10 0\n   \
                 1: 0100007F:C001 0100007F:1F90 01 00000000:00000000\n   2: 00000000000000000000000000000000:0050 \
                 00000000000000000000000000000000:0000 0A 0:0\nodd\n";
    let sockets: Vec<_> = listening_sockets(table).map(|socket| (socket.ip, socket.port, socket.inode)).collect();
    assert_eq!(sockets, [("0100007F", 8080, Some(27182)), (&*"0".repeat(32), 80, None)]);
}

#[test]
fn only_those_that_are_connected() {
    let hex = |octets: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(octets));
    let (here, there) = (hex([10, 0, 0, 1]), hex([10, 0, 0, 2]));
    let mapped = format!("{0}{0}{1}{there}", "0".repeat(8), hex([0, 0, 0xff, 0xff]));
    let rest = "00000000:00000000 00:00000000 00000000 33 0";
    let table = format!(
        "  sl  local_address rem_address st\n 0: {here}:C001 {there}:1538 01 {rest} 77 1 0\n 1: {here}:C002 {there}:1538 06 \
         {rest} 0 1 0\n 2: {mapped}:0050 {mapped}:C003 01 {rest} 78 1 0\n 3: {here}:C001 {there} 01 {rest} 79\nodd\n"
    );
    let sockets: Vec<_> = connected_sockets(&table)
        .map(|socket| (socket.own.to_string(), socket.peer.to_string(), socket.inode))
        .collect();
    let expected = [("10.0.0.1:49153", "10.0.0.2:5432", 77), ("10.0.0.2:80", "10.0.0.2:49155", 78)];
    assert_eq!(sockets, expected.map(|(own, peer, inode)| (own.to_owned(), peer.to_owned(), inode)));
}
