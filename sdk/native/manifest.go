package native

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"paceline/sdk"
)

// manifest is the document of schemas/manifest/v1, as far as a definition tells it.
type manifest struct {
	Schema     string       `json:"schema"`
	Name       string       `json:"name"`
	Version    string       `json:"version"`
	Contract   int          `json:"contract"`
	License    string       `json:"license"`
	Components []component  `json:"components"`
	Native     []executable `json:"native"`
	MTLS       bool         `json:"mtls,omitempty"`
}

type component struct {
	Kind         string   `json:"kind"`
	Name         string   `json:"name"`
	Summary      string   `json:"summary,omitempty"`
	Purity       string   `json:"purity"`
	Capabilities []string `json:"capabilities,omitempty"`
	Inputs       []string `json:"inputs,omitempty"`

	ConfigSchema json.RawMessage `json:"config_schema,omitempty"`
}

type executable struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	File   string `json:"file"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

var errLicense = errors.New("usage: manifest LICENSE [mtls], e.g. manifest Apache-2.0")

// printManifest writes the manifest with this executable for this platform. A plugin for several platforms joins the lists.
func printManifest(p *sdk.Plugin, args []string, out io.Writer) error {
	mtls := len(args) == 2 && args[1] == "mtls"
	if len(args) != 1 && !mtls || args[0] == "" {
		return errLicense
	}
	path, err := os.Executable()
	if err != nil {
		return err
	}
	code, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	sum := sha256.Sum256(code)
	m := manifest{Schema: "paceline/manifest/v1", Name: p.Name, Version: p.Version, Contract: 1, License: args[0], MTLS: mtls,
		Native: []executable{{OS: runtime.GOOS, Arch: runtime.GOARCH, File: filepath.Base(path), Size: int64(len(code)), SHA256: hex.EncodeToString(sum[:])}}}
	for i := range p.Components {
		m.Components = append(m.Components, componentOf(&p.Components[i]))
	}
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

func componentOf(c *sdk.Component) component {
	kinds := []string{"", "workload", "validator", "scorer", "counter"}
	names := []string{"", "inputs", "target", "network", "containers", "workdir"}
	out := component{Kind: kinds[c.Kind()], Name: c.Name, Summary: c.Summary, Purity: "native", Inputs: c.Inputs, ConfigSchema: c.ConfigSchema}
	for _, have := range c.Capabilities {
		if int(have) > 0 && int(have) < len(names) {
			out.Capabilities = append(out.Capabilities, names[have])
		}
	}
	slices.Sort(out.Capabilities)
	return out
}
