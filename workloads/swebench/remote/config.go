package remote

import (
	"bytes"
	"encoding/json"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"paceline/sdk"
)

// schema of the configuration. The figures of the rules are set by whoever uses the scorer; the defaults are the reference
// client's, but for the number of instances, which is the rules'.
const schema = `{"type":"object","additionalProperties":false,"required":["url"],"properties":{` +
	`"url":{"type":"string","description":"Root of the service, http or https, without a path."},` +
	`"token_file":{"type":"string","description":"Absolute path of the file that holds the service's bearer token."},` +
	`"artifacts":{"type":"string","description":"Absolute path of a folder that receives each run's artifacts in a folder of its own."},` +
	`"subset":{"enum":["verified","lite"],"default":"verified"},` +
	`"split":{"type":"string","default":"test"},` +
	`"num_instances":{"type":"integer","minimum":1,"maximum":10000,"default":200,"description":"The first so many rows of the input are evaluated."},` +
	`"workers":{"type":"integer","minimum":1,"maximum":32,"default":10,"description":"Agents at the same time; the relay takes 32 requests at once."},` +
	`"max_eval_workers":{"type":"integer","minimum":1,"maximum":256,"default":10},` +
	`"template":{"enum":["default","qwen_tools"],"default":"default"},` +
	`"poll_ms":{"type":"integer","minimum":100,"maximum":20000,"default":5000,"description":"Pause between two looks at the run."},` +
	`"limit_s":{"type":"integer","minimum":1,"maximum":604800,"default":86400,"description":"Longest time of the run."},` +
	`"patience_s":{"type":"integer","minimum":0,"maximum":86400,"default":600,"description":"How long a service may be away that has begun."}}}`

const inputName = "instances"

// settings are the configuration.
type settings struct {
	URL            string `json:"url"`
	TokenFile      string `json:"token_file"`
	Artifacts      string `json:"artifacts"`
	Subset         string `json:"subset"`
	Split          string `json:"split"`
	NumInstances   int    `json:"num_instances"`
	Workers        int    `json:"workers"`
	MaxEvalWorkers int    `json:"max_eval_workers"`
	Template       string `json:"template"`
	PollMS         int64  `json:"poll_ms"`
	LimitS         int64  `json:"limit_s"`
	PatienceS      int64  `json:"patience_s"`
}

func defaults() settings {
	return settings{Subset: "verified", Split: "test", NumInstances: 200, Workers: 10, MaxEvalWorkers: 10, Template: "default",
		PollMS: 5000, LimitS: 24 * 60 * 60, PatienceS: 600}
}

func (s *settings) poll() time.Duration { return time.Duration(s.PollMS) * time.Millisecond }

// evaluator is the opened component.
type evaluator struct {
	settings
	clock
	log       sdk.Logger
	service   *client
	instances instances

	submitted string // the run of this process, where the step that began it did not hold
}

// open reads configuration, token and instances and asks the service what it can, so that a run does not begin whose
// evaluation could not.
func open(o *sdk.Opening, c clock) (sdk.Evaluator, error) {
	e := &evaluator{settings: defaults(), clock: c, log: o.Log}
	decoder := json.NewDecoder(bytes.NewReader(o.Config))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&e.settings); err != nil {
		return nil, sdk.Faults{{Code: "bad-config", Message: err.Error(), Expected: "an object as the schema has it"}}
	}
	faults := e.check()
	base, fault := root(e.URL)
	faults = append(faults, fault...)
	token, fault := readToken(e.TokenFile)
	faults = append(faults, fault...)
	if len(faults) > 0 {
		return nil, faults
	}
	if token != "" && base.Scheme == "http" && !loopback(base.Hostname()) {
		o.Log.Warnf("the service's token goes to %s without encryption", base.Host)
	}
	input, err := o.Input(inputName)
	if err != nil {
		return nil, err
	}
	if e.instances, err = readInstances(input, input.Size(), e.NumInstances); err != nil {
		return nil, err
	}
	e.service = newClient(base, token)
	if err := e.service.health(); err != nil {
		return nil, sdk.Faults{{Pointer: "/url", Code: "service", Message: e.service.hide(err.Error()), Expected: "a SWE-bench service with api_version v1"}}
	}
	return e, nil
}

// check lists what is wrong with the plain values. The host holds a configuration to the schema first; this is for others.
func (s *settings) check() (faults sdk.Faults) {
	number := func(key string, value, least, most int64) {
		if value < least || value > most {
			faults = append(faults, sdk.Fault{Pointer: "/" + key, Code: "bad-number", Message: "out of range", Expected: "a number as the schema has it"})
		}
	}
	number("num_instances", int64(s.NumInstances), 1, 10_000)
	number("workers", int64(s.Workers), 1, 32)
	number("max_eval_workers", int64(s.MaxEvalWorkers), 1, 256)
	number("poll_ms", s.PollMS, 100, 20_000)
	number("limit_s", s.LimitS, 1, 7*24*60*60)
	number("patience_s", s.PatienceS, 0, 24*60*60)
	if s.Subset != "verified" && s.Subset != "lite" {
		faults = append(faults, sdk.Fault{Pointer: "/subset", Code: "bad-value", Message: "unknown subset", Expected: "verified or lite"})
	}
	if s.Template != "default" && s.Template != "qwen_tools" {
		faults = append(faults, sdk.Fault{Pointer: "/template", Code: "bad-value", Message: "unknown template", Expected: "default or qwen_tools"})
	}
	if s.Artifacts != "" {
		if info, err := os.Stat(s.Artifacts); !filepath.IsAbs(s.Artifacts) || err != nil || !info.IsDir() {
			faults = append(faults, sdk.Fault{Pointer: "/artifacts", Code: "bad-path", Message: "no such folder", Expected: "the absolute path of a folder that is there"})
		}
	}
	return faults
}

// root is the service's address, which is a root: what it serves has fixed paths.
func root(text string) (*url.URL, sdk.Faults) {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.Path != "" && u.Path != "/" ||
		u.RawQuery != "" || u.Fragment != "" {
		return nil, sdk.Faults{{Pointer: "/url", Code: "bad-url", Message: "not the root of an http or https service",
			Expected: "http://HOST:PORT, without user, path or query"}}
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

const maxToken = 4096

// readToken reads the bearer token. No fault tells what the file holds.
func readToken(file string) (string, sdk.Faults) {
	if file == "" {
		return "", nil
	}
	bad := func(message, expected string) (string, sdk.Faults) {
		return "", sdk.Faults{{Pointer: "/token_file", Code: "bad-token-file", Message: file + ": " + message, Expected: expected}}
	}
	if !filepath.IsAbs(file) {
		return bad("not an absolute path", "an absolute path: the plugin works in a folder of its own")
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxToken {
		return bad("cannot be read", "a file of at most 4096 bytes with the token")
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return bad("cannot be read", "a file that this user may read")
	}
	token := strings.TrimSpace(string(text))
	if token == "" || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return bad("holds no token", "one line of printable ASCII")
	}
	return token, nil
}
