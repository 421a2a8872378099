use std::borrow::Cow;

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
pub(super) fn unquote(raw: &[u8]) -> Cow<'_, str> {
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
