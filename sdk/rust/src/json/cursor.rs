use super::{Error, Value, MAX_DEPTH};

/// The character that ends an array or an object that begins with that one.
fn closing(first: u8) -> u8 {
    first + 2
}

/// A place in a document.
pub(super) struct Cursor<'a> {
    pub doc: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn peek(&self) -> u8 {
        self.doc.get(self.at).copied().unwrap_or(0)
    }

    pub fn wants(&self, what: &'static str) -> Error {
        Error { offset: self.at, what }
    }

    pub fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | b'\n') {
            self.at += 1;
        }
    }

    /// Moves behind one value after it checked it.
    pub fn check(&mut self) -> Result<(), Error> {
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
    pub fn element(&mut self) -> Option<Value<'a>> {
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
