//! An example of a plugin with one component of three kinds. Its workload asks the model to repeat each line of a text, its
//! validator wants an answer to every turn, its scorer counts the exact repetitions.

mod judges;
mod workload;

use paceline::{Component, Need, Plugin};

/// The plugin, for the module and for tests.
pub fn plugin() -> Plugin {
    let repeat = Component::workload("repeat", "asks for each line of a text", workload::open);
    let answered =
        Component::validator("answered", "wants an answer to every turn", |_| Ok(judges::Answered));
    let exact = Component::scorer("exact", "share of lines that came back unchanged", |_| Ok(judges::Exact));
    Plugin::new("echo", "0.1.0")
        .with(repeat.inputs(&["text"]))
        .with(answered)
        .with(exact.needs(&[Need::ANSWER, Need::TRUTH]))
}

paceline::serve!(plugin);
