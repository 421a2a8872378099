//! Reads a file line by line in place, knowing number and offset of each line, so that a plugin can index a data set
//! once and later read single lines of it.

use std::io;

/// Bytes that can be read at any place.
pub trait ReadAt {
    /// Number of bytes.
    fn size(&self) -> u64;
    /// Reads at an offset and returns how many bytes: fewer than asked for at the end, and where the source likes.
    fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<usize>;
}

impl ReadAt for &[u8] {
    fn size(&self) -> u64 {
        self.len() as u64
    }
    fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<usize> {
        let from = self.len().min(usize::try_from(offset).unwrap_or(usize::MAX));
        let n = to.len().min(self.len() - from);
        to[..n].copy_from_slice(&self[from..from + n]);
        Ok(n)
    }
}

/// The length in bytes at which a line is refused unless the scanner says otherwise.
pub const MAX_LINE: usize = 64 << 20;

const BUFFER: usize = 256 << 10;

/// One line of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its bytes, without the end of line.
    pub bytes: &'a [u8],
    /// Its number; the first line of the file is 1.
    pub number: u64,
    /// Where in the file its first byte is.
    pub offset: u64,
    /// Where in the file the next line starts.
    pub next: u64,
}

/// Walks the lines of a file. Lines end with LF or CRLF, the last one with the file too; neither end belongs to the
/// line. A byte order mark at the start of the file is skipped, and so are lines of spaces and tabs alone, which still
/// count.
pub struct Scanner<R> {
    source: R,
    max: usize,
    buffer: Vec<u8>,
    from: usize, // start of what is not yet consumed, in buffer
    base: u64,   // offset in the file of buffer[0]
    line: u64,
}

impl<R: ReadAt> Scanner<R> {
    /// A scanner at the start of a file.
    pub fn new(source: R) -> Scanner<R> {
        Scanner { source, max: MAX_LINE, buffer: Vec::new(), from: 0, base: 0, line: 0 }
    }

    /// Bounds a line's length in bytes.
    pub fn max_line(mut self, bytes: usize) -> Scanner<R> {
        self.max = bytes;
        self
    }

    /// Moves to an offset at which a line starts, as [`Line::next`] gave it; `line` is the number of the line before.
    pub fn resume(&mut self, offset: u64, line: u64) {
        self.buffer.clear();
        self.from = 0;
        self.base = offset;
        self.line = line;
    }

    /// The next line that is not blank; none at the end of the file. A line that is too long stays in the way.
    pub fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            let (mut start, end) = match self.take() {
                Ok(Some(span)) => span,
                Ok(None) => return Ok(None),
                Err(e) => {
                    let text = format!("line {}: {}", self.line + 1, e);
                    return Err(io::Error::new(e.kind(), text));
                }
            };
            self.line += 1;
            if self.base == 0 && start == 0 && self.buffer[..end].starts_with(b"\xEF\xBB\xBF") {
                start = 3;
            }
            let blank = |c: &u8| matches!(c, b' ' | b'\t' | b'\r');
            if !self.buffer[start..end].iter().all(blank) {
                return Ok(Some(Line {
                    bytes: &self.buffer[start..end],
                    number: self.line,
                    offset: self.base + start as u64,
                    next: self.base + self.from as u64,
                }));
            }
        }
    }

    /// Consumes the next line, blank or not, and tells where it lies in the buffer.
    fn take(&mut self) -> io::Result<Option<(usize, usize)>> {
        let mut searched = 0;
        loop {
            let rest = &self.buffer[self.from..];
            if let Some(i) = find_newline(&rest[searched..]) {
                return self.set(searched + i, 1);
            }
            searched = rest.len();
            if searched > self.max {
                return Err(too_long());
            }
            if self.base + self.buffer.len() as u64 >= self.source.size() {
                return if searched == 0 { Ok(None) } else { self.set(searched, 0) };
            }
            self.fill()?;
        }
    }

    fn set(&mut self, length: usize, end: usize) -> io::Result<Option<(usize, usize)>> {
        let start = self.from;
        let mut stop = start + length;
        if self.buffer[start..stop].last() == Some(&b'\r') {
            stop -= 1;
        }
        if stop - start > self.max {
            return Err(too_long());
        }
        self.from = start + length + end;
        Ok(Some((start, stop)))
    }

    /// Reads on behind what is in the buffer, after it made room there.
    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.from);
        self.base += self.from as u64;
        self.from = 0;
        let had = self.buffer.len();
        let end = self.base + had as u64;
        let room = (had.max(BUFFER) as u64).min(self.source.size() - end) as usize;
        self.buffer.resize(had + room, 0);
        let read = self.source.read_at(&mut self.buffer[had..], end);
        self.buffer.truncate(had + *read.as_ref().unwrap_or(&0));
        match read? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "it ends before its size says")),
            _ => Ok(()),
        }
    }
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "line too long")
}

