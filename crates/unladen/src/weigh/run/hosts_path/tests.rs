use super::*;

/// The first address of a name was said to be where a request was seen to go, whoever had answered.
#[test]
fn of_several_addresses_the_one_with_a_connection_is_certain() {
    let [one, two]: [SocketAddr; 2] = ["10.0.0.1:80", "10.0.0.2:80"].map(|text| text.parse().unwrap());
    let told = |addresses: &[SocketAddr], connected: &[SocketAddr]| -> Vec<(SocketAddr, bool)> {
        targets(addresses, connected, None).into_iter().map(|asked| (asked.address, asked.certain)).collect()
    };
    assert_eq!(told(&[one, two], &[two]), [(two, true)]);
    assert_eq!(told(&[one, two], &[]), [(one, false), (two, false)]);
    assert_eq!(told(&[one], &[]), [(one, true)]);
    assert_eq!(told(&[], &[]), []);
}
