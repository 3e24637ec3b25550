use std::os::unix::fs::symlink;

use super::*;

const LONG: Duration = Duration::from_secs(20);

fn text(port: u16) -> String {
    format!("{{\"endpoints\": [{{\"address\": \"10.0.0.1:{port}\"}}]}}")
}

/// Until it says this: a change may be told in several steps.
async fn says(file: &mut EndpointFile, is_so: impl Fn(&Result<Vec<Found>, DiscoverError>) -> bool) {
    let said = async {
        loop {
            let said = file.next().await;
            if is_so(&said) {
                return;
            }
        }
    };
    tokio::time::timeout(LONG, said).await.expect("it never says so");
}

fn has(port: u16) -> impl Fn(&Result<Vec<Found>, DiscoverError>) -> bool {
    move |said| said.as_ref().is_ok_and(|found| found[0].address.to_string() == format!("10.0.0.1:{port}"))
}

#[tokio::test]
async fn a_file_that_is_replaced_or_written_over_or_linked_elsewhere_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.json");
    fs::write(&path, text(1)).unwrap();
    let mut file = EndpointFile::new(path.clone());
    assert!(has(1)(&file.next().await), "at once");

    fs::write(folder.path().join("new"), text(2)).unwrap();
    fs::rename(folder.path().join("new"), &path).unwrap();
    says(&mut file, has(2)).await;

    fs::write(&path, text(3)).unwrap();
    says(&mut file, has(3)).await;

    fs::remove_file(&path).unwrap();
    says(&mut file, |said| said.as_ref().is_err_and(|error| error.to_string().contains("No such file"))).await;

    // As Kubernetes does for a ConfigMap: the file is a link through a link, and that is switched.
    for (name, port) in [("one", 4), ("two", 5)] {
        fs::create_dir(folder.path().join(name)).unwrap();
        fs::write(folder.path().join(name).join("app.json"), text(port)).unwrap();
    }
    symlink("one", folder.path().join("data")).unwrap();
    symlink("data/app.json", &path).unwrap();
    says(&mut file, has(4)).await;
    symlink("two", folder.path().join("next")).unwrap();
    fs::rename(folder.path().join("next"), folder.path().join("data")).unwrap();
    says(&mut file, has(5)).await;
}

#[test]
fn what_is_no_file_of_endpoints_says_so_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("app.json");
    fs::write(&path, "{\n  \"endpoints\": [{\"adress\": 1}]\n}").unwrap();
    let said = read(&path).unwrap_err().to_string();
    assert!(said.starts_with(&format!("{}:2:", path.display())) && said.contains("unknown field `adress`"), "{said}");
    let said = read(folder.path()).unwrap_err().to_string();
    assert!(said.contains("it is not a regular file"), "{said}");
    fs::write(&path, vec![b' '; (4 << 20) + 1]).unwrap();
    assert!(read(&path).unwrap_err().to_string().contains("larger than 4 MiB"));
}
