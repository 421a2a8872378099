package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/core/endpoint"
	"paceline/record"
)

// recordFlags are those of record.
type recordFlags struct {
	listen, upstream, out, session string
	keyEnv, keyFile, caFile        string
	insecure, quiet, json          bool
	idle                           time.Duration
}

func (a *app) recordCommand() *cobra.Command {
	var f recordFlags
	c := &cobra.Command{
		Use:   "record",
		Short: "Record a real agent's conversations as trajectories",
		Long: "Stands between an agent and its endpoint: point the agent's base URL at it. Chat requests go through unchanged, with the\n" +
			"agent's own key; when it ends (Ctrl-C), the conversations are in FILE, one trajectory a line (schemas/trajectory/v1):\n" +
			"messages, tools, answers, sampling parameters, and how long the agent's tools took. Headers, keys and other fields of\n" +
			"requests are never written. The texts are: `runner import FILE --anonymize` makes a file that may be passed on.",
		Example: "  runner record --upstream http://127.0.0.1:8000/v1 --out agent.jsonl\n" +
			"  OPENAI_BASE_URL=http://127.0.0.1:8100/v1 my-agent\n" +
			"  runner run --workload std/import/trajectory --input trace=agent.jsonl \\\n      --target http://127.0.0.1:8000/v1 --users 4",
		Args: exactly(),
		RunE: func(c *cobra.Command, _ []string) error { return a.record(c.Context(), &f) },
	}
	fl := c.Flags()
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8100", "`address` to listen on")
	fl.StringVar(&f.upstream, "upstream", "", "base `URL` of the endpoint, e.g. http://127.0.0.1:8000/v1")
	fl.StringVar(&f.out, "out", "", "`FILE` to write; it must not be there. FILE.part is what is there so far")
	fl.StringVar(&f.session, "session-header", "X-Session-Id", "request `header` that tells conversations apart, beside their history")
	fl.DurationVar(&f.idle, "idle", 30*time.Minute, "a conversation that is silent for this `time` is over, and is written; 0: only at the end")
	fl.StringVar(&f.keyEnv, "api-key-env", "", "environment `variable` that holds a key for the endpoint, in place of the agent's")
	fl.StringVar(&f.keyFile, "api-key-file", "", "`FILE` that holds it")
	fl.StringVar(&f.caFile, "ca-file", "", "PEM `FILE` of certificates to trust for https")
	fl.BoolVar(&f.insecure, "insecure", false, "do not check the endpoint's certificate")
	fl.BoolVar(&f.quiet, "quiet", false, "no progress")
	fl.BoolVar(&f.json, "json", false, "write the summary as JSON")
	return c
}

func (a *app) record(ctx context.Context, f *recordFlags) error {
	if f.upstream == "" || f.out == "" {
		return failHint(exitUsage, errors.New("--upstream and --out are needed"), "runner record --upstream http://127.0.0.1:8000/v1 --out agent.jsonl")
	}
	epoch := time.Now()
	client, own, err := a.upstream(f, epoch)
	if err != nil {
		return err
	}
	defer client.Close()
	if _, err := os.Lstat(f.out); err == nil {
		return fail(exitInput, fmt.Errorf("%s is there already; nothing is overwritten", f.out))
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.listen)
	if err != nil {
		return failHint(exitUsage, err, "choose another port, or 0 for any free one: --listen 127.0.0.1:0")
	}
	part, err := os.OpenFile(f.out+".part", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		_ = l.Close()
		return fail(filesCode(err), err)
	}
	store := record.NewStore(part, f.idle)
	proxy := &record.Proxy{Forward: client, Store: store, Epoch: epoch, SessionHeader: f.session, OwnKey: own,
		Models: func(ctx context.Context) (*endpoint.Reply, error) { return client.Get(ctx, "/v1/models") }}
	if !f.quiet {
		fmt.Fprintf(a.Stdout, "recording at http://%s/v1\nCtrl-C ends it and writes %s\n", l.Addr(), f.out)
	}
	a.listen(ctx, l, proxy, store, f.quiet)
	summary, err := store.Close()
	err = errors.Join(err, part.Sync(), part.Close())
	if err == nil {
		err = os.Rename(f.out+".part", f.out)
	}
	if err != nil {
		return fail(filesCode(err), fmt.Errorf("%w; what was written is in %s.part", err, f.out))
	}
	return a.recorded(f, &summary)
}

// upstream is the endpoint's client, and whether it has a key of its own.
func (a *app) upstream(f *recordFlags, epoch time.Time) (*endpoint.Client, bool, error) {
	t := config.Target{URL: f.upstream, APIKeyEnv: f.keyEnv, APIKeyFile: f.keyFile}
	key := ""
	if f.keyEnv != "" || f.keyFile != "" {
		var err error
		if key, err = t.Key(a.getenv); err != nil {
			return nil, false, fail(exitUsage, err)
		}
	}
	c := endpoint.Config{URL: f.upstream, APIKey: key, CAFile: f.caFile, Insecure: f.insecure}
	if err := c.Check(); err != nil {
		return nil, false, fail(exitUsage, err)
	}
	client, err := endpoint.New(c, epoch)
	if err != nil {
		return nil, false, fail(exitUsage, err)
	}
	return client, key != "", nil
}

// listen serves until the command is to end. Requests that are open then have ten seconds.
func (a *app) listen(ctx context.Context, l net.Listener, proxy *record.Proxy, store *record.Store, quiet bool) {
	server := &http.Server{Handler: proxy, ReadHeaderTimeout: time.Minute, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(l) // it ends by Shutdown
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for over := false; !over; {
		select {
		case <-ctx.Done():
			over = true
		case <-tick.C:
			if open, all, turns := store.Progress(); !quiet && isTerminal(a.Stderr) {
				fmt.Fprintf(a.Stderr, "\r%d conversations, %d open, %d turns ", all, open, turns)
			}
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if server.Shutdown(end) != nil {
		_ = server.Close()
	}
	<-served
}

func (a *app) recorded(f *recordFlags, s *record.Summary) error {
	if f.json {
		return writeJSON(a.Stdout, s)
	}
	fmt.Fprintf(a.Stdout, "%s: %s, %s; %s failed, %s not passed on\n", f.out, plural(s.Conversations, "conversation"), plural(s.Turns, "turn"),
		plural(s.Failed, "request"), plural(s.Other, "request"))
	for _, loss := range slices.Sorted(maps.Keys(s.Losses)) {
		fmt.Fprintf(a.Stdout, "not kept: %s (%d)\n", loss, s.Losses[loss])
	}
	return nil
}
