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

use std::borrow::Cow;
use std::fmt;

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

/// Writes a JSON string. `<`, `>`, `&`, U+2028 and U+2029 are escaped too, so that it may stand inside of HTML and
/// JavaScript. The text may be bytes: each that is no UTF-8 becomes the escape of U+FFFD.
pub fn quote(to: &mut Vec<u8>, text: impl AsRef<[u8]>) {
    let mut rest = text.as_ref();
    to.push(b'"');
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                escape(to, text);
                break;
            }
            Err(e) => {
                let (good, bad) = rest.split_at(e.valid_up_to());
                escape(to, &String::from_utf8_lossy(good));
                to.extend_from_slice(b"\\ufffd");
                rest = &bad[1..];
            }
        }
    }
    to.push(b'"');
}

fn escape(to: &mut Vec<u8>, text: &str) {
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let short = match c {
            '"' | '\\' => c as u8,
            '\n' => b'n',
            '\r' => b'r',
            '\t' => b't',
            '\u{8}' => b'b',
            '\u{c}' => b'f',
            '<' | '>' | '&' | '\0'..='\x1f' | '\u{2028}' | '\u{2029}' => b'u',
            _ => continue,
        };
        to.extend_from_slice(&text.as_bytes()[from..at]);
        to.extend_from_slice(&[b'\\', short]);
        if short == b'u' {
            for shift in [12, 8, 4, 0] {
                to.push(b"0123456789abcdef"[(c as usize >> shift) & 15]);
            }
        }
        from = at + c.len_utf8();
    }
    to.extend_from_slice(&text.as_bytes()[from..]);
}

/// Text of bytes that may not be UTF-8: each byte that is at fault becomes U+FFFD.
pub fn lossy(mut bytes: &[u8]) -> Cow<'_, str> {
    let mut text = match std::str::from_utf8(bytes) {
        Ok(whole) => return Cow::Borrowed(whole),
        Err(_) => String::with_capacity(bytes.len() + 2),
    };
    loop {
        match std::str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                return Cow::Owned(text);
            }
            Err(e) => {
                let (good, rest) = bytes.split_at(e.valid_up_to());
                text.push_str(&String::from_utf8_lossy(good));
                text.push(char::REPLACEMENT_CHARACTER);
                bytes = &rest[1..];
            }
        }
    }
}

/// The text between the quotes of a string that was checked.
fn unquote(raw: &[u8]) -> Cow<'_, str> {
    if !raw.contains(&b'\\') {
        return lossy(raw);
    }
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.iter().position(|&c| c == b'\\') {
        text.push_str(&lossy(&rest[..at]));
        let escape = rest[at + 1];
        rest = &rest[at + 2..];
        text.push(match escape {
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => unit_pair(&mut rest),
            other => char::from(other),
        });
    }
    text.push_str(&lossy(rest));
    Cow::Owned(text)
}

/// The character of one escaped UTF-16 unit, or of two that belong together.
fn unit_pair(rest: &mut &[u8]) -> char {
    let high = hex4(rest);
    *rest = &rest[4..];
    if let 0xd800..=0xdbff = high {
        if let [b'\\', b'u', low @ ..] = *rest {
            if let low @ 0xdc00..=0xdfff = hex4(low) {
                *rest = &rest[6..];
                let c = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                return char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER);
            }
        }
    }
    char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn hex4(digits: &[u8]) -> u32 {
    let digit = |c: &u8| char::from(*c).to_digit(16).unwrap_or(0);
    digits.iter().take(4).fold(0, |v, c| v << 4 | digit(c))
}

/// The character that ends an array or an object that begins with that one.
fn closing(first: u8) -> u8 {
    first + 2
}

