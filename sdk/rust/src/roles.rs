use crate::contract::{
    Answer, CheckInputsResponse, CheckResponse, ConcludeCheckResponse, ConcludeRequest,
    ConcludeScoreResponse, Fact, Finding, NextResponse, Sample, ScoreResponse, TokenCount, Trajectory,
    WorkloadInfo,
};
use crate::error::{Error, Result};

/// Makes trajectories.
///
/// As for all roles: an answer depends on the arguments, the configuration, the inputs and the seed, and on nothing
/// else. The host repeats calls in other instances and compares.
pub trait Workload {
    /// How many trajectories there are and what they share.
    fn info(&self) -> WorkloadInfo;

    /// One trajectory: the same for the same arguments, in any instance on any machine. `index` counts from 0, `repeat`
    /// is 0 in the first pass.
    fn plan(&self, index: u64, repeat: u32, seed: &[u8]) -> Result<Trajectory>;

    /// One step of about a second at most of validating the inputs before a run sends anything. It goes on at the
    /// cursor, which is empty at first and opaque to the host, and reports at most `max_faults` faults, until it says
    /// done. Without it there is nothing to check.
    fn check_inputs(&self, cursor: &[u8], max_faults: u32) -> Result<CheckInputsResponse> {
        let _ = (cursor, max_faults);
        Err(Error::unimplemented("method 3"))
    }
}

/// A workload whose turns depend on the answers.
pub trait LiveWorkload: Workload {
    /// Folds a conversation: from the state that `plan` or the last `next` gave and the answer of one turn to the next
    /// state (at most 256 KiB) and the turns that follow, or the end. It keeps nothing itself.
    fn next(&self, state: &[u8], turn: u32, answer: &Answer) -> Result<NextResponse>;
}

/// Says whether what was measured may count.
pub trait Validator {
    /// Judges one batch of samples, ordered by trajectory, repeat and turn. A batch holds whole units. The account is
    /// what `fold` and `conclude` need of the batch, at most 1 MiB.
    fn check(&self, samples: &[Sample]) -> Result<CheckResponse>;

    /// Joins the running account, empty at first, and that of one batch, in batch order.
    fn fold(&self, account: &[u8], batch: &[u8]) -> Result<Vec<u8>>;

    /// Gives the verdict over the account of all batches.
    fn conclude(&self, run: &ConcludeRequest) -> Result<ConcludeCheckResponse>;

    /// Judges facts about the target before there is any load. A finding of severity error stops the run.
    fn preflight(&self, facts: &[Fact], run_config: &[u8]) -> Result<Vec<Finding>> {
        let _ = (facts, run_config);
        Err(Error::unimplemented("method 32"))
    }

    /// As [`Workload::check_inputs`].
    fn check_inputs(&self, cursor: &[u8], max_faults: u32) -> Result<CheckInputsResponse> {
        let _ = (cursor, max_faults);
        Err(Error::unimplemented("method 3"))
    }
}

/// Says how good the answers were.
pub trait Scorer {
    /// Scores one batch, as [`Validator::check`] judges one.
    fn score(&self, samples: &[Sample]) -> Result<ScoreResponse>;

    /// As [`Validator::fold`].
    fn fold(&self, account: &[u8], batch: &[u8]) -> Result<Vec<u8>>;

    /// Gives the score over the account of all batches.
    fn conclude(&self, run: &ConcludeRequest) -> Result<ConcludeScoreResponse>;

    /// As [`Workload::check_inputs`].
    fn check_inputs(&self, cursor: &[u8], max_faults: u32) -> Result<CheckInputsResponse> {
        let _ = (cursor, max_faults);
        Err(Error::unimplemented("method 3"))
    }
}

/// Counts tokens by a model's own tokenizer, after the run.
pub trait Counter {
    /// One count for each sample, in order. A count that is missing says why in its `reason`.
    fn count(&self, samples: &[Sample]) -> Result<Vec<TokenCount>>;

    /// As [`Workload::check_inputs`].
    fn check_inputs(&self, cursor: &[u8], max_faults: u32) -> Result<CheckInputsResponse> {
        let _ = (cursor, max_faults);
        Err(Error::unimplemented("method 3"))
    }
}
