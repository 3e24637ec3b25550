//! The driver against real servers, on real sockets.

mod answers;
mod connections;
mod cookies;
mod failures;
mod http2;
mod inquiries;
mod runs;
mod server;
mod tls;

use std::time::Duration;

use super::*;
use crate::request::{Request, RequestBuilder};
use server::Server;

/// Far longer than any test takes: it ends only a test that hangs.
const LONG: Duration = Duration::from_secs(60);

fn get(server: &Server) -> RequestBuilder {
    Request::get(&format!("http://{}/page", server.address)).unwrap()
}

fn config(request: RequestBuilder) -> DriverConfig {
    DriverConfig::new(vec![request.build().unwrap()])
}

fn start(config: DriverConfig) -> Driver {
    Driver::start(config).unwrap()
}

/// A driver with one request, all else as it is without options.
fn driver(server: &Server) -> Driver {
    start(config(get(server)))
}

fn sample(driver: &mut Driver) -> Result<Sample, LoadError> {
    driver.sample(0, &Cancel::new())
}

fn run(driver: &mut Driver, requests: u64) -> Result<Tally, RunError> {
    driver.run(0, Stop::after(LONG).or_requests(requests), &Cancel::new())
}
