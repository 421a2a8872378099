package standin

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"testing"
	"time"
)

func TestTmp(t *testing.T) {
	s := time.Now()
	h := sha256.New()
	f, err := Write(h, Options{Seed: 1})
	t.Logf("%+v %v %v %s", f, err, time.Since(s), hex.EncodeToString(h.Sum(nil)))
	var b bytes.Buffer
	f, err = Write(io.MultiWriter(&b), Options{Seed: 1, Trajectories: 12})
	t.Logf("%+v %v", f, err)
}
