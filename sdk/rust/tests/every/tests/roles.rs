//! What an instance answers, through the bytes that a host would send.

use std::rc::Rc;

use every::plugin;
use paceline::contract::{FoldResponse, Method, OpenRequest, PlanRequest};
use paceline::testing::{check_manifest, describe, open, Opened, Options};
use paceline::*;

fn names(text: &str) -> Options {
    Options::default().input("names", text)
}

fn refused<T>(result: Result<T>) -> (Code, String) {
    let e = result.err().expect("it was not refused");
    (e.code(), e.to_string())
}

fn answer(text: &str) -> Answer {
    Answer {
        message: format!(r#"{{"role":"assistant","content":"{}"}}"#, text).into_bytes(),
        ..Default::default()
    }
}

#[test]
fn agrees_with_its_manifest() {
    let manifest = include_str!("../manifest.json");
    assert_eq!(check_manifest(plugin(), manifest.as_bytes()), Vec::<String>::new());
    for (part, other) in [
        ("\"every\"", "\"other\""),
        ("0.1.0", "0.1.1"),
        ("pure\"}\n", "wasi_deterministic\"}\n"),
        ("object", "array"),
    ] {
        let faults = check_manifest(plugin(), manifest.replace(part, other).as_bytes());
        assert_eq!(faults.len(), 1, "{}: {:?}", other, faults);
    }
    assert_eq!(check_manifest(plugin(), b"{").len(), 1);
    assert_eq!(check_manifest(plugin(), b"{}").len(), 4);
    assert_eq!(describe(plugin()).sdk, "rust/1");
}

#[test]
fn definitions_are_checked() {
    let c = |name: &str| Component::counter(name, "", |_| Err::<NoCounter, _>(Error::other("")));
    let plugin = Plugin::new("Bad name", "1").with(c("a")).with(c("a")).with(c("-b"));
    assert_eq!(plugin.check().len(), 4, "{:?}", plugin.check());
    assert!(Plugin::new("a-1", "0.1.0").with(c("b2")).check().is_empty());
}

struct NoCounter;

impl Counter for NoCounter {
    fn count(&self, _: &[Sample]) -> Result<Vec<TokenCount>> {
        Ok(Vec::new())
    }
}

#[test]
fn live_conversation() -> Result<()> {
    let c = open(plugin(), "ask", names("ann\nbob"))?;
    let info = c.response.workload.clone().unwrap();
    assert_eq!((info.trajectories, info.live), (2, true));
    assert_eq!((c.response.prepared.as_slice(), c.response.losses.len()), (&b"2"[..], 1));
    let plan = c.plan(1, 3, &[7; 32])?;
    assert_eq!((plan.id.as_str(), plan.state.as_slice()), ("1-3-32", &b"bob"[..]));
    let on = c.next(&plan.state, 0, answer("more"))?;
    assert_eq!((on.state.as_slice(), on.turns[0].index, on.end), (&b"bob+"[..], 1, None));
    let end = c.next(&on.state, 1, answer("stop"))?.end.unwrap();
    assert_eq!(end.outcome, "solved");
    let (code, text) = refused(c.next(b"", 0, Answer::default()));
    assert_eq!((code, text.as_str()), (Code::InvalidArgument, "JSON at byte 0: a value is expected"));
    let mut again = names("ann\nbob");
    again.prepared = b"9".to_vec();
    assert_eq!(open(plugin(), "ask", again)?.response.workload.unwrap().trajectories, 9);
    Ok(())
}

#[test]
fn checks_inputs_step_by_step() -> Result<()> {
    let c = open(plugin(), "ask", names("ann\nno name\n\nbob\n a line that is too long \nx"))?;
    let (faults, items) = c.check_inputs()?;
    let told: Vec<(u64, u64, &str)> = faults.iter().map(|f| (f.line, f.offset, f.message.as_str())).collect();
    assert_eq!(told, [(2, 4, "a name has no blanks"), (0, 0, "line 5: line too long")]);
    assert_eq!(items, 0);
    assert_eq!(open(plugin(), "ask", names("a\nb"))?.check_inputs()?, (Vec::new(), 2));
    let c = open(plugin(), "up", Options::default())?;
    let (code, text) = refused(c.check_inputs());
    assert_eq!((code, text.as_str()), (Code::Unimplemented, "method 3 is not offered by this component"));
    Ok(())
}

#[test]
fn faults_of_a_configuration() {
    let options = Options::config(r#"{"colour":1,"size":2}"#).input("names", "x");
    match open(plugin(), "ask", options).err() {
        Some(Error::Faults(faults)) => {
            let at: Vec<&str> = faults.iter().map(|f| f.pointer.as_str()).collect();
            assert_eq!(at, ["/colour", "/size"]);
        }
        other => panic!("got {:?}", other),
    }
    let (code, _) = refused(open(plugin(), "ask", Options::config("{").input("names", "x")));
    assert_eq!(code, Code::InvalidArgument);
}

#[test]
fn order_of_calls() -> Result<()> {
    let (code, text) = refused(open(plugin(), "none", Options::default()));
    assert_eq!((code, text.as_str()), (Code::NotFound, "plugin every has no component none"));
    let c = open(plugin(), "up", Options::default())?;
    let again: Result<FoldResponse> = c.call(Method::OPEN, &OpenRequest::default());
    assert_eq!(refused(again).0, Code::FailedPrecondition);
    for method in [Method::PLAN, Method::NEXT, Method::SCORE, Method::COUNT, Method::EVALUATE, Method(77)] {
        let other: Result<FoldResponse> = c.call(method, &PlanRequest::default());
        assert_eq!(refused(other).0, Code::Unimplemented, "{:?}", method);
    }
    Ok(())
}

#[test]
fn batch_in_several_requests() -> Result<()> {
    let c = open(plugin(), "up", Options::default())?;
    let sample = |id: &str, more: bool| Sample { trajectory: id.into(), more, ..Default::default() };
    assert_eq!(c.check(&[sample("a", false), sample("b", true)])?, CheckResponse::default());
    assert_eq!(c.check(&[sample("b", true)])?, CheckResponse::default());
    assert_eq!(c.check(&[sample("b", false), sample("c", false)])?.account, b"a,b,b,b,c");
    assert_eq!(c.check(&[sample("d", false)])?.account, b"d");
    assert_eq!(c.check(&[])?.account, b"");
    let end = c.conclude_check(ConcludeRequest::default(), &[b"a".to_vec(), b"b".to_vec()])?;
    assert_eq!(end.reason, ";a;b");
    Ok(())
}

#[test]
fn preflight() -> Result<()> {
    let fact = |probe: &str, status: u32| Fact { probe: probe.into(), status, ..Default::default() };
    let c = open(plugin(), "up", Options::default())?;
    let findings = c.preflight(&[fact("a", 200), fact("b", 0)], b"{}")?;
    assert_eq!((findings.len(), findings[0].message.as_str()), (1, "b"));
    Ok(())
}

#[test]
fn counts() -> Result<()> {
    let c = open(plugin(), "bytes", Options::default())?;
    let with = |answer: Option<Answer>| Sample { answer, ..Default::default() };
    let message = answer("x");
    let length = message.message.len() as u64;
    assert_eq!(c.count(&[with(Some(message))])?[0].output, Some(length));
    let (code, text) = refused(c.count(&[with(None)]));
    assert_eq!((code, text.as_str()), (Code::Internal, "0 counts for 1 samples"));
    Ok(())
}

fn fail(c: &Opened, way: &str) -> Result<ScoreResponse> {
    c.score(&[Sample { trajectory: way.into(), ..Default::default() }])
}

#[test]
fn failures() -> Result<()> {
    let c = open(plugin(), "fails", names("0123456789"))?;
    assert_eq!(refused(fail(&c, "so")), (Code::Aborted, "so".into()));
    let (code, text) = refused(fail(&c, "long"));
    assert_eq!((code, text.len(), text.chars().all(|c| c == 'é')), (Code::DataLoss, 4096, true));
    let told = String::from_utf8(fail(&c, "input")?.account)?;
    assert_eq!(
        told,
        "4:0123;2:89;0:;read input names at 18446744073709551615: outside of memory or of the input's range;\
         read input names at 9: it ends there89"
    );
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| fail(&c, "panic")));
    assert!(unwound.is_err(), "a panic must pass through");
    Ok(())
}

/// A host that has nothing.
struct Nothing;

impl Host for Nothing {
    fn log(&self, _: Level, _: &str) {}
    fn input_read(&self, _: u32, _: u64, _: &mut [u8]) -> i64 {
        -1
    }
}

#[test]
fn raw_requests() {
    let mut instance = Instance::new(plugin(), Rc::new(Nothing));
    let mut ask = |method: Method, request: &[u8]| {
        String::from_utf8_lossy(&instance.invoke(method, request)).into_owned()
    };
    assert_eq!(ask(Method::CHECK, b""), "\x01\x09method 33 before open");
    assert_eq!(ask(Method::OPEN, b"\x0a\x02up\xf8\x07\x01"), "\0");
    assert_eq!(ask(Method::CHECK, b"\x0a\x02\x12\x00\xf8\x07\x01"), "\0");
    assert_eq!(ask(Method::CHECK, b"\x0a\x02\x12\x05"), "\x01\x03decode Sample: field 2: truncated");
    assert_eq!(ask(Method::CHECK, b"\xff"), "\x01\x03decode CheckRequest: truncated");
    assert!(ask(Method::DESCRIBE, b"\xff").starts_with("\0\x0a\x05every"));
}
