import {
  Capability,
  Component as Described,
  DescribeResponse,
  Kind,
  Need,
  Probe,
  Purity,
  Unit,
} from "./contract/types_gen";
import { Opening } from "./opening";
import { Counter, Role, Scorer, Validator, Workload } from "./roles";
import { bytesOf } from "./text";

/** The version of the contract that this SDK speaks, and the SDK's own name in what a plugin tells about itself. */
const CONTRACT: u32 = 1;
const SDK: string = "assemblyscript/1";

/** Plugin is one plugin with all that it offers. It is not changed once it is served. */
export class Plugin {
  components: Component[] = [];

  /** name: lower-case letters, digits and hyphens, a letter first; version: a semantic version. Both as in the manifest. */
  constructor(public name: string, public version: string) {}

  /** add adds a component. */
  add(component: Component): Plugin {
    this.components.push(component);
    return this;
  }

  describe(): DescribeResponse {
    const d = new DescribeResponse();
    d.name = this.name;
    d.version = this.version;
    d.contractVersion = CONTRACT;
    d.sdk = SDK;
    for (let i = 0, n = this.components.length; i < n; i++) d.components.push(this.components[i].describe());
    return d;
  }

  component(name: string): Component | null {
    for (let i = 0, n = this.components.length; i < n; i++) {
      if (this.components[i].name == name) return this.components[i];
    }
    return null;
  }
}

/**
 * Component is one thing that a plugin offers. Its opening function readies it for one configuration. Where it cannot, it adds
 * faults to the opening, or calls the opening's fail, and returns null.
 */
export class Component {
  /** JSON Schema of the configuration; empty: it takes none. */
  configSchema: string = "";
  capabilities: Capability[] = [];
  purity: Purity = Purity.Pure;
  /** Names of the data sets that it wants. */
  inputs: string[] = [];
  /** Judges: what one item depends on. */
  unit: Unit = Unit.Unspecified;
  /** Judges and counters: what its samples hold beside identity, outcome and timing. */
  needs: Need[] = [];
  /** Validators: facts that the host fetches from the target. */
  probes: Probe[] = [];
  /** Workloads: trace formats that it reads. */
  imports: string[] = [];

  private openWorkload: ((o: Opening) => Workload | null) | null = null;
  private openValidator: ((o: Opening) => Validator | null) | null = null;
  private openScorer: ((o: Opening) => Scorer | null) | null = null;
  private openCounter: ((o: Opening) => Counter | null) | null = null;

  /** summary is one line. */
  private constructor(public kind: Kind, public name: string, public summary: string) {}

  static workload(name: string, summary: string, open: (o: Opening) => Workload | null): Component {
    const c = new Component(Kind.Workload, name, summary);
    c.openWorkload = open;
    return c;
  }

  static validator(name: string, summary: string, open: (o: Opening) => Validator | null): Component {
    const c = new Component(Kind.Validator, name, summary);
    c.openValidator = open;
    return c;
  }

  static scorer(name: string, summary: string, open: (o: Opening) => Scorer | null): Component {
    const c = new Component(Kind.Scorer, name, summary);
    c.openScorer = open;
    return c;
  }

  static counter(name: string, summary: string, open: (o: Opening) => Counter | null): Component {
    const c = new Component(Kind.Counter, name, summary);
    c.openCounter = open;
    return c;
  }

  open(o: Opening): Role | null {
    const w = this.openWorkload;
    if (w !== null) return w(o);
    const v = this.openValidator;
    if (v !== null) return v(o);
    const s = this.openScorer;
    if (s !== null) return s(o);
    const c = this.openCounter;
    if (c !== null) return c(o);
    return null;
  }

  describe(): Described {
    const d = new Described();
    d.kind = this.kind;
    d.name = this.name;
    d.summary = this.summary;
    d.configSchema = bytesOf(this.configSchema);
    d.capabilities = this.capabilities;
    d.purity = this.purity;
    d.inputs = this.inputs;
    d.unit = this.unit;
    d.needs = this.needs;
    d.probes = this.probes;
    d.imports = this.imports;
    return d;
  }
}
