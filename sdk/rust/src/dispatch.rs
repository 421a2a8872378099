//! What each kind of component answers, method by method. A kind that no component has is not linked.

use crate::contract::*;
use crate::error::{Code, Error, Result, MESSAGE};
use crate::roles::{Counter, LiveWorkload, Scorer, Validator, Workload};

/// An opened component of any kind.
pub(crate) trait Role {
    /// What OpenResponse says of a workload.
    fn info(&self) -> Option<WorkloadInfo> {
        None
    }

    /// Answers one request with a reply.
    fn answer(&self, method: Method, request: &[u8], held: &mut Held) -> Result<Vec<u8>>;
}

/// Makes the reply that holds a message.
pub(crate) fn reply<M: Codec>(message: &M) -> Result<Vec<u8>> {
    let mut reply = Vec::with_capacity(1 + message.encoded_len());
    reply.push(MESSAGE);
    message.append_to(&mut reply);
    Ok(reply)
}

pub(crate) fn unimplemented<T>(method: Method) -> Result<T> {
    Err(Error::unimplemented(format_args!("method {}", method.0)))
}

/// The samples of a batch that comes in several requests: as long as the last sample of a request says that its unit goes
/// on, samples are held and the reply is empty. The component sees the whole batch at once.
#[derive(Default)]
pub(crate) struct Held(Vec<Sample>);

impl Held {
    /// Takes a request's samples; gives the batch where it is whole.
    fn join(&mut self, mut samples: Vec<Sample>) -> Option<Vec<Sample>> {
        let goes_on = samples.last().map_or(false, |s| s.more);
        if !self.0.is_empty() {
            self.0.append(&mut samples);
            samples = std::mem::take(&mut self.0);
        }
        if goes_on {
            self.0 = samples;
            return None;
        }
        Some(samples)
    }
}

fn check_inputs(
    request: &[u8],
    step: impl FnOnce(&[u8], u32) -> Result<CheckInputsResponse>,
) -> Result<Vec<u8>> {
    let r = CheckInputsRequest::decode(request)?;
    reply(&step(&r.cursor, r.max_faults)?)
}

fn fold(request: &[u8], join: impl FnOnce(&[u8], &[u8]) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    let r = FoldRequest::decode(request)?;
    let account = join(&r.account, &r.batch)?;
    reply(&FoldResponse { account })
}

fn plan<W: Workload + ?Sized>(w: &W, request: &[u8]) -> Result<Vec<u8>> {
    let r = PlanRequest::decode(request)?;
    let trajectory = Some(w.plan(r.index, r.repeat, &r.seed)?);
    reply(&PlanResponse { trajectory })
}

pub(crate) struct WorkloadRole(pub Box<dyn Workload>);

impl Role for WorkloadRole {
    fn info(&self) -> Option<WorkloadInfo> {
        Some(self.0.info())
    }

    fn answer(&self, method: Method, request: &[u8], _: &mut Held) -> Result<Vec<u8>> {
        match method {
            Method::CHECK_INPUTS => check_inputs(request, |c, n| self.0.check_inputs(c, n)),
            Method::PLAN => plan(&*self.0, request),
            _ => unimplemented(method),
        }
    }
}

pub(crate) struct LiveRole(pub Box<dyn LiveWorkload>);

impl Role for LiveRole {
    fn info(&self) -> Option<WorkloadInfo> {
        Some(self.0.info())
    }

    fn answer(&self, method: Method, request: &[u8], _: &mut Held) -> Result<Vec<u8>> {
        match method {
            Method::CHECK_INPUTS => check_inputs(request, |c, n| self.0.check_inputs(c, n)),
            Method::PLAN => plan(&*self.0, request),
            Method::NEXT => {
                let r = NextRequest::decode(request)?;
                reply(&self.0.next(&r.state, r.turn, &r.answer.unwrap_or_default())?)
            }
            _ => unimplemented(method),
        }
    }
}

pub(crate) struct ValidatorRole(pub Box<dyn Validator>);

impl Role for ValidatorRole {
    fn answer(&self, method: Method, request: &[u8], held: &mut Held) -> Result<Vec<u8>> {
        match method {
            Method::CHECK_INPUTS => check_inputs(request, |c, n| self.0.check_inputs(c, n)),
            Method::PREFLIGHT => {
                let r = PreflightRequest::decode(request)?;
                let findings = self.0.preflight(&r.facts, &r.run_config)?;
                reply(&PreflightResponse { findings })
            }
            Method::CHECK => match held.join(CheckRequest::decode(request)?.samples) {
                Some(batch) => reply(&self.0.check(&batch)?),
                None => reply(&CheckResponse::default()),
            },
            Method::FOLD_CHECK => fold(request, |a, b| self.0.fold(a, b)),
            Method::CONCLUDE_CHECK => reply(&self.0.conclude(&ConcludeRequest::decode(request)?)?),
            _ => unimplemented(method),
        }
    }
}

pub(crate) struct ScorerRole(pub Box<dyn Scorer>);

impl Role for ScorerRole {
    fn answer(&self, method: Method, request: &[u8], held: &mut Held) -> Result<Vec<u8>> {
        match method {
            Method::CHECK_INPUTS => check_inputs(request, |c, n| self.0.check_inputs(c, n)),
            Method::SCORE => match held.join(ScoreRequest::decode(request)?.samples) {
                Some(batch) => reply(&self.0.score(&batch)?),
                None => reply(&ScoreResponse::default()),
            },
            Method::FOLD_SCORE => fold(request, |a, b| self.0.fold(a, b)),
            Method::CONCLUDE_SCORE => reply(&self.0.conclude(&ConcludeRequest::decode(request)?)?),
            _ => unimplemented(method),
        }
    }
}

pub(crate) struct CounterRole(pub Box<dyn Counter>);

impl Role for CounterRole {
    fn answer(&self, method: Method, request: &[u8], held: &mut Held) -> Result<Vec<u8>> {
        match method {
            Method::CHECK_INPUTS => check_inputs(request, |c, n| self.0.check_inputs(c, n)),
            Method::COUNT => match held.join(CountRequest::decode(request)?.samples) {
                Some(batch) => self.counted(&batch),
                None => reply(&CountResponse::default()),
            },
            _ => unimplemented(method),
        }
    }
}

impl CounterRole {
    fn counted(&self, batch: &[Sample]) -> Result<Vec<u8>> {
        let counts = self.0.count(batch)?;
        if counts.len() != batch.len() {
            let text = format!("{} counts for {} samples", counts.len(), batch.len());
            return Err(Error::new(Code::Internal, text));
        }
        reply(&CountResponse { counts })
    }
}
