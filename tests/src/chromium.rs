//! The principal type is [`Chromium`]: a page in a real browser, which is told what to do over its debugging protocol.
//!
//! The protocol goes over a pipe (documents of JSON, each ended by a zero byte): a pipe needs no port, and no
//! WebSocket.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Far above what anything of this takes.
const LIMIT: Duration = Duration::from_secs(60);

/// Its sandbox needs what root and containers often have not; it sees pages of these tests alone.
const OPTIONS: &str = "--headless --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run \
     --disable-background-networking --disable-component-update --disable-sync --window-size=1400,1200 \
     --remote-debugging-pipe";

/// A page in a browser without a window, with a profile of its own. It ends when this is dropped.
#[derive(Debug)]
pub struct Chromium {
    child: Child,
    state: RefCell<State>,
    /// Removed after the browser has ended.
    _profile: TempDir,
}

#[derive(Debug)]
struct State {
    to: ChildStdin,
    from: Receiver<Value>,
    session: Option<String>,
    calls: u64,
    events: Vec<Value>,
}

// === impl Chromium ===

impl Chromium {
    /// With an empty page.
    pub fn start() -> Self {
        Self::start_with("")
    }

    /// The same with further options of its command line: `--ignore-certificate-errors`.
    pub fn start_with(options: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // It reads from descriptor 3 and writes to 4.
        let pipes = "3<&0 4>&1 </dev/null >/dev/null 2>&1";
        let mut child = Command::new("sh")
            .args([
                "-c",
                &format!("exec chromium {OPTIONS} {options} --user-data-dir=\"$1\" about:blank {pipes}"),
                "sh",
            ])
            .arg(profile.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let mut pipe = BufReader::new(child.stdout.take().unwrap());
        let (tell, from) = channel();
        std::thread::spawn(move || {
            let mut document = Vec::new();
            while pipe.read_until(0, &mut document).is_ok_and(|read| read > 0) {
                document.pop();
                if tell.send(serde_json::from_slice(&document).unwrap()).is_err() {
                    return;
                }
                document.clear();
            }
        });
        let state = RefCell::new(State { to, from, session: None, calls: 0, events: Vec::new() });
        let chromium = Self { child, state, _profile: profile };
        let target = chromium.call("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let session = chromium.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        chromium.state.borrow_mut().session = session["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network", "Accessibility"] {
            chromium.call(&format!("{domain}.enable"), json!({}));
        }
        chromium
    }

    /// Shows another page.
    #[track_caller]
    pub fn go_to(&self, url: &str) {
        let went = self.call("Page.navigate", json!({ "url": url }));
        assert!(went["errorText"].is_null(), "{url}: {went}");
    }

    /// The same, and waits until all of it is there.
    #[track_caller]
    pub fn load(&self, url: &str) {
        // What is asked until then may be asked of the page before.
        self.evaluate("window.isBefore = true");
        self.go_to(url);
        self.wait_for("!window.isBefore && document.readyState === 'complete'");
    }

    /// What an expression is worth; of a promise, what it comes to.
    #[track_caller]
    pub fn evaluate(&self, expression: &str) -> Value {
        let how = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut done = self.call("Runtime.evaluate", how);
        assert!(done["exceptionDetails"].is_null(), "{expression}: {done:#}");
        done["result"]["value"].take()
    }

    /// The same, of a text.
    #[track_caller]
    pub fn text(&self, expression: &str) -> String {
        let value = self.evaluate(expression);
        value.as_str().unwrap_or_else(|| panic!("{expression} is {value}")).to_owned()
    }

    /// Waits until an expression is true.
    #[track_caller]
    pub fn wait_for(&self, expression: &str) {
        let start = Instant::now();
        // A page that is just being left has no elements any more: it is asked again.
        while self.evaluate(&format!("(() => {{ try {{ return !!({expression}); }} catch {{ return false; }} }})()"))
            != true
        {
            if start.elapsed() > LIMIT {
                let text = self.text("document.body.innerText");
                panic!("never came true: {expression}\n{text}\n{:?}", self.take_problems());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Presses a key.
    pub fn key(&self, key: &str) {
        // Keys that write something are told apart from those that do not by having a text.
        let text = if key == "Enter" { "\r" } else { Some(key).filter(|key| key.chars().count() == 1).unwrap_or("") };
        let code = match key {
            "Enter" => 13,
            "Tab" => 9,
            "Escape" => 27,
            _ => 0,
        };
        let down = json!({ "type": "keyDown", "key": key, "text": text, "windowsVirtualKeyCode": code });
        self.call("Input.dispatchKeyEvent", down);
        self.call("Input.dispatchKeyEvent", json!({ "type": "keyUp", "key": key, "windowsVirtualKeyCode": code }));
    }

    /// As if the system had this theme.
    pub fn prefer(&self, theme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.call("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// As if the screen were that wide and high, in points.
    pub fn resize(&self, width: u32, height: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// What matters to those who do not see it, and has no name.
    pub fn unnamed(&self) -> Vec<Value> {
        const ROLES: [&str; 8] =
            ["button", "link", "combobox", "image", "region", "dialog", "columnheader", "rowheader"];
        let mut tree = self.call("Accessibility.getFullAXTree", json!({}));
        let Value::Array(mut nodes) = tree["nodes"].take() else { panic!("{tree}") };
        nodes.retain(|node| node["ignored"] != true);
        nodes.retain(|node| node["role"]["value"].as_str().is_some_and(|role| ROLES.contains(&role)));
        assert!(nodes.len() > 20, "this is not the whole page: {nodes:?}");
        nodes.retain(|node| node["name"]["value"].as_str().is_none_or(str::is_empty));
        nodes
    }

    /// Errors and warnings since the last time: of scripts, of the policy, of what could not be loaded.
    pub fn take_problems(&self) -> Vec<String> {
        self.evaluate("0");
        let is_problem = |event: &Value| {
            let method = event["method"].as_str().unwrap_or_default();
            let kind = event["params"]["type"].as_str().unwrap_or_default();
            matches!(method, "Runtime.exceptionThrown" | "Log.entryAdded")
                || (method == "Runtime.consoleAPICalled" && matches!(kind, "error" | "warning" | "assert"))
        };
        let events = &mut self.state.borrow_mut().events;
        events.extract_if(.., |event| is_problem(event)).map(|event| event.to_string()).collect()
    }

    /// Answers to requests for whole pages since the last time: statuses, and fields by their names in lower case.
    pub fn take_pages(&self) -> Vec<(u64, HashMap<String, String>)> {
        self.evaluate("0");
        let is_page =
            |event: &Value| event["method"] == "Network.responseReceived" && event["params"]["type"] == "Document";
        let events = &mut self.state.borrow_mut().events;
        let pages = events.extract_if(.., |event| is_page(event));
        let page = |event: Value| {
            let response = &event["params"]["response"];
            let fields = response["headers"].as_object().into_iter().flatten();
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let fields = fields.map(|(name, value)| (name.to_lowercase(), text(value))).collect();
            (response["status"].as_u64().unwrap_or_default(), fields)
        };
        pages.map(page).collect()
    }

    /// All that was loaded or asked for.
    pub fn asked(&self) -> Vec<String> {
        self.evaluate("0");
        let state = self.state.borrow();
        let requests = state.events.iter().filter(|event| event["method"] == "Network.requestWillBeSent");
        requests.map(|event| event["params"]["request"]["url"].as_str().unwrap().to_owned()).collect()
    }

    #[track_caller]
    fn call(&self, method: &str, params: Value) -> Value {
        let state = &mut *self.state.borrow_mut();
        state.calls += 1;
        let mut call = json!({ "id": state.calls, "method": method, "params": params });
        if let Some(session) = &state.session {
            call["sessionId"] = session.as_str().into();
        }
        let sent = state.to.write_all(format!("{call}\0").as_bytes());
        assert!(sent.is_ok(), "there is no chromium (scripts/need chromium), or it has ended");
        loop {
            let Ok(mut document) = state.from.recv_timeout(LIMIT) else {
                panic!("chromium says nothing to {method}: it is missing (scripts/need chromium), or has ended")
            };
            if document["id"] != state.calls {
                state.events.push(document);
                continue;
            }
            assert!(document["error"].is_null(), "{method}: {document}");
            return document["result"].take();
        }
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        // It takes its other processes with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
