package session_test

import (
	"context"
	"testing"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
)

// afterHead lets a request through once the head was told.
type afterHead struct {
	sched.Issuer
	told *digest.SHA256
	t    *testing.T
}

// Issue implements sched.Issuer.
func (a afterHead) Issue(ctx context.Context, req *chat.Request, x *sample.Exchange) {
	if *a.told == (digest.SHA256{}) {
		a.t.Error("a request went out before the head was told")
	}
	a.Issuer.Issue(ctx, req, x)
}

// The digest of the head is told before the load's first request, and anyone can compute it from the journal's first record.
func TestHeadIsToldFirst(t *testing.T) {
	var told digest.SHA256
	p := handPlayed()
	p.parts = func(parts *session.Parts) {
		parts.OnHead = func(d digest.SHA256) { told = d }
		parts.Issuer = afterHead{parts.Issuer, &told, t}
	}
	dir := p.run(t).good(t).dir
	head, err := journal.HeadDigest(dir)
	if err != nil || head != told {
		t.Errorf("told %s, the journal has %s: %v", told, head, err)
	}
	for r, err := range journal.Records(dir) {
		if err != nil || digest.Of(r.Line) != told {
			t.Errorf("the first record is %s: %v", r.Line, err)
		}
		break
	}
	if _, err := journal.HeadDigest(t.TempDir()); err == nil {
		t.Error("a folder without a journal has a head")
	}
}
