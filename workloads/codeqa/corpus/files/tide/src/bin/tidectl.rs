//! tidectl: looks at stations and changes how they are used.

use std::process::ExitCode;

const USAGE: &str = "usage: tidectl levels|noise|predict-only|residual STATION [--hours N]";

/// Without --hours a station stays predicted-only for a day.
const DEFAULT_HOURS: u32 = 24;

/// A residual above this many centimetres is shown in red.
const RED_CM: f64 = 17.5;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let hours = args
        .iter()
        .position(|a| a == "--hours")
        .and_then(|i| args.get(i + 1))
        .and_then(|n| n.parse().ok())
        .unwrap_or(DEFAULT_HOURS);
    match args.first().map(String::as_str) {
        Some("levels") => show(&args[1], hours),
        Some("noise") => noise(&args[1]),
        Some("predict-only") => predict_only(&args[1], hours),
        Some("residual") => residual(&args[1]),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    }
    ExitCode::SUCCESS
}

fn show(station: &str, hours: u32) {
    println!("{station}: {hours} hours of levels");
}

fn noise(station: &str) {
    println!("{station}: noise floor of the last frame");
}

fn predict_only(station: &str, hours: u32) {
    println!("{station}: predicted only for {hours} hours");
}

fn residual(station: &str) {
    println!("{station}: measured minus predicted, red above {RED_CM} cm");
}
