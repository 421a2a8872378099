use std::rc::Rc;

use crate::contract::{Codec, Method, OpenRequest, OpenResponse};
use crate::dispatch::{reply, Held, Role};
use crate::error::{status, Code, Error, Result};
use crate::host::{Host, Opening};
use crate::plugin::Plugin;

/// One instance of a plugin, as a wasm module is one: it is opened once, for one component.
pub struct Instance {
    plugin: Plugin,
    host: Rc<dyn Host>,
    opened: Option<Box<dyn Role>>,
    held: Held,
}

impl Instance {
    /// An instance that asks `host` for input bytes and gives it log lines.
    pub fn new(plugin: Plugin, host: Rc<dyn Host>) -> Instance {
        Instance { plugin, host, opened: None, held: Held::default() }
    }

    /// Answers one request: the reply is a byte that says what it is, then the response message or the status. A panic
    /// of the component's code passes through.
    pub fn invoke(&mut self, method: Method, request: &[u8]) -> Vec<u8> {
        self.route(method, request).unwrap_or_else(|e| status(&e))
    }

    fn route(&mut self, method: Method, request: &[u8]) -> Result<Vec<u8>> {
        match (method, &self.opened) {
            (Method::DESCRIBE, _) => reply(&self.plugin.describe()),
            (Method::OPEN, _) => self.open(request),
            (_, Some(role)) => role.answer(method, request, &mut self.held),
            (_, None) => {
                Err(Error::new(Code::FailedPrecondition, format!("method {} before open", method.0)))
            }
        }
    }

    fn open(&mut self, request: &[u8]) -> Result<Vec<u8>> {
        let r = OpenRequest::decode(request)?;
        if self.opened.is_some() {
            return Err(Error::new(Code::FailedPrecondition, "the instance is open already"));
        }
        let found = self.plugin.components.iter().find(|c| c.about.name == r.component);
        let component = found.ok_or_else(|| {
            let text = format!("plugin {} has no component {}", self.plugin.name, r.component);
            Error::new(Code::NotFound, text)
        })?;
        let mut opening = Opening::new(r, &self.host);
        let role = match (component.open)(&mut opening) {
            Ok(role) => role,
            Err(Error::Faults(faults)) if !faults.is_empty() => {
                return reply(&OpenResponse { faults, ..Default::default() })
            }
            Err(e) => return Err(e),
        };
        let workload = role.info();
        self.opened = Some(role);
        reply(&OpenResponse {
            workload,
            prepared: opening.prepare,
            losses: opening.losses,
            ..Default::default()
        })
    }
}
