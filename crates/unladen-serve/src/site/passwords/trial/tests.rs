use super::*;

/// One client had all places, and everybody else was refused.
#[test]
fn one_client_locked_all_others_out() {
    let places = Places::default();
    let at = |address: &str| Some(address.parse().unwrap());
    let of_one: Vec<_> = (0..MOST_OF_CLIENT).map(|_| places.take(at("192.0.2.1")).unwrap()).collect();
    assert_eq!(places.take(at("192.0.2.1")).unwrap_err(), Full::OfClient);
    assert_eq!(places.take(at("::ffff:192.0.2.1")).unwrap_err(), Full::OfClient);
    // Of IPv6 a client has a /64.
    let of_network: Vec<_> =
        (0..MOST_OF_CLIENT).map(|at| places.take(format!("2001:db8::{at}").parse().ok()).unwrap()).collect();
    assert_eq!(places.take(at("2001:db8::ffff")).unwrap_err(), Full::OfClient);
    let another = places.take(at("2001:db8:0:1::1")).unwrap();
    // By a Unix socket all come from nowhere: they are bounded together with the others.
    let rest: Vec<_> = std::iter::from_fn(|| places.take(None).ok()).collect();
    assert_eq!(of_one.len() + of_network.len() + 1 + rest.len(), MOST_WAITING);
    assert_eq!(places.take(at("192.0.2.2")).unwrap_err(), Full::OfAll);
    drop((of_one, of_network, another, rest));
    let waiting = lock(&places.0);
    assert_eq!((waiting.all, waiting.clients.len()), (0, 0));
}
