//! The protobuf encoding, as far as the contract uses it.

use std::fmt;

use super::{Field, Sink};

pub(super) const VARINT: u8 = 0;
pub(super) const FIXED64: u8 = 1;
pub(super) const BLOB: u8 = 2;
pub(super) const START: u8 = 3;
pub(super) const END: u8 = 4;
pub(super) const FIXED32: u8 = 5;

/// A message of the contract.
pub trait Codec: Default {
    /// The message's name in the contract.
    const NAME: &'static str;

    /// Writes the fields that are set by rising number.
    fn write(&self, to: &mut Sink<'_>);

    /// Takes one field; one that the message does not have, or has in another form, is ignored.
    fn set(&mut self, field: &Field<'_>) -> Result<(), DecodeError>;

    /// Number of bytes that the message has on the wire.
    fn encoded_len(&self) -> usize {
        let mut count = Sink { to: None, len: 0 };
        self.write(&mut count);
        count.len
    }

    /// Appends the canonical bytes of the message.
    fn append_to(&self, bytes: &mut Vec<u8>) {
        bytes.reserve_exact(self.encoded_len());
        self.write(&mut Sink { to: Some(bytes), len: 0 });
    }

    /// The canonical bytes of the message.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.append_to(&mut bytes);
        bytes
    }

    /// The message that the bytes encode.
    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.merge(bytes)?;
        Ok(message)
    }

    /// Sets the fields that the bytes have; those that they do not have stay as they are.
    fn merge(&mut self, bytes: &[u8]) -> Result<(), DecodeError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            let field = Field::take(&mut rest).map_err(|e| e.within(Self::NAME))?;
            self.set(&field).map_err(|mut e| {
                if e.message.is_empty() {
                    e.field = field.number;
                }
                e.within(Self::NAME)
            })?;
        }
        Ok(())
    }
}

/// Why bytes are not the encoding of a message, and where that showed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// The message in which it showed, the innermost one.
    pub message: &'static str,
    /// The number of its field; 0 where the tag of a field itself is at fault.
    pub field: u32,
    /// What is wrong.
    pub fault: DecodeFault,
}

/// What is wrong with an encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecodeFault {
    /// It ends within a field.
    Truncated,
    /// A varint has more than 64 bits.
    Varint,
    /// A field's number is 0 or above 2^29 - 1.
    FieldNumber,
    /// A wire type that protobuf does not have.
    WireType,
    /// A group's end without its start, or with another number.
    Group,
    /// Unknown groups are nested more than 100 deep.
    Depth,
    /// A string is not valid UTF-8.
    Utf8,
}

impl From<DecodeFault> for DecodeError {
    fn from(fault: DecodeFault) -> Self {
        DecodeError { message: "", field: 0, fault }
    }
}

impl DecodeError {
    fn within(mut self, message: &'static str) -> Self {
        if self.message.is_empty() {
            self.message = message;
        }
        self
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "decode {}: ", self.message)?;
        if self.field != 0 {
            write!(f, "field {}: ", self.field)?;
        }
        f.write_str(match self.fault {
            DecodeFault::Truncated => "truncated",
            DecodeFault::Varint => "varint above 64 bits",
            DecodeFault::FieldNumber => "field number out of range",
            DecodeFault::WireType => "unknown wire type",
            DecodeFault::Group => "group without its end",
            DecodeFault::Depth => "groups nested too deeply",
            DecodeFault::Utf8 => "string is not valid UTF-8",
        })
    }
}

impl std::error::Error for DecodeError {}
