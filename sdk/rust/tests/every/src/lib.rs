//! A plugin for tests of the SDK: what the example has not, and a component that fails in each way.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use paceline::*;

const SCHEMA: &str = r#"{"type":"object","description":"takes nothing","additionalProperties":false}"#;

/// The plugin.
pub fn plugin() -> Plugin {
    let fails = |o: &mut Opening| Ok(Fails(o.input("names").ok(), o.log.clone()));
    Plugin::new("every", "0.1.0")
        .with(
            Component::live_workload("ask", "asks until it is told stop", Ask::open)
                .inputs(&["names"])
                .config_schema(SCHEMA),
        )
        .with(Component::validator("up", "wants the target up", |_| Ok(Up)).unit(Unit::CONVERSATION))
        .with(Component::counter("bytes", "counts bytes of the answer", |_| Ok(Bytes)))
        .with(Component::scorer("fails", "fails as its batch says", fails))
}

serve!(plugin);

/// Asks for each name, and again until the answer is stop.
struct Ask {
    names: Input,
    count: u64,
}

impl Ask {
    fn open(o: &mut Opening) -> Result<Ask> {
        if !o.config.is_empty() {
            let config = json::parse(&o.config)?;
            let unknown = config.fields().map(|(name, _)| {
                Fault::new("unknown-key", format!("there is no {}", name)).at_pointer(format!("/{}", name))
            });
            let faults: Vec<Fault> = unknown.collect();
            if !faults.is_empty() {
                return Err(Error::Faults(faults));
            }
        }
        let names = o.input("names")?;
        let count = match o.prepared.as_slice() {
            [] => BufReader::new(names.reader()).lines().count() as u64,
            prepared => String::from_utf8(prepared.to_vec())?.parse()?,
        };
        o.prepare = count.to_string().into_bytes();
        o.losses = vec!["accents".into()];
        Ok(Ask { names, count })
    }

    fn turn(index: u32, text: &str) -> Turn {
        let mut ask = br#"{"role":"user","content":"#.to_vec();
        json::quote(&mut ask, text);
        ask.push(b'}');
        Turn { index, append: vec![Message::json(ask)], ..Default::default() }
    }
}

impl Workload for Ask {
    fn info(&self) -> WorkloadInfo {
        WorkloadInfo { trajectories: self.count, live: true, ..Default::default() }
    }

    fn plan(&self, index: u64, repeat: u32, seed: &[u8]) -> Result<Trajectory> {
        let line = BufReader::new(self.names.reader()).lines().nth(index as usize);
        let name = line.ok_or_else(|| Error::new(Code::OutOfRange, "no such name"))??;
        Ok(Trajectory {
            id: format!("{}-{}-{}", index, repeat, seed.len()),
            turns: vec![Ask::turn(0, &name)],
            state: name.into_bytes(),
            ..Default::default()
        })
    }

    /// One line a step; the cursor is where the next one starts.
    fn check_inputs(&self, cursor: &[u8], max_faults: u32) -> Result<CheckInputsResponse> {
        let cursor = std::str::from_utf8(cursor)?;
        let (at, line, items) = match cursor.split(' ').collect::<Vec<_>>()[..] {
            [at, line, items] => (at.parse()?, line.parse()?, items.parse()?),
            _ => (0, 0, 0),
        };
        let mut scan = self.names.lines().max_line(20);
        scan.resume(at, line);
        let mut out = CheckInputsResponse::default();
        match scan.next_line() {
            Ok(Some(l)) => {
                if l.bytes.contains(&b' ') && max_faults > 0 {
                    let fault = Fault::new("blank", "a name has no blanks").in_input("names");
                    out.faults.push(fault.at_line(l.number, l.offset).expecting("a word"));
                }
                out.items = items + 1;
                out.cursor = format!("{} {} {}", l.next, l.number, out.items).into_bytes();
            }
            Ok(None) => {
                out.done = true;
                out.items = items;
            }
            Err(e) => {
                out.faults.push(Fault::new("line", e.to_string()).in_input("names"));
                out.done = true;
            }
        }
        Ok(out)
    }
}

