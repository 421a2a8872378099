use std::fmt::Display;
use std::io::{self, Read, Seek, SeekFrom};
use std::rc::Rc;

use crate::contract::{Capability, Fault, OpenRequest};
use crate::error::Result;
use crate::lines::{ReadAt, Scanner};

/// What an instance asks of the one who runs it: in a wasm module the ABI's imports, in tests memory.
pub trait Host {
    /// Takes a log line.
    fn log(&self, level: Level, text: &str);
    /// Copies bytes of an input into `to`. Returns how many, 0 at the end, or a negative number as the ABI has it.
    fn input_read(&self, handle: u32, offset: u64, to: &mut [u8]) -> i64;
}

/// The weight of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Level {
    /// What only the plugin's author needs.
    Debug = 0,
    /// What is good to know.
    Info = 1,
    /// What may be wrong.
    Warning = 2,
    /// What is wrong.
    Error = 3,
}

/// Writes lines for the person who runs or writes the plugin. They are bound in number and never part of a result.
#[derive(Clone)]
pub struct Logger(Rc<dyn Host>);

impl Logger {
    /// Logs at a level. A line may be text or `format_args!(...)`.
    pub fn log(&self, level: Level, line: impl Display) {
        self.0.log(level, &line.to_string());
    }
    /// Logs what only the plugin's author needs.
    pub fn debug(&self, line: impl Display) {
        self.log(Level::Debug, line);
    }
    /// Logs what is good to know.
    pub fn info(&self, line: impl Display) {
        self.log(Level::Info, line);
    }
    /// Logs what may be wrong.
    pub fn warn(&self, line: impl Display) {
        self.log(Level::Warning, line);
    }
    /// Logs what is wrong.
    pub fn error(&self, line: impl Display) {
        self.log(Level::Error, line);
    }
}

/// What a component is opened with, and where its opening function leaves what the host shall know.
pub struct Opening {
    /// The configuration, as JSON; it may be empty.
    pub config: Vec<u8>,
    /// 32 bytes that the host derived for this component.
    pub seed: Vec<u8>,
    /// The inputs that the run gives.
    pub inputs: Vec<Input>,
    /// What was granted.
    pub granted: Vec<Capability>,
    /// What an earlier opening with the same configuration and inputs left in `prepare`; empty: there was none.
    pub prepared: Vec<u8>,
    /// For log lines; clone it to keep it.
    pub log: Logger,
    /// For an index or the like that is slow to make, at most 64 MiB: the host keeps it and gives it to later openings
    /// of this component with the same configuration and inputs.
    pub prepare: Vec<u8>,
    /// What the source has and the contract cannot carry (importers).
    pub losses: Vec<String>,
}

impl Opening {
    pub(crate) fn new(request: OpenRequest, host: &Rc<dyn Host>) -> Opening {
        let input = |i: crate::contract::Input| Input {
            name: i.name.into(),
            sha256: i.sha256.into(),
            size: i.size,
            handle: i.handle,
            host: host.clone(),
        };
        Opening {
            config: request.config,
            seed: request.seed,
            inputs: request.inputs.into_iter().map(input).collect(),
            granted: request.granted,
            prepared: request.prepared,
            log: Logger(host.clone()),
            prepare: Vec::new(),
            losses: Vec::new(),
        }
    }

    /// The input of that name; the error is a fault that names it where the run gives none.
    pub fn input(&self, name: &str) -> Result<Input> {
        match self.inputs.iter().find(|i| i.name() == name) {
            Some(input) => Ok(input.clone()),
            None => Err(Fault::new("missing-input", format!("input {} is missing", name))
                .in_input(name)
                .expecting("a file")
                .into()),
        }
    }

    /// Whether a capability was granted.
    pub fn has(&self, capability: Capability) -> bool {
        self.granted.contains(&capability)
    }
}

/// One data set, read in place. It holds no buffer: read it in blocks of 64 KiB or more, or through
/// [`lines`](Input::lines).
#[derive(Clone)]
pub struct Input {
    name: Rc<str>,
    sha256: Rc<[u8]>,
    size: u64,
    handle: u32,
    host: Rc<dyn Host>,
}

impl Input {
    /// Its name, as the component wants it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// SHA-256 of the whole input; the host checked it.
    pub fn sha256(&self) -> &[u8] {
        &self.sha256
    }

    /// Its length in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Reads `to.len()` bytes at an offset; it is an error where the input ends before.
    pub fn read_exact_at(&self, to: &mut [u8], offset: u64) -> io::Result<()> {
        let mut done = 0;
        while done < to.len() {
            match self.read_at(&mut to[done..], offset.saturating_add(done as u64))? {
                0 => return Err(self.error(io::ErrorKind::UnexpectedEof, offset, "it ends there")),
                n => done += n,
            }
        }
        Ok(())
    }

    /// A reader over the input, for what wants [`std::io`].
    pub fn reader(&self) -> InputReader {
        InputReader { input: self.clone(), at: 0 }
    }

    /// A scanner at the first line.
    pub fn lines(&self) -> Scanner<Input> {
        Scanner::new(self.clone())
    }

    fn error(&self, kind: io::ErrorKind, offset: u64, what: &str) -> io::Error {
        io::Error::new(kind, format!("read input {} at {}: {}", self.name, offset, what))
    }
}

impl ReadAt for Input {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<usize> {
        let n = self.host.input_read(self.handle, offset, to);
        match n {
            -5 | -1 => {
                Err(self.error(io::ErrorKind::PermissionDenied, offset, "no such input, or not granted"))
            }
            -3 | -2 => Err(self.error(
                io::ErrorKind::InvalidInput,
                offset,
                "outside of memory or of the input's range",
            )),
            n if n < 0 => Err(self.error(io::ErrorKind::Other, offset, "the host could not read it")),
            n => Ok((n as usize).min(to.len())),
        }
    }
}

/// Reads an input from a place that moves. It has no buffer: put it into a [`std::io::BufReader`].
pub struct InputReader {
    input: Input,
    at: u64,
}

impl Read for InputReader {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read_at(to, self.at)?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for InputReader {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(by) => (self.input.size, by),
            SeekFrom::Current(by) => (self.at, by),
        };
        let at =
            if by < 0 { from.checked_sub(by.unsigned_abs()) } else { from.checked_add(by.unsigned_abs()) };
        match at {
            Some(at) => self.at = at,
            None => return Err(self.input.error(io::ErrorKind::InvalidInput, from, "seek out of range")),
        }
        Ok(self.at)
    }
}
