use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|knob| format!("k{knob}")).collect()
}

fn arms(design: Design, count: usize) -> Vec<Arm> {
    let names = names(count);
    design.arms(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn one_knob_makes_a_comparison_of_two() {
    let arms = arms(Design::Ab, 1);
    let list: Vec<(&str, &[Role])> = arms.iter().map(|arm| (arm.name.as_str(), arm.roles.as_slice())).collect();
    assert_eq!(
        list,
        [("baseline", &[Role::Baseline][..]), ("baseline again", &[Role::BaselineAgain]), ("k0", &[Role::Candidate])]
    );
}

#[test]
fn each_of_three_is_never_together_with_another() {
    let arms = arms(Design::Each, 3);
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(names, ["baseline", "baseline again", "k0", "k1", "k2"]);
    assert_eq!(arms[3].roles, [Role::Alone(1)]);
}

#[test]
fn an_ablation_of_three_has_each_combination_once() {
    let arms = arms(Design::Ablate, 3);
    let names: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    assert_eq!(
        names,
        ["baseline", "baseline again", "k0", "k1", "k2", "k0 + k1", "all", "k1 + k2", "k0 + k2"],
        "all but the last are those up to the one before"
    );
    assert_eq!(arms[5].roles, [Role::UpTo(1), Role::Without(2)]);
    assert_eq!(arms[6].roles, [Role::UpTo(2), Role::All]);
    assert_eq!(arms[2].roles, [Role::Alone(0), Role::UpTo(0)]);
}

#[test]
fn an_ablation_of_four_names_what_is_left_out() {
    let arms = arms(Design::Ablate, 4);
    assert!(Arm::with_role(&arms, Role::Without(1)).is_some_and(|arm| arm.name == "all but k1"));
    assert!(Arm::with_role(&arms, Role::UpTo(1)).is_some_and(|arm| arm.name == "k0 + k1"));
}

#[test]
fn an_ablation_of_one_knob_is_a_comparison() {
    let arms = arms(Design::Ablate, 1);
    assert_eq!(arms.len(), 3);
    assert!(arms[0].is(Role::Without(0)) && arms[2].is(Role::All) && arms[2].is(Role::Alone(0)));
}

proptest! {
    #[test]
    fn arms_are_unique_and_whole(design in 0..Design::ALL.len(), count in 1..12_usize) {
        let design = Design::ALL[design];
        let arms = arms(design, count);
        prop_assert!(arms.iter().all(|arm| arm.on.len() == count && !arm.roles.is_empty()));
        prop_assert_eq!(arms.iter().map(|arm| &arm.name).collect::<BTreeSet<_>>().len(), arms.len());
        let combinations: BTreeSet<_> = arms.iter().map(|arm| &arm.on).collect();
        prop_assert_eq!(combinations.len(), arms.len() - 1, "the baseline alone is there twice");
        let roles: Vec<Role> = arms.iter().flat_map(|arm| arm.roles.clone()).collect();
        prop_assert_eq!(roles.iter().collect::<BTreeSet<_>>().len(), roles.len(), "each role has one arm");
        prop_assert!(arms[0].is(Role::Baseline) && arms[1].is(Role::BaselineAgain));
    }

    #[test]
    fn a_factorial_design_is_balanced(count in 1..=MOST_FACTORS) {
        let arms = arms(Design::Factorial, count);
        prop_assert_eq!(arms.len(), (1 << count) + 1);
        for knob in 0..count {
            prop_assert_eq!(arms.iter().filter(|arm| arm.on[knob]).count(), 1 << (count - 1));
        }
    }

    #[test]
    fn an_ablation_asks_for_each_knob_alone_left_out_and_in_turn(count in 1..12_usize) {
        let arms = arms(Design::Ablate, count);
        for knob in 0..count {
            for (role, is_on) in [
                (Role::Alone(knob), &(|other| other == knob) as &dyn Fn(usize) -> bool),
                (Role::Without(knob), &|other| other != knob),
                (Role::UpTo(knob), &|other| other <= knob),
            ] {
                let arm = Arm::with_role(&arms, role).unwrap();
                prop_assert_eq!(&arm.on, &(0..count).map(is_on).collect::<Vec<_>>());
            }
        }
    }
}