/// A place in a document.
struct Cursor<'a> {
    doc: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn peek(&self) -> u8 {
        self.doc.get(self.at).copied().unwrap_or(0)
    }

    fn wants(&self, what: &'static str) -> Error {
        Error { offset: self.at, what }
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Moves behind one value after it checked it.
    fn check(&mut self) -> Result<(), Error> {
        let mut open: Vec<u8> = Vec::new(); // the first characters of what is open
        loop {
            match self.peek() {
                c @ (b'{' | b'[') => {
                    if open.len() == MAX_DEPTH {
                        return Err(self.wants("nested too deeply"));
                    }
                    open.push(c);
                    self.at += 1;
                    self.blanks();
                    if self.peek() != closing(c) {
                        self.key(c)?;
                        continue;
                    }
                }
                b'"' => self.string()?,
                b'-' | b'0'..=b'9' => self.number()?,
                b't' => self.word(b"true")?,
                b'f' => self.word(b"false")?,
                _ => self.word(b"null")?,
            }
            loop {
                let container = match open.last() {
                    Some(&c) => c,
                    None => return Ok(()),
                };
                self.blanks();
                match self.peek() {
                    b',' => break,
                    c if c == closing(container) => open.pop(),
                    _ => return Err(self.wants("a comma or the end of an array or object is expected")),
                };
                self.at += 1;
            }
            self.at += 1;
            self.blanks();
            self.key(*open.last().unwrap_or(&b'['))?;
        }
    }

    /// In an object, moves behind the name and the colon of a member.
    fn key(&mut self, container: u8) -> Result<(), Error> {
        if container != b'{' {
            return Ok(());
        }
        if self.peek() != b'"' {
            return Err(self.wants("a member's name is expected"));
        }
        self.string()?;
        self.blanks();
        if self.peek() != b':' {
            return Err(self.wants("a colon is expected"));
        }
        self.at += 1;
        self.blanks();
        Ok(())
    }

    fn string(&mut self) -> Result<(), Error> {
        self.at += 1;
        loop {
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => {
                    self.at += 1;
                    self.escape()?;
                }
                0..=0x1f if self.at >= self.doc.len() => return Err(self.wants("a string does not end")),
                0..=0x1f => return Err(self.wants("a control character in a string")),
                _ => self.at += 1,
            }
        }
    }

    fn escape(&mut self) -> Result<(), Error> {
        let digits = match self.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 0,
            b'u' => 4,
            _ => return Err(self.wants("no such escape in a string")),
        };
        self.at += 1;
        for _ in 0..digits {
            if !self.peek().is_ascii_hexdigit() {
                return Err(self.wants("four hexadecimal digits are expected"));
            }
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Error> {
        if self.peek() == b'-' {
            self.at += 1;
        }
        match self.peek() {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if let b'e' | b'E' = self.peek() {
            self.at += 1;
            if let b'+' | b'-' = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Error> {
        if !self.peek().is_ascii_digit() {
            return Err(self.wants("a digit is expected"));
        }
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        Ok(())
    }

    fn word(&mut self, word: &'static [u8]) -> Result<(), Error> {
        if !self.doc[self.at..].starts_with(word) {
            return Err(self.wants("a value is expected"));
        }
        self.at += word.len();
        Ok(())
    }

    /// The next name or value of a checked array or object, from behind its opening character on.
    fn element(&mut self) -> Option<Value<'a>> {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n' | b',' | b':') {
            self.at += 1;
        }
        let start = self.at;
        let mut depth = 0;
        while self.at < self.doc.len() {
            match self.peek() {
                b'"' => self.skip_string(),
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' if depth == 0 => break,
                _ => {}
            }
            self.at += 1;
        }
        match &self.doc[start..self.at] {
            [] => None,
            value => Some(Value(value)),
        }
    }

    /// Moves from the opening to the closing quote.
    fn skip_string(&mut self) {
        self.at += 1;
        while self.peek() != b'"' {
            self.at += 1 + usize::from(self.peek() == b'\\');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts() {
        for doc in [
            "null",
            " true ",
            "false",
            "0",
            "-0.5e+10",
            "1E9",
            "\"\"",
            "[]",
            "{}",
            "[ ]",
            "{ }",
            "[1,[2,{\"a\":[{}]}],\"]\"]",
            "{\"a\":1,\"b\":{\"c\":[]}}",
            "\"\\u00e9\\\\\"",
            "\"\x7f\"",
        ] {
            assert!(parse(doc.as_bytes()).is_ok(), "{}", doc);
        }
        assert!(parse(b"\"\xff\"").is_ok());
        let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
        assert_eq!(parse(deep.as_bytes()).unwrap().items().count(), 1);
    }

    #[test]
    fn refuses() {
        for (doc, offset) in [
            ("", 0),
            ("nul", 0),
            ("01", 1),
            ("-", 1),
            ("1.", 2),
            ("1e", 2),
            ("+1", 0),
            ("\"", 1),
            ("\"\n\"", 1),
            ("\"\\x\"", 2),
            ("\"\\u12g4\"", 5),
            ("[", 1),
            ("[1", 2),
            ("[1,]", 3),
            ("[,1]", 1),
            ("[1 2]", 3),
            ("{", 1),
            ("{\"a\"}", 4),
            ("{\"a\":}", 5),
            ("{\"a\":1,}", 7),
            ("{1:2}", 1),
            ("[}", 1),
            ("[1}", 2),
            ("{\"a\":1]", 6),
            ("1 1", 2),
            ("nullx", 4),
            ("]", 0),
            ("\u{feff}1", 0),
        ] {
            assert_eq!(parse(doc.as_bytes()).map_err(|e| e.offset), Err(offset), "{}", doc);
        }
        let deep = "[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1);
        assert_eq!(parse(deep.as_bytes()).unwrap_err().what, "nested too deeply");
    }

    #[test]
    fn reads() {
        let doc = parse(br#" {"a" : [1 , "x]\"", {"y":2} ,null], "n":-7,"a\u0062":true,"n":8} "#).unwrap();
        assert_eq!(doc.get("n").and_then(Value::i64), Some(8));
        assert_eq!(doc.get("n").and_then(Value::u64), Some(8));
        assert_eq!(doc.get("ab").and_then(Value::bool), Some(true));
        let kinds: Vec<Kind> = doc.get("a").unwrap().items().map(Value::kind).collect();
        assert_eq!(kinds, [Kind::Number, Kind::String, Kind::Object, Kind::Null]);
        assert_eq!(doc.fields().count(), 4);
        assert_eq!(doc.get("c"), None);
        assert_eq!(doc.items().count(), 0);
        assert_eq!(parse(b"\"s\"").unwrap().get("a"), None);
        assert_eq!(parse(b"[ ]").unwrap().items().count(), 0);
        assert_eq!(parse(b"99999999999999999999").unwrap().u64(), None);
    }

    #[test]
    fn texts() {
        for (doc, want) in [
            (&br#""a\n\/\"\\b""#[..], "a\n/\"\\b"),
            (br#""\ud83d\ude00!""#, "\u{1f600}!"),
            (br#""\ud83dx""#, "\u{fffd}x"),
            (br#""\ud83d\u0041""#, "\u{fffd}A"),
            (br#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (b"\"cut \xe2\x82\"", "cut \u{fffd}\u{fffd}"),
            (b"\"cut \xe2\x82\\n\"", "cut \u{fffd}\u{fffd}\n"),
        ] {
            assert_eq!(parse(doc).unwrap().str().unwrap(), want);
        }
    }

    #[test]
    fn quotes() {
        let mut out = Vec::new();
        quote(&mut out, "a\"\\\n\r\t\u{8}\u{c}\u{1}<&>\u{2028}\u{7f}é");
        let want = "\"a\\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u003c\\u0026\\u003e\\u2028\u{7f}é\"";
        assert_eq!(String::from_utf8(out).unwrap(), want);
        let mut out = Vec::new();
        quote(&mut out, b"\xff\"\xe2\x82 \xef\xbf\xbd\xed");
        assert_eq!(String::from_utf8(out).unwrap(), "\"\\ufffd\\\"\\ufffd\\ufffd \u{fffd}\\ufffd\"");
    }

    /// Cuts, swaps and joins pieces of JSON: nothing may panic, and what is accepted can be read to its end.
    #[test]
    fn survives_anything() {
        let seed = br#"{"a":[1,-2.5e3,"x\u00e9\\",{"b":null}],"c":true,"":"\ud800"}"#;
        let mut state = 1u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for _ in 0..20_000 {
            let mut doc = seed.to_vec();
            for _ in 0..random(4) {
                let at = random(doc.len());
                doc[at] = seed[random(seed.len())];
                doc.truncate(random(doc.len()) + 1);
                doc.extend_from_slice(&seed[random(seed.len())..]);
            }
            if let Ok(v) = parse(&doc) {
                walk(v);
            }
        }
    }

    fn walk(v: Value<'_>) {
        let _ = (v.str(), v.number(), v.bool());
        v.items().for_each(walk);
        v.fields().for_each(|(_, v)| walk(v));
        assert_eq!(parse(v.bytes()).unwrap(), v);
    }
}
