package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Bytes reads a size with its unit: B, KiB, MiB, GiB, or KB, MB, GB.
func Bytes(text string) (int64, error) {
	units := []struct {
		suffix string
		factor int64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}
	for _, u := range units {
		number, ok := strings.CutSuffix(strings.TrimSpace(text), u.suffix)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
		if err != nil || n < 1 || n > (1<<62)/u.factor {
			break
		}
		return n * u.factor, nil
	}
	return 0, fmt.Errorf("%q is no size: write e.g. 256MiB", text)
}

// JSON encodes a group of free keys as a JSON object, keys sorted, without HTML escapes; an empty group is nil.
func JSON(m map[string]any) (json.RawMessage, error) {
	if len(m) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// Key finds the API key: given, else in the named file, else in the named environment variable, else none.
func (t Target) Key(getenv func(string) string) (string, error) {
	if t.APIKey != "" {
		return t.APIKey, nil
	}
	if t.APIKeyFile != "" {
		text, err := os.ReadFile(t.APIKeyFile)
		if err != nil {
			return "", fmt.Errorf("read target.api_key_file: %w", err)
		}
		return strings.TrimSpace(string(text)), nil
	}
	if t.APIKeyEnv == "" {
		return "", nil
	}
	return getenv(t.APIKeyEnv), nil
}
