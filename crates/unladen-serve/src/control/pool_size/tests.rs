use super::*;

fn status(manager: &str, accepted: u64, workers: u32, max_children_reached: u64) -> Status {
    let (pool, manager, idle) = ("www".to_owned(), manager.to_owned(), workers / 2);
    Status { pool, manager, accepted, waiting: 0, idle, active: workers - idle, max_children_reached }
}

#[test]
fn a_static_pool_has_its_processes() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&status("static", 1, 4, 0), false), Some(4));
    assert_eq!(pool.see(&status("static", 2, 8, 0), true), Some(8));
}

#[test]
fn a_dynamic_pool_has_as_many_as_it_had_when_it_could_have_no_more() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&status("dynamic", 1, 2, 0), true), None);
    assert_eq!(pool.see(&status("dynamic", 2, 5, 1), true), Some(5));
    // It was reached by others meanwhile, or it may be more: one more is tried while requests wait.
    assert_eq!(pool.see(&status("dynamic", 3, 3, 1), false), Some(5));
    assert_eq!(pool.see(&status("dynamic", 4, 5, 1), true), Some(6));
    assert_eq!(pool.see(&status("dynamic", 5, 5, 2), true), Some(5));
    // It has grown by itself.
    assert_eq!(pool.see(&status("dynamic", 6, 9, 2), false), Some(9));
}

#[test]
fn a_pool_that_is_started_anew_is_another() {
    let mut pool = PoolSize::default();
    assert_eq!(pool.see(&status("ondemand", 1000, 5, 3), true), Some(5));
    assert_eq!(pool.see(&status("ondemand", 1, 1, 0), true), None);
}
