//! The protobuf encoding, as far as the contract uses it.

use std::fmt;

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const BLOB: u8 = 2;
const START: u8 = 3;
const END: u8 = 4;
const FIXED32: u8 = 5;

const MAX_FIELD: u64 = (1 << 29) - 1;
const MAX_GROUP_DEPTH: usize = 100;

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

/// Receives what [`Codec::write`] writes, field by field, or only counts its bytes. What has no `present_` in its name
/// leaves out zero values.
pub struct Sink<'a> {
    to: Option<&'a mut Vec<u8>>, // none: count
    len: usize,
}

impl Sink<'_> {
    /// A number of 7 bits a byte, the lowest first.
    fn varint(&mut self, mut v: u64) {
        match &mut self.to {
            None => self.len += varint_len(v),
            Some(to) => {
                while v >= 0x80 {
                    to.push(v as u8 | 0x80);
                    v >>= 7;
                }
                to.push(v as u8);
            }
        }
    }
    /// Tag and length of a field with `n` bytes in it.
    #[inline(never)]
    fn head(&mut self, number: u32, n: usize) {
        self.varint(u64::from(number) << 3 | u64::from(BLOB));
        self.varint(n as u64);
    }
    #[inline(never)]
    fn present_u64(&mut self, number: u32, v: u64) {
        self.varint(u64::from(number) << 3);
        self.varint(v);
    }
    #[inline(never)]
    pub(crate) fn present_bytes(&mut self, number: u32, v: &[u8]) {
        self.head(number, v.len());
        match &mut self.to {
            None => self.len += v.len(),
            Some(to) => to.extend_from_slice(v),
        }
    }
    pub(crate) fn present_u32(&mut self, number: u32, v: &u32) {
        self.present_u64(number, (*v).into());
    }
    pub(crate) fn present_message<M: Codec>(&mut self, number: u32, m: &M) {
        self.head(number, m.encoded_len());
        m.write(self);
    }
    pub(crate) fn u64(&mut self, number: u32, v: u64) {
        if v != 0 {
            self.present_u64(number, v);
        }
    }
    pub(crate) fn u32(&mut self, number: u32, v: u32) {
        self.u64(number, v.into());
    }
    pub(crate) fn s64(&mut self, number: u32, v: i64) {
        self.u64(number, zigzag(v));
    }
    pub(crate) fn bool(&mut self, number: u32, v: bool) {
        self.u64(number, v.into());
    }
    pub(crate) fn value<E: Into<i32>>(&mut self, number: u32, v: E) {
        self.u64(number, wide(v));
    }
    pub(crate) fn opt_u64(&mut self, number: u32, v: Option<u64>) {
        if let Some(v) = v {
            self.present_u64(number, v);
        }
    }
    pub(crate) fn opt_u32(&mut self, number: u32, v: Option<u32>) {
        self.opt_u64(number, v.map(u64::from));
    }
    pub(crate) fn opt_s64(&mut self, number: u32, v: Option<i64>) {
        self.opt_u64(number, v.map(zigzag));
    }
    pub(crate) fn bytes(&mut self, number: u32, v: &[u8]) {
        if !v.is_empty() {
            self.present_bytes(number, v);
        }
    }
    pub(crate) fn text(&mut self, number: u32, v: &str) {
        self.bytes(number, v.as_bytes());
    }
    pub(crate) fn texts(&mut self, number: u32, list: &[String]) {
        for v in list {
            self.present_bytes(number, v.as_bytes());
        }
    }
    pub(crate) fn u32s(&mut self, number: u32, list: &[u32]) {
        self.packed(number, list.iter().map(|&v| v.into()));
    }
    pub(crate) fn values<E: Into<i32> + Copy>(&mut self, number: u32, list: &[E]) {
        self.packed(number, list.iter().map(|&v| wide(v)));
    }
    fn packed(&mut self, number: u32, list: impl Iterator<Item = u64> + Clone) {
        let n = list.clone().map(varint_len).sum();
        if n > 0 {
            self.head(number, n);
            list.for_each(|v| self.varint(v));
        }
    }
    pub(crate) fn message<M: Codec>(&mut self, number: u32, m: &Option<M>) {
        if let Some(m) = m {
            self.present_message(number, m);
        }
    }
    pub(crate) fn messages<M: Codec>(&mut self, number: u32, list: &[M]) {
        for m in list {
            self.present_message(number, m);
        }
    }
}

