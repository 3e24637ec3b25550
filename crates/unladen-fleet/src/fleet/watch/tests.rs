use super::*;

/// A purge that waited for a lease had the next ones of its node looked after 20 ms.
#[test]
fn one_that_took_long_does_not_delay_the_next() {
    let ms = Duration::from_millis;
    assert!(usual_after(ms(3), ms(2000)) <= ms(5));
    assert!(usual_after(Duration::ZERO, ms(2000)) < FIRST);
    // If all take long, it is found out nevertheless, and forgotten again.
    let slow = (0..12).fold(ms(3), |usual, _| usual_after(usual, ms(40)));
    assert!(slow > ms(30), "{slow:?}");
    let quick = (0..12).fold(slow, |usual, _| usual_after(usual, usual - usual / PART));
    assert!(quick < ms(10), "{quick:?}");
}