impl LiveWorkload for Ask {
    fn next(&self, state: &[u8], turn: u32, answer: &Answer) -> Result<NextResponse> {
        let mut next = NextResponse { state: [state, b"+"].concat(), ..Default::default() };
        let message = json::parse(&answer.message)?;
        if message.get("content").and_then(|v| v.str()).as_deref() == Some("stop") {
            next.end = Some(End { outcome: "solved".into(), result: b"{}".to_vec() });
        } else {
            next.turns.push(Ask::turn(turn + 1, &json::lossy(state)));
        }
        Ok(next)
    }
}

struct Up;

impl Validator for Up {
    fn check(&self, samples: &[Sample]) -> Result<CheckResponse> {
        let ids: Vec<&str> = samples.iter().map(|s| s.trajectory.as_str()).collect();
        Ok(CheckResponse { account: ids.join(",").into_bytes(), ..Default::default() })
    }

    fn fold(&self, account: &[u8], batch: &[u8]) -> Result<Vec<u8>> {
        Ok([account, b";", batch].concat())
    }

    fn conclude(&self, run: &ConcludeRequest) -> Result<ConcludeCheckResponse> {
        Ok(ConcludeCheckResponse {
            passed: true,
            reason: String::from_utf8(run.account.clone())?,
            ..Default::default()
        })
    }

    fn preflight(&self, facts: &[Fact], _: &[u8]) -> Result<Vec<Finding>> {
        let down = facts.iter().filter(|f| f.status != 200);
        let finding = |f: &Fact| Finding {
            severity: Severity::ERROR,
            code: "down".into(),
            message: f.probe.clone(),
            ..Default::default()
        };
        Ok(down.map(finding).collect())
    }
}

struct Bytes;

impl Counter for Bytes {
    fn count(&self, samples: &[Sample]) -> Result<Vec<TokenCount>> {
        let answers = samples.iter().filter_map(|s| s.answer.as_ref());
        let count = |a: &Answer| TokenCount { output: Some(a.message.len() as u64), ..Default::default() };
        Ok(answers.map(count).collect())
    }
}

/// Fails as the trajectory of the first sample says.
struct Fails(Option<Input>, Logger);

impl Scorer for Fails {
    fn score(&self, samples: &[Sample]) -> Result<ScoreResponse> {
        let way = samples.first().map_or("", |s| s.trajectory.as_str());
        match way {
            "panic" => panic!("the batch has {} samples", samples.len()),
            "index" => {
                Ok(ScoreResponse { account: vec![samples[samples.len()].user as u8], ..Default::default() })
            }
            "memory" => {
                let mut all = Vec::new();
                loop {
                    all.push(vec![1u8; 1 << 20]);
                }
            }
            "loop" => loop {
                self.1.debug("again");
            },
            "long" => Err(Error::new(Code::DataLoss, "é".repeat(5000))),
            "input" => self.read_wildly(),
            _ => Err(Error::new(Code::Aborted, way)),
        }
    }

    fn fold(&self, account: &[u8], batch: &[u8]) -> Result<Vec<u8>> {
        Ok([account, batch].concat())
    }

    fn conclude(&self, _: &ConcludeRequest) -> Result<ConcludeScoreResponse> {
        Ok(ConcludeScoreResponse::default())
    }
}

impl Fails {
    /// Reads its input at all kinds of places and tells what it found in the account.
    fn read_wildly(&self) -> Result<ScoreResponse> {
        let input = self.0.as_ref().ok_or_else(|| Error::other("no input"))?;
        let mut told = Vec::new();
        let mut four = [0; 4];
        for at in [0, input.size() - 2, input.size(), u64::MAX] {
            let got = match input.read_at(&mut four, at) {
                Ok(n) => format!("{}:{};", n, json::lossy(&four[..n])),
                Err(e) => format!("{};", e),
            };
            told.extend_from_slice(got.as_bytes());
        }
        if let Err(e) = input.read_exact_at(&mut four, input.size() - 1) {
            told.extend_from_slice(e.to_string().as_bytes());
        }
        let mut reader = input.reader();
        reader.seek(SeekFrom::End(-3))?;
        reader.seek(SeekFrom::Current(1))?;
        reader.read_to_end(&mut told)?;
        if reader.seek(SeekFrom::Current(-1000)).is_ok() {
            told.push(b'!');
        }
        Ok(ScoreResponse { account: told, ..Default::default() })
    }
}
