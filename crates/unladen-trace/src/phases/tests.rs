use super::*;

fn phases(requests: u64) -> Phases {
    let mut phases = Phases::default();
    for block in 0..6 {
        let order = if block % 2 == 0 { [true, false, false, true] } else { [false, true, true, false] };
        for on in order {
            phases.push(PhaseSeen { on, duration_ns: 1_000, requests });
        }
    }
    phases
}

#[test]
fn what_only_requests_do_is_exact() {
    let phases = phases(5);
    let series: Series = phases.all().iter().map(|phase| if phase.on { 35 } else { 0 }).collect();
    let Interval { value, low, high } = phases.per_request(&series).unwrap();
    assert_eq!((value, low, high), (7.0, 7.0, 7.0));
    assert_eq!(phases.mean(&series), 7.0);
}

#[test]
fn other_traffic_drops_out() {
    let phases = phases(5);
    let series: Series = phases.all().iter().map(|phase| if phase.on { 35 + 100 } else { 100 }).collect();
    let Interval { value, low, high } = phases.per_request(&series).unwrap();
    assert!(low <= 7.0 && 7.0 <= high && (value - 7.0).abs() < 1e-9, "{value} ({low} to {high})");
    assert_eq!(phases.mean(&series), 7.0);
}

#[test]
fn a_block_out_of_order_is_refused() {
    let mut phases = Phases::default();
    for on in [true, false, true, false].repeat(6) {
        phases.push(PhaseSeen { on, duration_ns: 1, requests: 1 });
    }
    assert_eq!(phases.per_request(&Series::default()), None);
}
