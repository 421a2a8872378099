use std::fmt;

use crate::contract::{DecodeError, Fault};
use crate::json;

/// The result of everything that a component does.
pub type Result<T> = std::result::Result<T, Error>;

/// What kind of error a plugin reports; the numbers are those of google.rpc.Code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum Code {
    Cancelled = 1,
    /// The code of errors that name none.
    Unknown = 2,
    InvalidArgument = 3,
    DeadlineExceeded = 4,
    NotFound = 5,
    AlreadyExists = 6,
    PermissionDenied = 7,
    ResourceExhausted = 8,
    FailedPrecondition = 9,
    Aborted = 10,
    OutOfRange = 11,
    /// For CheckInputs and Preflight: there is nothing to object to.
    Unimplemented = 12,
    Internal = 13,
    Unavailable = 14,
    DataLoss = 15,
    Unauthenticated = 16,
}

const CODES: [Code; 16] = [
    Code::Cancelled,
    Code::Unknown,
    Code::InvalidArgument,
    Code::DeadlineExceeded,
    Code::NotFound,
    Code::AlreadyExists,
    Code::PermissionDenied,
    Code::ResourceExhausted,
    Code::FailedPrecondition,
    Code::Aborted,
    Code::OutOfRange,
    Code::Unimplemented,
    Code::Internal,
    Code::Unavailable,
    Code::DataLoss,
    Code::Unauthenticated,
];

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A code and a text for the person who runs the plugin. The instance goes on.
    Status(Code, String),
    /// What is wrong with a configuration or with inputs, each told so that a person can mend it. Opening functions
    /// return these; from any other call they become a status.
    Faults(Vec<Fault>),
}

impl Error {
    /// An error with a code.
    pub fn new(code: Code, text: impl Into<String>) -> Error {
        Error::Status(code, text.into())
    }

    /// An error of a kind that has no conversion of its own.
    pub fn other(cause: impl fmt::Display) -> Error {
        Error::new(Code::Unknown, cause.to_string())
    }

    /// The error of a call that this component does not have.
    pub fn unimplemented(what: impl fmt::Display) -> Error {
        let text = format!("{} is not offered by this component", what);
        Error::new(Code::Unimplemented, text)
    }

    /// The error's code; faults have that of invalid arguments.
    pub fn code(&self) -> Code {
        match self {
            Error::Status(code, _) => *code,
            Error::Faults(_) => Code::InvalidArgument,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let faults = match self {
            Error::Status(_, text) => return f.write_str(text),
            Error::Faults(faults) => faults,
        };
        match faults.as_slice() {
            [] => f.write_str("no faults"),
            [one] => one.fmt(f),
            [first, more @ ..] => write!(f, "{} (and {} more faults)", first, more.len()),
        }
    }
}

impl std::error::Error for Error {}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Error {
        Error::Faults(vec![fault])
    }
}

impl From<DecodeError> for Error {
    fn from(cause: DecodeError) -> Error {
        Error::new(Code::InvalidArgument, cause.to_string())
    }
}

impl From<json::Error> for Error {
    fn from(cause: json::Error) -> Error {
        Error::new(Code::InvalidArgument, cause.to_string())
    }
}

macro_rules! from_cause {
    ($($cause:ty),*) => {$(
        impl From<$cause> for Error {
            fn from(cause: $cause) -> Error {
                Error::other(cause)
            }
        }
    )*};
}

from_cause!(
    std::io::Error,
    std::str::Utf8Error,
    std::string::FromUtf8Error,
    std::num::ParseIntError,
    std::num::TryFromIntError,
    std::fmt::Error
);

/// Ways to say more of a fault: `Fault::new("empty", "no line in it").in_input("text").expecting("at least one line")`.
impl Fault {
    /// A fault with a stable code in kebab case and a text for people.
    pub fn new(code: &str, message: impl Into<String>) -> Fault {
        Fault { code: code.to_owned(), message: message.into(), ..Fault::default() }
    }

    /// Names the input that it is in.
    pub fn in_input(mut self, name: &str) -> Fault {
        self.input = name.to_owned();
        self
    }

    /// Names line, from 1, and offset in bytes.
    pub fn at_line(mut self, line: u64, offset: u64) -> Fault {
        self.line = line;
        self.offset = offset;
        self
    }

    /// Names a place in JSON by its JSON Pointer.
    pub fn at_pointer(mut self, pointer: impl Into<String>) -> Fault {
        self.pointer = pointer.into();
        self
    }

    /// Tells what was expected there.
    pub fn expecting(mut self, what: impl Into<String>) -> Fault {
        self.expected = what.into();
        self
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.pointer.is_empty() {
            write!(f, "{}: ", self.pointer)?;
        }
        f.write_str(&self.message)
    }
}

/// First bytes of a reply.
pub(crate) const MESSAGE: u8 = 0;
const STATUS: u8 = 1;

/// Bound of the text of a status in bytes.
const MAX_TEXT: usize = 4096;

/// Makes the reply that tells of an error.
pub(crate) fn status(error: &Error) -> Vec<u8> {
    let text = error.to_string();
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut reply = Vec::with_capacity(2 + end);
    reply.extend_from_slice(&[STATUS, error.code() as u8]);
    reply.extend_from_slice(&text.as_bytes()[..end]);
    reply
}

/// Splits a reply into the message or the error that it holds.
pub(crate) fn parse_reply(reply: &[u8]) -> Result<&[u8]> {
    match reply {
        [MESSAGE, message @ ..] => Ok(message),
        [STATUS, code @ 1..=16, text @ ..] if text.len() <= MAX_TEXT => {
            Err(Error::Status(CODES[usize::from(*code) - 1], String::from_utf8_lossy(text).into_owned()))
        }
        _ => Err(Error::new(Code::Internal, "malformed reply")),
    }
}