/// Looks for LF, eight bytes at a time.
fn find_newline(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut words = bytes.chunks_exact(8);
    let mut at = 0;
    for word in &mut words {
        let mut eight = [0; 8];
        eight.copy_from_slice(word);
        let x = u64::from_le_bytes(eight) ^ (ONES * u64::from(b'\n'));
        if x.wrapping_sub(ONES) & !x & HIGH != 0 {
            break;
        }
        at += 8;
    }
    bytes[at..].iter().position(|&c| c == b'\n').map(|i| at + i)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A source that gives at most a few bytes at a time.
    struct Drops<'a>(&'a [u8], usize);

    impl ReadAt for Drops<'_> {
        fn size(&self) -> u64 {
            self.0.len() as u64
        }
        fn read_at(&self, to: &mut [u8], offset: u64) -> io::Result<usize> {
            let n = to.len().min(self.1);
            self.0.read_at(&mut to[..n], offset)
        }
    }

    fn scan(text: &[u8], drop: usize) -> Vec<(Vec<u8>, u64, u64, u64)> {
        let mut scan = Scanner::new(Drops(text, drop));
        let mut all = Vec::new();
        while let Some(l) = scan.next_line().unwrap() {
            all.push((l.bytes.to_vec(), l.number, l.offset, l.next));
        }
        all
    }

    #[test]
    fn lines_with_numbers_and_offsets() {
        let text = b"\xEF\xBB\xBFone\r\n\n \t\r\ntwo and more\nthree";
        for drop in [1, 3, 7, 1000] {
            let got = scan(text, drop);
            assert_eq!(
                got,
                [
                    (b"one".to_vec(), 1, 3, 8),
                    (b"two and more".to_vec(), 4, 13, 26),
                    (b"three".to_vec(), 5, 26, 31)
                ]
            );
        }
        assert!(scan(b"", 1).is_empty() && scan(b"\n\n", 1).is_empty());
        assert_eq!(scan(b"\xEF\xBB\xBF\nx", 9), [(b"x".to_vec(), 2, 4, 5)]);
    }

    #[test]
    fn resumes() {
        let mut s = Scanner::new(&b"one\ntwo\nthree\n"[..]);
        let next = s.next_line().unwrap().unwrap().next;
        s.resume(next, 1);
        let l = s.next_line().unwrap().unwrap();
        assert_eq!((l.bytes, l.number, l.offset), (&b"two"[..], 2, 4));
    }

    #[test]
    fn faults() {
        let mut s = Scanner::new(&b"ok\n12345\r\n123456\n"[..]).max_line(5);
        assert_eq!(s.next_line().unwrap().unwrap().bytes, b"ok");
        assert_eq!(s.next_line().unwrap().unwrap().bytes, b"12345");
        assert_eq!(s.next_line().unwrap_err().to_string(), "line 3: line too long");
        struct Liar;
        impl ReadAt for Liar {
            fn size(&self) -> u64 {
                9
            }
            fn read_at(&self, _: &mut [u8], _: u64) -> io::Result<usize> {
                Ok(0)
            }
        }
        let text = Scanner::new(Liar).next_line().unwrap_err().to_string();
        assert_eq!(text, "line 1: it ends before its size says");
    }

    #[test]
    fn newlines() {
        for n in 0..40 {
            let mut text = vec![b'\x0b'; n];
            assert_eq!(find_newline(&text), None);
            text.push(b'\n');
            text.extend_from_slice(b"\xff\n\x00");
            assert_eq!(find_newline(&text), Some(n));
        }
    }
}
