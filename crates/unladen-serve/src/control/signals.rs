//! Passes signals to the control thread.

use std::sync::mpsc::Sender;
use std::{io, thread};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR2};
use signal_hook::iterator::Signals;

use super::event::Event;

pub(super) fn pass_on(events: Sender<Event>) -> io::Result<()> {
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGUSR2])?;
    let pass = move || {
        for signal in signals.forever() {
            let event = match signal {
                SIGHUP => Event::Reload,
                SIGUSR2 => Event::HandOver,
                _ => Event::Stop,
            };
            if events.send(event).is_err() {
                return;
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(pass).map(drop)
}
