//! Reads messages from the standard input and writes each again, so that a test can compare this codec with protobuf's. A
//! request is the number of a message in the table (one byte), a length (four bytes, little-endian) and the bytes; a reply is
//! one byte, 0 for bytes and 1 for the text of an error, a length and what it says. With the argument `names` it tells the
//! messages' names instead.

mod table;

use std::io::{self, BufReader, BufWriter, Read, Write};

fn main() -> io::Result<()> {
    if std::env::args().nth(1).as_deref() == Some("names") {
        table::TABLE.iter().for_each(|(name, _)| println!("{}", name));
        return Ok(());
    }
    let mut from = BufReader::new(io::stdin());
    let mut to = BufWriter::new(io::stdout());
    let mut head = [0; 5];
    while from.read_exact(&mut head).is_ok() {
        let n = u32::from_le_bytes([head[1], head[2], head[3], head[4]]);
        let mut data = vec![0; n as usize];
        from.read_exact(&mut data)?;
        let (kind, reply) = match table::TABLE[usize::from(head[0])].1(&data) {
            Ok(bytes) => (0, bytes),
            Err(e) => (1, e.to_string().into_bytes()),
        };
        to.write_all(&[kind])?;
        to.write_all(&(reply.len() as u32).to_le_bytes())?;
        to.write_all(&reply)?;
        to.flush()?;
    }
    Ok(())
}
