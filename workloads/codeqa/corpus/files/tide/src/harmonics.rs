//! Harmonic constituents: the tide as a sum of cosines.

/// Speeds in degrees an hour. Only the eight that matter on our coast.
pub const SPEEDS: [(&str, f64); 8] = [
    ("M2", 28.984_104),
    ("S2", 30.0),
    ("N2", 28.439_730),
    ("K2", 30.082_137),
    ("K1", 15.041_069),
    ("O1", 13.943_036),
    ("P1", 14.958_931),
    ("M4", 57.968_208),
];

pub struct Constituent {
    pub name: String,
    pub amplitude_m: f64,
    pub phase_deg: f64,
}

impl Constituent {
    pub fn height(&self, at: i64) -> f64 {
        let hours = at as f64 / 3600.0;
        let angle = speed_of(&self.name) * hours - self.phase_deg;
        self.amplitude_m * nodal_factor(&self.name, at) * angle.to_radians().cos()
    }
}

pub fn speed_of(name: &str) -> f64 {
    SPEEDS.iter().find(|(n, _)| *n == name).map_or(0.0, |(_, s)| *s)
}

/// The slow swing of 18.61 years. Computed for the middle of the year, since within a year it moves by less than a gauge sees.
pub fn nodal_factor(name: &str, at: i64) -> f64 {
    let years = (at as f64 / 31_556_952.0).floor() + 0.5;
    let node = (125.04 - 19.3414 * years).to_radians();
    match name {
        "M2" | "N2" => 1.0 - 0.037 * node.cos(),
        "K2" => 1.0 + 0.286 * node.cos(),
        "K1" => 1.0 + 0.115 * node.cos(),
        "O1" => 1.0 + 0.187 * node.cos(),
        "M4" => (1.0 - 0.037 * node.cos()).powi(2),
        _ => 1.0,
    }
}