fn varint_len(v: u64) -> usize {
    (70 - (v | 1).leading_zeros() as usize) / 7
}

fn zigzag(v: i64) -> u64 {
    (v << 1 ^ v >> 63) as u64
}

fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}

/// An enum's number as it is sent: a negative one has all 64 bits.
fn wide<E: Into<i32>>(v: E) -> u64 {
    i64::from(v.into()) as u64
}

/// One field as it was read.
pub struct Field<'a> {
    /// The field's number.
    pub number: u32,
    wire: u8,
    varint: u64,
    blob: &'a [u8],
}

impl<'a> Field<'a> {
    /// Takes the first field of `data`.
    fn take(data: &mut &'a [u8]) -> Result<Field<'a>, DecodeError> {
        let (number, wire) = take_tag(data)?;
        let mut f = Field { number, wire, varint: 0, blob: &[] };
        let took = match wire {
            VARINT => take_varint(data).map(|v| f.varint = v),
            BLOB => take_blob(data).map(|b| f.blob = b),
            START => skip_group(data, number),
            _ => skip_fixed(data, wire),
        };
        took.map_err(|fault| DecodeError { message: "", field: number, fault })?;
        Ok(f)
    }

    /// Whether the field holds bytes: a text, a message or a packed list.
    pub fn is_blob(&self) -> bool {
        self.wire == BLOB
    }

    fn number_as<T>(&self, to: &mut T, form: impl Fn(u64) -> T) -> Result<(), DecodeError> {
        if self.wire == VARINT {
            *to = form(self.varint);
        }
        Ok(())
    }
    pub(crate) fn u32(&self, to: &mut u32) -> Result<(), DecodeError> {
        self.number_as(to, |v| v as u32)
    }
    pub(crate) fn u64(&self, to: &mut u64) -> Result<(), DecodeError> {
        self.number_as(to, |v| v)
    }
    pub(crate) fn s64(&self, to: &mut i64) -> Result<(), DecodeError> {
        self.number_as(to, unzigzag)
    }
    pub(crate) fn bool(&self, to: &mut bool) -> Result<(), DecodeError> {
        self.number_as(to, |v| v != 0)
    }
    pub(crate) fn value<E: From<i32>>(&self, to: &mut E) -> Result<(), DecodeError> {
        self.number_as(to, |v| E::from(v as i32))
    }
    pub(crate) fn opt_u32(&self, to: &mut Option<u32>) -> Result<(), DecodeError> {
        self.number_as(to, |v| Some(v as u32))
    }
    pub(crate) fn opt_u64(&self, to: &mut Option<u64>) -> Result<(), DecodeError> {
        self.number_as(to, Some)
    }
    pub(crate) fn opt_s64(&self, to: &mut Option<i64>) -> Result<(), DecodeError> {
        self.number_as(to, |v| Some(unzigzag(v)))
    }
    pub(crate) fn member_u32(&self, to: impl FnOnce(u32)) -> Result<(), DecodeError> {
        if self.wire == VARINT {
            to(self.varint as u32);
        }
        Ok(())
    }
    pub(crate) fn member_bytes(&self, to: impl FnOnce(Vec<u8>)) -> Result<(), DecodeError> {
        if self.is_blob() {
            to(self.blob.to_vec());
        }
        Ok(())
    }
    pub(crate) fn bytes(&self, to: &mut Vec<u8>) -> Result<(), DecodeError> {
        self.member_bytes(|b| *to = b)
    }
    pub(crate) fn text(&self, to: &mut String) -> Result<(), DecodeError> {
        if self.is_blob() {
            *to = self.str()?;
        }
        Ok(())
    }
    pub(crate) fn texts(&self, to: &mut Vec<String>) -> Result<(), DecodeError> {
        if self.is_blob() {
            to.push(self.str()?);
        }
        Ok(())
    }
    fn str(&self) -> Result<String, DecodeFault> {
        match std::str::from_utf8(self.blob) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(DecodeFault::Utf8),
        }
    }
    fn list(&self, mut each: impl FnMut(u64)) -> Result<(), DecodeError> {
        let mut rest = self.blob;
        if self.wire == VARINT {
            each(self.varint);
        }
        while !rest.is_empty() {
            each(take_varint(&mut rest)?);
        }
        Ok(())
    }
    pub(crate) fn u32s(&self, to: &mut Vec<u32>) -> Result<(), DecodeError> {
        self.list(|v| to.push(v as u32))
    }
    pub(crate) fn values<E: From<i32>>(&self, to: &mut Vec<E>) -> Result<(), DecodeError> {
        self.list(|v| to.push(E::from(v as i32)))
    }
    /// Sets the fields of `m` that this field's bytes have.
    pub(crate) fn join<M: Codec>(&self, m: &mut M) -> Result<(), DecodeError> {
        m.merge(self.blob)
    }
    pub(crate) fn message<M: Codec>(&self, to: &mut Option<M>) -> Result<(), DecodeError> {
        if self.is_blob() {
            self.join(to.get_or_insert_with(M::default))?;
        }
        Ok(())
    }
    pub(crate) fn messages<M: Codec>(&self, to: &mut Vec<M>) -> Result<(), DecodeError> {
        if self.is_blob() {
            to.push(M::decode(self.blob)?);
        }
        Ok(())
    }
}

