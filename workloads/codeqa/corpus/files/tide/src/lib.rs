//! Predicts water levels. Heights are metres above the station's datum, times are seconds since 2000-01-01T00:00Z.

pub mod grid;
pub mod harmonics;

use harmonics::Constituent;

/// A gauge, as its file in `stations/` says.
pub struct Station {
    pub name: String,
    pub mean_level_m: f64,
    pub constituents: Vec<Constituent>,
}

/// Why no level can be told.
#[derive(Debug, PartialEq)]
pub enum Fault {
    UnknownStation(String),
    BeyondHorizon { days: u32 },
    GridMismatch { found_m: u32 },
}

/// Predictions are good for this many days; further ones are refused.
pub const HORIZON_DAYS: u32 = 400;

impl Station {
    /// The level at one instant.
    pub fn level(&self, at: i64) -> f64 {
        let mut sum = self.mean_level_m;
        for c in &self.constituents {
            sum += c.height(at);
        }
        sum
    }

    /// One level for each step of `step_s` seconds in `[from, to)`.
    pub fn levels(&self, from: i64, to: i64, step_s: i64) -> Result<Vec<f64>, Fault> {
        let days = ((to - from) / 86_400) as u32;
        if days > HORIZON_DAYS {
            return Err(Fault::BeyondHorizon { days });
        }
        Ok((from..to).step_by(step_s as usize).map(|at| self.level(at)).collect())
    }
}
