//! The grid between gauges: corrections of level by place, read lazily.

use crate::Fault;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The first bytes of a grid file.
pub const MAGIC: &[u8; 8] = b"QSGRID\x00\x04";

/// Cells have this many metres; a file with others is refused.
pub const CELL_M: u32 = 250;

/// Rows that are kept once read. A harbour has at most 64.
const KEPT_ROWS: usize = 96;

pub struct Grid {
    file: File,
    columns: u32,
    rows: Vec<(u32, Vec<i16>)>,
}

impl Grid {
    pub fn open(path: &str) -> Result<Grid, Fault> {
        let mut file = File::open(path).map_err(|_| Fault::GridMismatch { found_m: 0 })?;
        let mut head = [0u8; 16];
        file.read_exact(&mut head).map_err(|_| Fault::GridMismatch { found_m: 0 })?;
        let cell = u32::from_le_bytes([head[8], head[9], head[10], head[11]]);
        if &head[..8] != MAGIC || cell != CELL_M {
            return Err(Fault::GridMismatch { found_m: cell });
        }
        let columns = u32::from_le_bytes([head[12], head[13], head[14], head[15]]);
        Ok(Grid { file, columns, rows: Vec::new() })
    }

    /// The correction of a cell in millimetres.
    pub fn correction(&mut self, row: u32, column: u32) -> i16 {
        if let Some((_, cells)) = self.rows.iter().find(|(r, _)| *r == row) {
            return cells[column as usize];
        }
        let mut bytes = vec![0u8; self.columns as usize * 2];
        let at = 16 + u64::from(row) * u64::from(self.columns) * 2;
        if self.file.seek(SeekFrom::Start(at)).is_err() || self.file.read_exact(&mut bytes).is_err() {
            return 0;
        }
        let cells: Vec<i16> = bytes.chunks(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect();
        let found = cells[column as usize];
        if self.rows.len() == KEPT_ROWS {
            self.rows.remove(0);
        }
        self.rows.push((row, cells));
        found
    }
}