fn take_tag(data: &mut &[u8]) -> Result<(u32, u8), DecodeFault> {
    let tag = take_varint(data)?;
    let number = tag >> 3;
    if number == 0 || number > MAX_FIELD {
        return Err(DecodeFault::FieldNumber);
    }
    Ok((number as u32, (tag & 7) as u8))
}

fn take_varint(data: &mut &[u8]) -> Result<u64, DecodeFault> {
    let mut v = 0;
    for i in 0..10 {
        let c = *data.get(i).ok_or(DecodeFault::Truncated)?;
        if i == 9 && c > 1 {
            break;
        }
        v |= u64::from(c & 0x7f) << (7 * i);
        if c < 0x80 {
            *data = &data[i + 1..];
            return Ok(v);
        }
    }
    Err(DecodeFault::Varint)
}

fn take_blob<'a>(data: &mut &'a [u8]) -> Result<&'a [u8], DecodeFault> {
    let n = take_varint(data)?;
    if n > data.len() as u64 {
        return Err(DecodeFault::Truncated);
    }
    let (blob, rest) = data.split_at(n as usize);
    *data = rest;
    Ok(blob)
}

fn skip_fixed(data: &mut &[u8], wire: u8) -> Result<(), DecodeFault> {
    let n = match wire {
        FIXED64 => 8,
        FIXED32 => 4,
        END => return Err(DecodeFault::Group),
        _ => return Err(DecodeFault::WireType),
    };
    *data = data.get(n..).ok_or(DecodeFault::Truncated)?;
    Ok(())
}

/// Skips a group of the old encoding with all that it holds: the contract has none, but what is unknown is skipped.
fn skip_group(data: &mut &[u8], number: u32) -> Result<(), DecodeFault> {
    let mut open = vec![number];
    while let Some(&innermost) = open.last() {
        let (number, wire) = take_tag(data)?;
        match wire {
            END if number == innermost => {
                open.pop();
            }
            END => return Err(DecodeFault::Group),
            START if open.len() == MAX_GROUP_DEPTH => return Err(DecodeFault::Depth),
            START => open.push(number),
            VARINT => {
                take_varint(data)?;
            }
            BLOB => {
                take_blob(data)?;
            }
            _ => skip_fixed(data, wire)?,
        }
    }
    Ok(())
}
