use crate::contract::{self, Capability, Kind, Need, Probe, Purity, Unit};
use crate::dispatch::{CounterRole, LiveRole, Role, ScorerRole, ValidatorRole, WorkloadRole};
use crate::error::Result;
use crate::host::Opening;
use crate::roles::{Counter, LiveWorkload, Scorer, Validator, Workload};

/// Names this SDK in what a plugin tells about itself.
pub const SDK: &str = "rust/1";

/// One plugin with all that it offers.
pub struct Plugin {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) components: Vec<Component>,
}

impl Plugin {
    /// A plugin without components. The name has lower-case letters, digits and hyphens, a letter first; the version is
    /// a semantic version. Both stand in `manifest.json` too.
    pub fn new(name: &str, version: &str) -> Plugin {
        Plugin { name: name.to_owned(), version: version.to_owned(), components: Vec::new() }
    }

    /// Adds a component.
    pub fn with(mut self, component: Component) -> Plugin {
        self.components.push(component);
        self
    }

    /// Every fault of the definition, one a line; none where it is good. [`crate::testing::describe`] asks for them.
    pub fn check(&self) -> Vec<String> {
        let mut faults = Vec::new();
        let mut name = |what: &str, name: &str| {
            if !valid_name(name) {
                faults.push(format!(
                    "{} name {:?}: not lower-case letters, digits and hyphens, with a letter first",
                    what, name
                ));
            }
        };
        name("plugin", &self.name);
        for c in &self.components {
            name("component", &c.about.name);
        }
        if self.version.matches('.').count() < 2 {
            faults.push(format!("plugin version {:?}: not a semantic version", self.version));
        }
        for (i, c) in self.components.iter().enumerate() {
            if self.components[..i].iter().any(|o| o.about.name == c.about.name) {
                faults.push(format!("component {}: defined twice", c.about.name));
            }
        }
        faults
    }

    pub(crate) fn describe(&self) -> contract::DescribeResponse {
        contract::DescribeResponse {
            name: self.name.clone(),
            version: self.version.clone(),
            contract_version: contract::VERSION,
            sdk: SDK.to_owned(),
            components: self.components.iter().map(|c| c.about.clone()).collect(),
        }
    }
}

fn valid_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'))
}

type Open = Box<dyn Fn(&mut Opening) -> Result<Box<dyn Role>>>;

/// One thing that a plugin offers. Each kind has its constructor, with the function that opens the component for one
/// configuration: it returns [`Error::Faults`](crate::Error::Faults) where the configuration or an input is wrong in
/// ways that a person can mend, and any other error where it cannot go on.
pub struct Component {
    pub(crate) about: contract::Component,
    pub(crate) open: Open,
}

impl Component {
    fn new(kind: Kind, name: &str, summary: &str, open: Open) -> Component {
        let about = contract::Component {
            kind,
            name: name.to_owned(),
            summary: summary.to_owned(),
            purity: Purity::PURE,
            ..Default::default()
        };
        Component { about, open }
    }

    /// A workload whose turns are all planned.
    pub fn workload<T: Workload + 'static>(
        name: &str,
        summary: &str,
        open: impl Fn(&mut Opening) -> Result<T> + 'static,
    ) -> Component {
        let open = move |o: &mut Opening| Ok(Box::new(WorkloadRole(Box::new(open(o)?))) as Box<dyn Role>);
        Component::new(Kind::WORKLOAD, name, summary, Box::new(open))
    }

    /// A workload whose turns depend on the answers.
    pub fn live_workload<T: LiveWorkload + 'static>(
        name: &str,
        summary: &str,
        open: impl Fn(&mut Opening) -> Result<T> + 'static,
    ) -> Component {
        let open = move |o: &mut Opening| Ok(Box::new(LiveRole(Box::new(open(o)?))) as Box<dyn Role>);
        Component::new(Kind::WORKLOAD, name, summary, Box::new(open))
    }

    /// A validator, whose items depend on single turns unless [`unit`](Component::unit) says otherwise.
    pub fn validator<T: Validator + 'static>(
        name: &str,
        summary: &str,
        open: impl Fn(&mut Opening) -> Result<T> + 'static,
    ) -> Component {
        let open = move |o: &mut Opening| Ok(Box::new(ValidatorRole(Box::new(open(o)?))) as Box<dyn Role>);
        Component::new(Kind::VALIDATOR, name, summary, Box::new(open)).unit(Unit::TURN)
    }

    /// A scorer, whose items depend on single turns unless [`unit`](Component::unit) says otherwise.
    pub fn scorer<T: Scorer + 'static>(
        name: &str,
        summary: &str,
        open: impl Fn(&mut Opening) -> Result<T> + 'static,
    ) -> Component {
        let open = move |o: &mut Opening| Ok(Box::new(ScorerRole(Box::new(open(o)?))) as Box<dyn Role>);
        Component::new(Kind::SCORER, name, summary, Box::new(open)).unit(Unit::TURN)
    }

    /// A counter of tokens.
    pub fn counter<T: Counter + 'static>(
        name: &str,
        summary: &str,
        open: impl Fn(&mut Opening) -> Result<T> + 'static,
    ) -> Component {
        let open = move |o: &mut Opening| Ok(Box::new(CounterRole(Box::new(open(o)?))) as Box<dyn Role>);
        Component::new(Kind::COUNTER, name, summary, Box::new(open)).unit(Unit::TURN)
    }

    /// The JSON Schema of its configuration. Without one it takes none.
    pub fn config_schema(mut self, schema: impl Into<Vec<u8>>) -> Component {
        self.about.config_schema = schema.into();
        self
    }

    /// Names of the data sets that it wants; it asks for the capability to read inputs with them.
    pub fn inputs(mut self, names: &[&str]) -> Component {
        self.about.inputs = names.iter().map(|&n| n.to_owned()).collect();
        self.about.capabilities = vec![Capability::INPUTS];
        self
    }

    /// Judges: what one item depends on.
    pub fn unit(mut self, unit: Unit) -> Component {
        self.about.unit = unit;
        self
    }

    /// Judges and counters: what its samples hold beside identity, outcome and timing.
    pub fn needs(mut self, needs: &[Need]) -> Component {
        self.about.needs = needs.to_vec();
        self
    }

    /// Validators: facts that the host fetches from the target.
    pub fn probes(mut self, probes: Vec<Probe>) -> Component {
        self.about.probes = probes;
        self
    }

    /// Workloads: trace formats that it reads.
    pub fn imports(mut self, formats: &[&str]) -> Component {
        self.about.imports = formats.iter().map(|&n| n.to_owned()).collect();
        self
    }

    /// For modules built against WASI: deterministic under the host's clock and random numbers, instead of pure.
    pub fn wasi(mut self) -> Component {
        self.about.purity = Purity::WASI_DETERMINISTIC;
        self
    }
}
