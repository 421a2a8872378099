use echo::plugin;
use paceline::testing::{check_manifest, describe, open, Opened, Options};
use paceline::{Answer, Code, ConcludeRequest, Error, Kind, MessageBody, Result, Sample, Value};

fn over(text: &[u8]) -> Result<Opened> {
    open(plugin(), "repeat", Options::default().input("text", text))
}

#[test]
fn describes_itself() {
    let d = describe(plugin());
    assert_eq!((d.name.as_str(), d.components.len()), ("echo", 3));
    assert_eq!(d.components[2].kind, Kind::SCORER);
    let manifest = include_bytes!("../manifest.json");
    assert_eq!(check_manifest(plugin(), manifest), Vec::<String>::new());
    let other = String::from_utf8_lossy(manifest).replace("[\"text\"]", "[]");
    assert_eq!(check_manifest(plugin(), other.as_bytes()).len(), 1);
}

#[test]
fn plans_lines() -> Result<()> {
    let c = over(b"one\n\n\"two\"\r\ncut \xe2\x82")?;
    assert_eq!(c.response.workload.as_ref().map(|w| w.trajectories), Some(3));
    assert_eq!(c.logs(), ["1 3 lines"]);
    let plan = c.plan(1, 0, &[])?;
    assert_eq!(plan.id, "line-00000001");
    let ask = br#"{"role":"user","content":"Repeat exactly: \"two\""}"#.to_vec();
    assert_eq!(plan.turns[0].append[0].body, Some(MessageBody::Json(ask)));
    assert_eq!(c.plan(2, 0, &[])?.turns[0].truth, br#""cut \ufffd\ufffd""#);
    assert_eq!(c.plan(3, 0, &[]).unwrap_err().code(), Code::OutOfRange);
    Ok(())
}

#[test]
fn refuses_inputs() {
    let code = |r: Result<Opened>| match r.err() {
        Some(Error::Faults(faults)) => faults[0].code.clone(),
        other => panic!("got {:?}, want faults", other),
    };
    assert_eq!(code(over(b"\n")), "empty");
    assert_eq!(code(open(plugin(), "repeat", Options::default())), "missing-input");
}

fn answered(turn: u32, truth: &str, message: &[u8]) -> Sample {
    Sample {
        turn,
        truth: truth.into(),
        answer: Some(Answer { message: message.to_vec(), ..Default::default() }),
        ..Default::default()
    }
}

#[test]
fn scores() -> Result<()> {
    let c = open(plugin(), "exact", Options::default())?;
    let mut silent = answered(2, "\"three\"", b"");
    silent.answer = None;
    let batch = c.score(&[
        answered(0, "\"one\"", br#"{"content":"one"}"#),
        answered(1, "\"two\"", br#"{"content":"2"}"#),
        silent,
        answered(3, "", br#"{"content":"x"}"#),
        answered(4, "\"x\"", br#"{"content":["x"]}"#),
        answered(5, "\"x\"", br#"["content"]"#),
    ])?;
    let reasons: Vec<&str> = batch.items.iter().map(|i| i.reason.as_str()).collect();
    assert_eq!(reasons, ["", "", "no answer", "no truth", "no answer", "no answer"]);
    let end = c.conclude_score(ConcludeRequest::default(), &[batch.account.clone(), batch.account])?;
    let half = Value { name: "exact".into(), micro: 500_000, unit: "share".into() };
    assert_eq!((end.score, end.scored, end.complete), (Some(half), 4, true));
    let none = c.conclude_score(ConcludeRequest::default(), &[])?;
    assert!(!none.complete && !none.passed);
    let odd = c.conclude_score(ConcludeRequest::default(), &[vec![1, 2, 3]]);
    assert_eq!(odd.unwrap_err().to_string(), "an account has 16 bytes, not 3");
    Ok(())
}

#[test]
fn validates() -> Result<()> {
    let c = open(plugin(), "answered", Options::default())?;
    let turn = |turn: u32, outcome: &str| Sample { turn, outcome: outcome.into(), ..Default::default() };
    let batch = c.check(&[turn(0, "ok"), turn(1, "timeout")])?;
    assert_eq!((batch.findings.len(), batch.findings[0].message.as_str()), (1, "timeout"));
    assert!(!c.conclude_check(ConcludeRequest::default(), &[batch.account])?.passed);
    let good = c.check(&[turn(0, "ok")])?;
    assert!(c.conclude_check(ConcludeRequest::default(), &[good.account])?.passed);
    Ok(())
}
