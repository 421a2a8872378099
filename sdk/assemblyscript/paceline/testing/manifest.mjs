// The manifest against what the module says of itself: a host refuses a plugin where they differ.

const kinds = ["", "workload", "validator", "scorer", "counter"];
const purities = ["", "pure", "wasi_deterministic", "native"];
const capabilities = ["", "inputs", "target", "network", "containers", "workdir"];

/** checkManifest lists what a plugin's manifest says otherwise than the plugin itself. */
export async function checkManifest(plugin, manifest = plugin.manifest) {
  if (manifest === null) return ["the module carries no manifest"];
  const d = await plugin.describe();
  const faults = [];
  const same = (what, said, is) => {
    if (JSON.stringify(said) !== JSON.stringify(is)) {
      faults.push(`${what}: the manifest says ${JSON.stringify(said)}, the plugin ${JSON.stringify(is)}`);
    }
  };
  same("name", manifest.name, d.name);
  same("version", manifest.version, d.version);
  same("contract", manifest.contract, d.contractVersion);
  same("number of components", manifest.components.length, d.components.length);
  manifest.components.slice(0, d.components.length).forEach((said, i) => {
    const is = d.components[i];
    same(`components[${i}].name`, said.name, is.name);
    same(`${is.name}: kind`, said.kind, kinds[is.kind]);
    same(`${is.name}: purity`, said.purity, purities[is.purity]);
    same(`${is.name}: inputs`, said.inputs ?? [], is.inputs);
    same(`${is.name}: capabilities`, said.capabilities ?? [], is.capabilities.map((c) => capabilities[c]).sort());
  });
  return faults;
}
