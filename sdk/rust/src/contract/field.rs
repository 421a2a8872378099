use super::wire::{Codec, DecodeError, DecodeFault, BLOB, END, FIXED32, FIXED64, START, VARINT};

const MAX_FIELD: u64 = (1 << 29) - 1;
const MAX_GROUP_DEPTH: usize = 100;

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
    pub(super) fn take(data: &mut &'a [u8]) -> Result<Field<'a>, DecodeError> {
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

fn unzigzag(v: u64) -> i64 {
    (v >> 1) as i64 ^ -((v & 1) as i64)
}
