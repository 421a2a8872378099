//! Drives a plugin's components in ordinary `cargo test` through the bytes that a host would send, so that a test sees
//! what a run would see: limits of the contract, presence, and nothing shared between calls.
//!
//! ```
//! # use paceline::{Component, Plugin, Result, Scorer, Sample, ScoreResponse, ConcludeRequest, ConcludeScoreResponse};
//! # struct Never;
//! # impl Scorer for Never {
//! #     fn score(&self, _: &[Sample]) -> Result<ScoreResponse> { Ok(Default::default()) }
//! #     fn fold(&self, _: &[u8], _: &[u8]) -> Result<Vec<u8>> { Ok(Vec::new()) }
//! #     fn conclude(&self, _: &ConcludeRequest) -> Result<ConcludeScoreResponse> { Ok(Default::default()) }
//! # }
//! # fn plugin() -> Plugin { Plugin::new("p", "0.1.0").with(Component::scorer("never", "", |_| Ok(Never))) }
//! use paceline::testing::{open, Options};
//!
//! let scorer = open(plugin(), "never", Options::default())?;
//! let batch = scorer.score(&[Sample::default()])?;
//! let end = scorer.conclude_score(ConcludeRequest::default(), &[batch.account])?;
//! assert!(!end.complete);
//! # Ok::<(), paceline::Error>(())
//! ```

mod manifest;
mod memory;
mod sha256;

use std::cell::RefCell;
use std::rc::Rc;

use crate::contract::*;
use crate::error::{parse_reply, Code, Error, Result};
use crate::instance::Instance;
use crate::plugin::Plugin;
use memory::Memory;

pub use manifest::check_manifest;

/// How a component is opened.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The configuration, as JSON.
    pub config: Vec<u8>,
    /// 32 bytes; empty: zeros.
    pub seed: Vec<u8>,
    /// What an earlier opening left.
    pub prepared: Vec<u8>,
    /// What is granted; inputs are where there are any.
    pub granted: Vec<Capability>,
    inputs: Vec<(String, Vec<u8>)>,
}

impl Options {
    /// Options with a configuration.
    pub fn config(json: impl Into<Vec<u8>>) -> Options {
        Options { config: json.into(), ..Options::default() }
    }

    /// Gives an input with these bytes.
    pub fn input(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Options {
        self.inputs.push((name.to_owned(), bytes.into()));
        self
    }
}

/// What the plugin tells about itself.
///
/// # Panics
/// Where its definition has faults.
pub fn describe(plugin: Plugin) -> DescribeResponse {
    let faults = plugin.check();
    assert!(faults.is_empty(), "plugin definition: {}", faults.join("\n"));
    let mut instance = Instance::new(plugin, Rc::new(Memory::default()));
    let request = DescribeRequest { contract_version: VERSION };
    match call(&mut instance, Method::DESCRIBE, &request) {
        Ok(response) => response,
        Err(e) => panic!("describe: {}", e),
    }
}

/// Opens a component in a fresh instance. The error is faults, or a status.
pub fn open(plugin: Plugin, component: &str, options: Options) -> Result<Opened> {
    let mut request = OpenRequest {
        component: component.to_owned(),
        config: options.config,
        seed: options.seed,
        granted: options.granted,
        prepared: options.prepared,
        ..Default::default()
    };
    if request.seed.is_empty() {
        request.seed = vec![0; 32];
    }
    if !options.inputs.is_empty() {
        request.granted.push(Capability::INPUTS);
    }
    for (handle, (name, bytes)) in options.inputs.iter().enumerate() {
        request.inputs.push(Input {
            name: name.clone(),
            handle: handle as u32,
            size: bytes.len() as u64,
            sha256: sha256::sum(bytes).to_vec(),
            ..Default::default()
        });
    }
    let host = Rc::new(Memory {
        inputs: options.inputs.into_iter().map(|(_, bytes)| bytes).collect(),
        lines: RefCell::default(),
    });
    let mut instance = Instance::new(plugin, host.clone());
    let response: OpenResponse = call(&mut instance, Method::OPEN, &request)?;
    if !response.faults.is_empty() {
        return Err(Error::Faults(response.faults));
    }
    Ok(Opened { response, host, instance: RefCell::new(instance) })
}

/// One opened component.
pub struct Opened {
    /// What Open answered.
    pub response: OpenResponse,
    host: Rc<Memory>,
    instance: RefCell<Instance>,
}

impl Opened {
    /// The lines that were logged, each with the number of its level in front.
    pub fn logs(&self) -> Vec<String> {
        self.host.lines.borrow().clone()
    }

