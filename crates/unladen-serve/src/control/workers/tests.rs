use super::*;

/// Of these processes, a half is idle.
fn status(manager: &str, accepted: u64, workers: u32, max_children_reached: u64) -> Status {
    let (pool, manager, idle) = ("www".to_owned(), manager.to_owned(), workers / 2);
    let most_active = 40;
    Status { pool, manager, accepted, waiting: 0, idle, active: workers - idle, most_active, max_children_reached }
}

fn busy(accepted: u64, workers: u32, most_active: u32, max_children_reached: u64) -> Status {
    Status { idle: 0, active: workers, most_active, ..status("ondemand", accepted, workers, max_children_reached) }
}

#[test]
fn a_static_pool_has_its_processes() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&status("static", 1, 4, 0)), Some(4));
    assert_eq!(pool.see(&status("static", 2, 8, 0)), Some(8));
}

#[test]
fn a_dynamic_pool_has_as_many_as_it_had_when_it_could_have_no_more() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&status("dynamic", 1, 2, 0)), None);
    assert_eq!(pool.see(&status("dynamic", 2, 5, 1)), Some(5));
    assert_eq!(pool.see(&status("dynamic", 3, 3, 1)), Some(5));
    // Some were gone already at the look after it was reached again.
    assert_eq!(pool.see(&status("dynamic", 4, 4, 2)), Some(5));
    // It was reached by others meanwhile, and has grown by itself.
    assert_eq!(pool.see(&status("dynamic", 5, 9, 2)), Some(9));
}

#[test]
fn the_first_look_at_an_idle_pool_took_its_history_for_news() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&busy(1000, 1, 40, 7)), None);
    assert_eq!(pool.see(&busy(1100, 4, 40, 7)), None);
    assert_eq!(pool.see(&status("ondemand", 2000, 40, 8)), Some(40));
}

#[test]
fn a_first_look_at_a_pool_that_can_do_no_more_says_how_many_it_has() {
    assert_eq!(PoolSize::default().see(&busy(1000, 40, 40, 1)), Some(40));
    assert_eq!(PoolSize::default().see(&busy(1000, 40, 40, 0)), None);
    // It makes the page.
    assert_eq!(PoolSize::default().see(&busy(1000, 1, 1, 1)), None);
}

#[test]
fn places_grew_without_end_while_requests_waited() {
    let mut pool = PoolSize::default();
    pool.see(&busy(1, 4, 4, 0));
    for look in 2..100 {
        assert_eq!(pool.see(&busy(look, 4, 4, 1)), Some(4));
    }
}

#[test]
fn a_pool_that_is_started_anew_is_another() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&busy(1000, 5, 5, 3)), Some(5));
    assert_eq!(pool.see(&busy(1, 1, 1, 0)), None);
    assert_eq!(pool.see(&busy(2, 9, 9, 1)), Some(9));
}
