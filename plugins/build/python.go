package build

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"paceline/core/digest"
	"paceline/plugins/lock"
)

// pythonSuffix ends the name of a plugin's zip application.
const pythonSuffix = ".pyz"

// buildPython runs the SDK's builder, which writes the executable with its manifest beside it, and looks at both.
func buildPython(ctx context.Context, o Options) (*Result, error) {
	out := o.Out
	if out == "" {
		name, err := nameOf(o.Dir)
		if err != nil {
			return nil, err
		}
		out = filepath.Join(o.Dir, name+pythonSuffix)
	}
	python, env, err := pythonOf(o.Dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, python, "-m", "paceline.build", o.Dir, "-o", out)
	cmd.Env = env
	if err := output(cmd, "paceline.build"); err != nil {
		return nil, fmt.Errorf("%w\n(the Python SDK needs grpcio and protobuf: %s -m pip install grpcio protobuf)", err, python)
	}
	return lookAtNative(out)
}

// nameOf is the name that a project's manifest gives, which need not say more, or else that of its folder.
func nameOf(dir string) (string, error) {
	var m struct {
		Name string `json:"name"`
	}
	text, err := os.ReadFile(filepath.Join(dir, ManifestFile))
	if err == nil && json.Unmarshal(text, &m) == nil && m.Name != "" && filepath.Base(m.Name) == m.Name {
		return m.Name, nil
	}
	dir, err = filepath.Abs(dir)
	return filepath.Base(dir), err
}

// pythonOf gives the interpreter of a project, and the environment in which it finds the SDK that came along.
func pythonOf(dir string) (python string, env []string, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", nil, err
	}
	env = os.Environ()
	for _, sdk := range []string{filepath.Join(".sdk", "src"), filepath.Join("sdk", "python", "src")} {
		found, err := above(dir, sdk)
		if err != nil {
			return "", nil, err
		}
		if found != "" {
			env = append(env, "PYTHONPATH="+found, "PYTHONDONTWRITEBYTECODE=1")
			break
		}
	}
	own := filepath.Join(dir, ".venv", "bin", "python")
	if _, err := os.Stat(own); err == nil {
		return own, env, nil
	}
	if python, err = exec.LookPath("python3"); err != nil {
		return "", nil, missing("python3", "Python 3.10 or newer")
	}
	return python, env, nil
}

// lookAtNative holds an executable to the manifest beside it.
func lookAtNative(file string) (*Result, error) {
	code, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(file + ".manifest.json")
	if err != nil {
		return nil, err
	}
	m, err := lock.ParseManifest(text)
	if err != nil {
		return nil, err
	}
	said, ok := m.Executable(runtime.GOOS, runtime.GOARCH)
	if !ok || said.SHA256 != digest.Of(code) {
		return nil, errors.New("the manifest that was written is not that of the executable")
	}
	return &Result{Name: m.Name, Version: m.Version, Language: Python, File: file, Size: int64(len(code)), SHA256: said.SHA256, Native: true}, nil
}