    /// Sends any request; the methods below are for the usual ones.
    pub fn call<R: Codec>(&self, method: Method, request: &impl Codec) -> Result<R> {
        call(&mut self.instance.borrow_mut(), method, request)
    }

    /// Takes all steps of checking the inputs. Gives every fault and the number of items seen. It is an error where a
    /// step neither moves the cursor nor is the last.
    pub fn check_inputs(&self) -> Result<(Vec<Fault>, u64)> {
        let mut faults = Vec::new();
        let mut request = CheckInputsRequest { max_faults: 1000, ..Default::default() };
        loop {
            let r: CheckInputsResponse = self.call(Method::CHECK_INPUTS, &request)?;
            faults.extend(r.faults);
            if r.done {
                return Ok((faults, r.items));
            }
            if r.cursor == request.cursor {
                return Err(Error::new(Code::Internal, "CheckInputs stands still at its cursor"));
            }
            request.cursor = r.cursor;
        }
    }

    /// Plans one trajectory.
    pub fn plan(&self, index: u64, repeat: u32, seed: &[u8]) -> Result<Trajectory> {
        let request = PlanRequest { index, repeat, seed: seed.to_vec() };
        let r: PlanResponse = self.call(Method::PLAN, &request)?;
        Ok(r.trajectory.unwrap_or_default())
    }

    /// Takes one step of a live conversation.
    pub fn next(&self, state: &[u8], turn: u32, answer: Answer) -> Result<NextResponse> {
        let request = NextRequest { state: state.to_vec(), turn, answer: Some(answer) };
        self.call(Method::NEXT, &request)
    }

    /// Judges facts about the target.
    pub fn preflight(&self, facts: &[Fact], run_config: &[u8]) -> Result<Vec<Finding>> {
        let request = PreflightRequest { facts: facts.to_vec(), run_config: run_config.to_vec() };
        let r: PreflightResponse = self.call(Method::PREFLIGHT, &request)?;
        Ok(r.findings)
    }

    /// Judges one batch.
    pub fn check(&self, samples: &[Sample]) -> Result<CheckResponse> {
        let samples = samples.to_vec();
        self.call(Method::CHECK, &CheckRequest { samples })
    }

    /// Scores one batch.
    pub fn score(&self, samples: &[Sample]) -> Result<ScoreResponse> {
        let samples = samples.to_vec();
        self.call(Method::SCORE, &ScoreRequest { samples })
    }

    /// Counts the tokens of samples.
    pub fn count(&self, samples: &[Sample]) -> Result<Vec<TokenCount>> {
        let samples = samples.to_vec();
        let r: CountResponse = self.call(Method::COUNT, &CountRequest { samples })?;
        Ok(r.counts)
    }

    /// Folds the accounts in order and asks a validator for its verdict.
    pub fn conclude_check(
        &self,
        run: ConcludeRequest,
        accounts: &[Vec<u8>],
    ) -> Result<ConcludeCheckResponse> {
        let run = self.fold(Method::FOLD_CHECK, run, accounts)?;
        self.call(Method::CONCLUDE_CHECK, &run)
    }

    /// Folds the accounts in order and asks a scorer for its score.
    pub fn conclude_score(
        &self,
        run: ConcludeRequest,
        accounts: &[Vec<u8>],
    ) -> Result<ConcludeScoreResponse> {
        let run = self.fold(Method::FOLD_SCORE, run, accounts)?;
        self.call(Method::CONCLUDE_SCORE, &run)
    }

    fn fold(
        &self,
        method: Method,
        mut run: ConcludeRequest,
        accounts: &[Vec<u8>],
    ) -> Result<ConcludeRequest> {
        for batch in accounts {
            let request = FoldRequest { account: run.account, batch: batch.clone() };
            let r: FoldResponse = self.call(method, &request)?;
            run.account = r.account;
        }
        Ok(run)
    }
}

/// Sends a request as bytes and reads the reply.
fn call<R: Codec>(instance: &mut Instance, method: Method, request: &impl Codec) -> Result<R> {
    let reply = instance.invoke(method, &request.encode());
    Ok(R::decode(parse_reply(&reply)?)?)
}
