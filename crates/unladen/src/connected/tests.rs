use std::net::{TcpListener, TcpStream};

use super::*;

#[test]
fn only_what_this_process_has_a_connection_to() {
    let [one, two] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let addresses = [one.local_addr().unwrap(), two.local_addr().unwrap()];
    assert_eq!(connected_to(&addresses), []);
    let _open = TcpStream::connect(addresses[1]).unwrap();
    assert_eq!(connected_to(&addresses), [addresses[1]]);
}
