//! The principal type is [`Experiment`]: what is measured, resolved from its file or made in code.
//!
//! ```
//! use unladen_prove::{Budget, Experiment, Load, Pace};
//!
//! let load = Load::new(Pace::Closed { concurrency: 1 }, Budget::Requests(1000));
//! let experiment = Experiment::of_urls("http://127.0.0.1:8080/".parse()?, "http://127.0.0.1:8081/".parse()?, load);
//! let arms = experiment.arms();
//! assert_eq!(arms.len(), 3, "A, A again and B");
//! assert_eq!(experiment.requests(&arms[2])?[0].url().port(), Some(8081));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::PathBuf;
use std::time::Duration;

use http::Method;
use unladen_load::{Request, RequestError, UrlLine};
use url::Url;

use crate::answer_part::AnswerPart;
use crate::knob::Wanted;
use crate::knob_spec::KnobSpec;
use crate::load::Load;
use crate::quantile::Quantile;
use crate::service::Service;
use unladen_lockin::{Arm, Design};

/// An experiment.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Absolute; `None` if it was made in code.
    pub file: Option<PathBuf>,
    pub folder: PathBuf,
    /// Title in reports; by default the name of its file.
    pub title: String,
    pub design: Design,
    pub urls: Vec<UrlLine>,
    /// Number of restarts of all services, the outer level of the experiment; 1 for none.
    pub restarts: u32,
    pub cold: Option<Cold>,
    pub quantiles: Vec<Quantile>,
    pub within: Vec<Duration>,
    pub expect_change: Vec<AnswerPart>,
    pub load: Load,
    pub services: Vec<Service>,
    pub knobs: Vec<KnobSpec>,
}

/// How requests are made cold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cold {
    pub command: String,
    /// Cold requests of each arm in each block, at least 1.
    pub requests: u32,
}

impl Experiment {
    /// Compares two URLs; the baseline is `a`, the candidate `b`, and nothing is switched.
    pub fn of_urls(a: Url, b: Url, load: Load) -> Self {
        Self {
            file: None,
            folder: PathBuf::from("."),
            title: format!("{a} against {b}"),
            design: Design::Ab,
            urls: vec![UrlLine { method: Method::GET, is_method_named: false, url: a, label: None, weight: 1.0 }],
            restarts: 1,
            cold: None,
            quantiles: Quantile::USUAL.to_vec(),
            within: Vec::new(),
            expect_change: Vec::new(),
            load,
            services: Vec::new(),
            knobs: vec![KnobSpec::of_url(b)],
        }
    }

    /// The arms: the baseline, the baseline again, then the others of the design.
    pub fn arms(&self) -> Vec<Arm> {
        let names: Vec<&str> = self.knobs.iter().map(|knob| knob.name.as_str()).collect();
        self.design.arms(&names)
    }

    /// Requests of an arm: one for each URL, in order.
    ///
    /// # Errors
    /// When a cookie, or a URL that was changed in code, makes no request.
    pub fn requests(&self, arm: &Arm) -> Result<Vec<Request>, RequestError> {
        let mut wanted = Wanted { urls: self.urls.clone(), headers: self.load.headers.clone() };
        for (knob, on) in self.knobs.iter().zip(&arm.on) {
            knob.changes.iter().for_each(|change| change.request(*on, &mut wanted));
        }
        wanted.urls.iter().map(|line| self.request(line, &wanted)).collect()
    }

    fn request(&self, line: &UrlLine, wanted: &Wanted) -> Result<Request, RequestError> {
        let mut builder = line.request()?;
        if let Some(method) = &self.load.method {
            builder = builder.method(method.as_str())?;
        }
        for header in &wanted.headers {
            builder = builder.header(header.clone());
        }
        for cookie in &self.load.cookies {
            builder = builder.cookie(cookie)?;
        }
        builder.body(self.load.body.clone()).build()
    }
}
