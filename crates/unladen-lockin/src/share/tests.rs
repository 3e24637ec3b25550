use super::*;

#[test]
fn fewer_than_six_requests_carry_no_interval() {
    let parts: Vec<(usize, f64)> = (0..5).map(|request| (request, 1.0 + request as f64)).collect();
    assert_eq!(share(&[10.0; 5], &parts), ShareEstimate { value: 0.3, interval: None });
    assert!(share(&[10.0; 6], &parts).interval.is_some());
    assert_eq!(share(&[], &[]), ShareEstimate { value: 0.0, interval: None });
    let difference = difference((5, &[1.0]), (50, &[2.0; 50]));
    assert_eq!((difference.interval, difference.p_value), (None, 1.0));
    assert!((difference.value - 1.8).abs() < 1e-12);
}
