use std::borrow::Cow;

use paceline::{
    json, CheckResponse, Code, ConcludeCheckResponse, ConcludeRequest, ConcludeScoreResponse, Error, Finding,
    ItemScore, Result, Sample, ScoreResponse, Scorer, Severity, Validator, Value,
};

/// The account of both judges: two counters of 8 bytes.
#[derive(Default)]
struct Tally {
    all: u64,
    good: u64,
}

impl Tally {
    fn bytes(&self) -> Vec<u8> {
        [self.all.to_be_bytes(), self.good.to_be_bytes()].concat()
    }

    fn parse(account: &[u8]) -> Result<Tally> {
        if account.is_empty() {
            return Ok(Tally::default());
        }
        let both: [u8; 16] = account.try_into().map_err(|_| {
            let text = format!("an account has 16 bytes, not {}", account.len());
            Error::new(Code::InvalidArgument, text)
        })?;
        let both = u128::from_be_bytes(both);
        Ok(Tally { all: (both >> 64) as u64, good: both as u64 })
    }

    fn fold(account: &[u8], batch: &[u8]) -> Result<Vec<u8>> {
        let (a, b) = (Tally::parse(account)?, Tally::parse(batch)?);
        let sum = Tally { all: a.all.wrapping_add(b.all), good: a.good.wrapping_add(b.good) };
        Ok(sum.bytes())
    }
}

pub struct Answered;

impl Validator for Answered {
    fn check(&self, samples: &[Sample]) -> Result<CheckResponse> {
        let missing = samples.iter().filter(|s| s.outcome != "ok");
        let findings: Vec<Finding> = missing.map(no_answer).collect();
        let all = samples.len() as u64;
        let good = all - findings.len() as u64;
        let account = Tally { all, good }.bytes();
        Ok(CheckResponse { findings, account })
    }

    fn fold(&self, account: &[u8], batch: &[u8]) -> Result<Vec<u8>> {
        Tally::fold(account, batch)
    }

    fn conclude(&self, run: &ConcludeRequest) -> Result<ConcludeCheckResponse> {
        let sum = Tally::parse(&run.account)?;
        let passed = sum.all > 0 && sum.all == sum.good;
        let reason = if passed { "" } else { "turns without an answer" };
        Ok(ConcludeCheckResponse { passed, reason: reason.into(), ..Default::default() })
    }
}

fn no_answer(s: &Sample) -> Finding {
    Finding {
        severity: Severity::ERROR,
        code: "no-answer".into(),
        message: s.outcome.clone(),
        trajectory: s.trajectory.clone(),
        repeat: s.repeat,
        turn: s.turn,
        ..Default::default()
    }
}

pub struct Exact;

impl Scorer for Exact {
    fn score(&self, samples: &[Sample]) -> Result<ScoreResponse> {
        let mut sum = Tally::default();
        let items = samples.iter().map(|s| score(s, &mut sum)).collect();
        Ok(ScoreResponse { items, account: sum.bytes() })
    }

    fn fold(&self, account: &[u8], batch: &[u8]) -> Result<Vec<u8>> {
        Tally::fold(account, batch)
    }

    fn conclude(&self, run: &ConcludeRequest) -> Result<ConcludeScoreResponse> {
        let sum = Tally::parse(&run.account)?;
        let share = sum.good.wrapping_mul(1_000_000).checked_div(sum.all);
        Ok(ConcludeScoreResponse {
            score: Some(Value {
                name: "exact".into(),
                micro: share.unwrap_or(0) as i64,
                unit: "share".into(),
            }),
            higher_is_better: true,
            passed: share.is_some(),
            complete: share.is_some(),
            scored: sum.all,
            ..Default::default()
        })
    }
}

fn score(s: &Sample, sum: &mut Tally) -> ItemScore {
    let mut item = ItemScore {
        trajectory: s.trajectory.clone(),
        repeat: s.repeat,
        turn: Some(s.turn),
        ..Default::default()
    };
    let got = s.answer.as_ref().and_then(|a| content(&a.message));
    match (got, text(json::parse(&s.truth).ok())) {
        (None, _) => item.reason = "no answer".into(),
        (_, None) => item.reason = "no truth".into(),
        (Some(got), Some(want)) => {
            item.scored = true;
            sum.all += 1;
            if got == want {
                item.micro = 1_000_000;
                sum.good += 1;
            }
        }
    }
    item
}

/// The text of a chat message; none where it is no such message.
fn content(message: &[u8]) -> Option<Cow<'_, str>> {
    let message = json::parse(message).ok()?;
    if message.kind() != json::Kind::Object && !message.is_null() {
        return None;
    }
    let member = |name: &str| match message.get(name) {
        Some(v) => text(Some(v)),
        None => Some(Cow::Borrowed("")),
    };
    member("role")?;
    member("content")
}

/// The text of a value, empty for null; none where it is of another kind or not there.
fn text(value: Option<json::Value<'_>>) -> Option<Cow<'_, str>> {
    let value = value?;
    if value.is_null() {
        return Some(Cow::Borrowed(""));
    }
    value.str()
}
