//! JSON, as far as plugins need it: [`parse`] checks a document once and gives a [`Value`] that reads it in place, and
//! [`quote`] writes a string. Nothing is copied but strings with escapes, and no input makes it recurse.
//!
//! ```
//! let doc = paceline::json::parse(br#"{"content": "h\u00e9", "tool_calls": [{"id": "a"}]}"#)?;
//! assert_eq!(doc.get("content").and_then(|v| v.str()).as_deref(), Some("hé"));
//! let calls = doc.get("tool_calls").into_iter().flat_map(|v| v.items());
//! assert_eq!(calls.count(), 1);
//! # Ok::<(), paceline::json::Error>(())
//! ```

mod cursor;
#[cfg(test)]
mod tests;
mod text;

use std::borrow::Cow;
use std::fmt;

use cursor::Cursor;
use text::unquote;

pub use text::{lossy, quote};

/// How deep arrays and objects may be nested.
pub const MAX_DEPTH: usize = 10_000;

/// Why bytes are not a JSON document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where in the document it showed.
    pub offset: usize,
    /// What was expected there, or what is wrong.
    pub what: &'static str,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JSON at byte {}: {}", self.offset, self.what)
    }
}

impl std::error::Error for Error {}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// One value of a document that was checked as a whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Value<'a>(&'a [u8]);

/// Checks a document and gives its value. Bytes of strings that are not UTF-8 are let through: [`Value::str`] replaces
/// them.
pub fn parse(document: &[u8]) -> Result<Value<'_>, Error> {
    let mut c = Cursor { doc: document, at: 0 };
    c.blanks();
    let start = c.at;
    c.check()?;
    let end = c.at;
    c.blanks();
    if c.at < document.len() {
        return Err(c.wants("the end of the document"));
    }
    Ok(Value(&document[start..end]))
}

impl<'a> Value<'a> {
    /// What it is.
    pub fn kind(self) -> Kind {
        match self.0[0] {
            b'n' => Kind::Null,
            b't' | b'f' => Kind::Bool,
            b'"' => Kind::String,
            b'[' => Kind::Array,
            b'{' => Kind::Object,
            _ => Kind::Number,
        }
    }

    /// Its bytes as they stand in the document.
    pub fn bytes(self) -> &'a [u8] {
        self.0
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The flag that it is.
    pub fn bool(self) -> Option<bool> {
        match self.kind() {
            Kind::Bool => Some(self.0[0] == b't'),
            _ => None,
        }
    }

    /// The number that it is, as it is written.
    pub fn number(self) -> Option<&'a str> {
        match self.kind() {
            Kind::Number => std::str::from_utf8(self.0).ok(),
            _ => None,
        }
    }

    /// The whole number from 0 on that it is.
    pub fn u64(self) -> Option<u64> {
        self.number()?.parse().ok()
    }

    /// The whole number that it is.
    pub fn i64(self) -> Option<i64> {
        self.number()?.parse().ok()
    }

    /// The text that it is. What is no UTF-8, and what escapes half of a surrogate pair, becomes U+FFFD.
    pub fn str(self) -> Option<Cow<'a, str>> {
        match self.kind() {
            Kind::String => Some(unquote(&self.0[1..self.0.len() - 1])),
            _ => None,
        }
    }

    /// The elements, where it is an array.
    pub fn items(self) -> impl Iterator<Item = Value<'a>> {
        let mut c = self.inside(Kind::Array);
        std::iter::from_fn(move || c.element())
    }

    /// The members in their order, where it is an object.
    pub fn fields(self) -> impl Iterator<Item = (Cow<'a, str>, Value<'a>)> {
        let mut c = self.inside(Kind::Object);
        std::iter::from_fn(move || {
            let key = c.element()?;
            Some((key.str()?, c.element()?))
        })
    }

    /// The member of that name, where it is an object that has one; of several the last.
    pub fn get(self, name: &str) -> Option<Value<'a>> {
        self.fields().filter(|(key, _)| key == name).last().map(|(_, value)| value)
    }

    fn inside(self, kind: Kind) -> Cursor<'a> {
        let doc = if self.kind() == kind { &self.0[1..self.0.len() - 1] } else { &[] };
        Cursor { doc, at: 0 }
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&String::from_utf8_lossy(self.0))
    }
}
