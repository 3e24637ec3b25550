use super::*;

const fn owner(user: u32) -> Owner {
    Owner { user, group: user, is_open: false, is_shared: false }
}

#[test]
fn root_takes_on_the_rights_of_the_owner() {
    assert_eq!(choose(&[owner(33), owner(33)], ROOT), Some(RunAs::Owner { user: 33, group: 33 }));
    assert_eq!(choose(&[owner(ROOT)], ROOT), Some(RunAs::Ourselves));
}

#[test]
fn one_user_runs_nothing_of_another() {
    assert_eq!(choose(&[owner(33)], 33), Some(RunAs::Ourselves));
    assert_eq!(choose(&[owner(33)], 1000), None);
    assert_eq!(choose(&[owner(ROOT)], 1000), None);
}

#[test]
fn several_owners_are_nobody() {
    assert_eq!(choose(&[owner(ROOT), owner(33)], ROOT), None);
    assert_eq!(choose(&[], ROOT), None);
}

#[test]
fn what_all_users_may_write_belongs_to_nobody() {
    assert_eq!(choose(&[owner(ROOT), Owner { is_open: true, ..owner(ROOT) }], ROOT), None);
}

/// Whoever is in the group would run programs as root.
#[test]
fn what_a_group_may_write_is_not_run_as_root() {
    let shared = |user| Owner { is_shared: true, ..owner(user) };
    assert_eq!(choose(&[owner(ROOT), shared(ROOT)], ROOT), None);
    assert_eq!(choose(&[shared(1000)], 1000), Some(RunAs::Ourselves));
    assert_eq!(choose(&[shared(1000)], ROOT), Some(RunAs::Owner { user: 1000, group: 1000 }));
}
