use paceline::{
    json, Code, Error, Fault, Input, Message, Opening, Result, Trajectory, Turn, Workload, WorkloadInfo,
};

/// Holds where each line is; lines are read when they are planned.
pub struct Repeat {
    text: Input,
    lines: Vec<(u64, usize)>,
}

pub fn open(o: &mut Opening) -> Result<Repeat> {
    let text = o.input("text")?;
    let mut lines = Vec::new();
    let mut scan = text.lines();
    while let Some(line) = scan.next_line()? {
        lines.push((line.offset, line.bytes.len()));
    }
    if lines.is_empty() {
        let fault = Fault::new("empty", "no line in it").in_input("text");
        return Err(fault.expecting("at least one line").into());
    }
    o.log.info(format_args!("{} lines", lines.len()));
    Ok(Repeat { text, lines })
}

impl Workload for Repeat {
    fn info(&self) -> WorkloadInfo {
        WorkloadInfo {
            trajectories: self.lines.len() as u64,
            fixed: true,
            provenance: "recorded".into(),
            ..Default::default()
        }
    }

    fn plan(&self, index: u64, _repeat: u32, _seed: &[u8]) -> Result<Trajectory> {
        let found = usize::try_from(index).ok().and_then(|i| self.lines.get(i));
        let &(offset, length) = found.ok_or_else(|| {
            let text = format!("no line {}: there are {}", index, self.lines.len());
            Error::new(Code::OutOfRange, text)
        })?;
        let mut line = vec![0; length];
        self.text.read_exact_at(&mut line, offset)?;

        let mut ask = br#"{"role":"user","content":"#.to_vec();
        json::quote(&mut ask, [b"Repeat exactly: ", line.as_slice()].concat());
        ask.push(b'}');
        let mut truth = Vec::new();
        json::quote(&mut truth, &line);
        let turn = Turn {
            append: vec![Message::json(ask)],
            r#final: true,
            max_tokens: 256,
            truth,
            ..Default::default()
        };
        Ok(Trajectory { id: format!("line-{:08x}", index as u32), turns: vec![turn], ..Default::default() })
    }
}
