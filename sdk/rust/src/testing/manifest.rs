use std::collections::BTreeMap;

use crate::contract::{Component, DescribeResponse};
use crate::json::{self, Value};
use crate::plugin::Plugin;

/// Every way in which a plugin's `manifest.json` says other things than the plugin itself; a host refuses such a plugin.
/// None where they agree.
///
/// # Panics
/// Where the plugin's definition has faults.
pub fn check_manifest(plugin: Plugin, manifest: &[u8]) -> Vec<String> {
    let is = super::describe(plugin);
    match json::parse(manifest) {
        Ok(said) => compare(&is, said),
        Err(e) => vec![format!("manifest: {}", e)],
    }
}

fn compare(is: &DescribeResponse, said: Value<'_>) -> Vec<String> {
    let mut faults = Vec::new();
    let mut differ = |what: String, said: String, is: String| {
        if said != is {
            faults.push(format!("{}: the manifest says {}, the plugin {}", what, said, is));
        }
    };
    let number = |v: Value<'_>| v.u64().unwrap_or(0).to_string();
    differ("name".into(), text(said, "name"), is.name.clone());
    differ("version".into(), text(said, "version"), is.version.clone());
    let contract = said.get("contract").map(number).unwrap_or_default();
    differ("contract".into(), contract, is.contract_version.to_string());
    let components: Vec<Value<'_>> = said.get("components").into_iter().flat_map(|v| v.items()).collect();
    let (n, m) = (components.len(), is.components.len());
    differ("number of components".into(), n.to_string(), m.to_string());
    for (i, (said, is)) in components.into_iter().zip(&is.components).enumerate() {
        differ(format!("component {}", i), told(said), line(is));
        if let Some(schema) = said.get("config_schema") {
            let own = json::parse(&is.config_schema).map(canonical);
            differ(format!("{}: config_schema", is.name), canonical(schema), own.unwrap_or_default());
        }
    }
    faults
}

fn text(v: Value<'_>, name: &str) -> String {
    v.get(name).and_then(|v| v.str()).unwrap_or_default().into_owned()
}

/// What a manifest and a component must agree on, in a line.
fn told(v: Value<'_>) -> String {
    let list = |name: &str| {
        let items = v.get(name).into_iter().flat_map(|v| v.items());
        items.filter_map(|v| v.str()).collect::<Vec<_>>().join(", ")
    };
    let (kind, name, purity) = (text(v, "kind"), text(v, "name"), text(v, "purity"));
    format!(
        "{} {}, {}, capabilities [{}], inputs [{}]",
        kind,
        name,
        purity,
        list("capabilities"),
        list("inputs")
    )
}

/// A document by its values: neither white space nor the order of keys counts.
fn canonical(v: Value<'_>) -> String {
    match v.kind() {
        json::Kind::Object => {
            let members: BTreeMap<_, _> = v.fields().map(|(key, v)| (key, canonical(v))).collect();
            format!("{:?}", members)
        }
        json::Kind::Array => format!("{:?}", v.items().map(canonical).collect::<Vec<_>>()),
        json::Kind::String => format!("{:?}", v.str()),
        _ => format!("{:?}", v),
    }
}

fn line(c: &Component) -> String {
    let mut capabilities: Vec<&str> = c.capabilities.iter().map(|c| c.name()).collect();
    capabilities.sort_unstable();
    format!(
        "{} {}, {}, capabilities [{}], inputs [{}]",
        c.kind.name(),
        c.name,
        c.purity.name(),
        capabilities.join(", "),
        c.inputs.join(", ")
    )
}
