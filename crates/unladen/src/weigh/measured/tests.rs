use super::*;

/// That a server is one of the hosts was believed of whatever host said so.
#[test]
fn only_the_command_says_without_a_host_that_it_is_the_server() {
    assert!(leads_to("ssh -p 22 root@10.0.0.2", "10.0.0.2"));
    assert!(leads_to("ssh shop.example sudo", "shop.example"));
    assert!(!leads_to("ssh 10.0.0.20", "10.0.0.2"));
    assert!(!leads_to("ssh evil", "10.0.0.2"));
}
