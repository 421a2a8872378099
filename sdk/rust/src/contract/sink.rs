use super::wire::{Codec, BLOB};

/// Receives what [`Codec::write`] writes, field by field, or only counts its bytes. What has no `present_` in its name
/// leaves out zero values.
pub struct Sink<'a> {
    pub(super) to: Option<&'a mut Vec<u8>>, // none: count
    pub(super) len: usize,
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

/// An enum's number as it is sent: a negative one has all 64 bits.
fn wide<E: Into<i32>>(v: E) -> u64 {
    i64::from(v.into()) as u64
}
