use super::*;

/// Of a host whose web server was not told from noise, the requests were said that its database alone allows.
#[test]
fn a_capacity_is_not_told_of_less_than_a_request() {
    let station =
        |group: &str, certain| FarStation { groups: vec![group.to_owned()], certain, ..FarStation::default() };
    let stations = [station("web/nginx", true), station("web/php/fpm", true), station("db/mariadb", false)];
    let hosts = |following: &[&str]| -> Vec<String> {
        hosts_without(&stations, &following.iter().copied().collect()).into_iter().collect()
    };
    assert_eq!(hosts(&["web/php/fpm", "web/mariadb"]), ["web"]);
    assert_eq!(hosts(&["web/php/fpm", "web/nginx"]), [""; 0]);
}
