use super::*;
use crate::doctor::row::Verdict;

#[test]
fn a_container_sees_itself_alone() {
    let docker = Virtualisation { hypervisor: Some("kvm"), container: Some("docker") };
    assert_eq!(row(&docker).what, "a container (docker on kvm)");
    assert_eq!(row(&Virtualisation { container: None, ..docker }).verdict, Verdict::Ok);
    assert_eq!(row(&Virtualisation::default()).verdict, Verdict::Ok);
}
