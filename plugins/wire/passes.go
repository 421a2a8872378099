package wire

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"

	"paceline/core/digest"
	"paceline/plugins/lock"
	"paceline/plugins/privatedir"
)

// Passes remembers, in a private folder, which inputs passed their check and what was prepared from them: by the digests
// of module, configuration and inputs. It is a cache: what cannot be read is made again, what cannot be written is not
// remembered, and a folder that others may enter is not used. A nil *Passes remembers nothing.
type Passes struct {
	Dir string
}

// passMagic begins an entry: format and version.
const passMagic = "paceline pass 1\n"

// entry names the file of a component's pass.
func (p *Passes) entry(o *opened) string {
	h := sha256.New()
	part := func(b []byte) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(b))))
		h.Write(b)
	}
	module := o.plugin.host.Digest()
	part(module[:])
	part([]byte(o.opts.Component))
	part(o.opts.Config)
	for _, in := range o.opts.Inputs {
		part([]byte(in.Name))
		part(in.SHA256[:])
		part(binary.BigEndian.AppendUint64(nil, uint64(in.Size)))
	}
	return filepath.Join(p.Dir, hex.EncodeToString(h.Sum(nil)))
}

// read gives an entry's count and prepared data.
func (p *Passes) read(o *opened) (items uint64, prepared []byte, ok bool) {
	if p == nil || len(o.opts.Inputs) == 0 {
		return 0, nil, false
	}
	if privatedir.Check(p.Dir) != nil {
		return 0, nil, false
	}
	name := p.entry(o)
	info, err := os.Stat(name)
	if err != nil || info.Size() > lock.MaxPrepared+1<<10 {
		return 0, nil, false
	}
	data, err := os.ReadFile(name)
	const head = len(passMagic) + sha256.Size
	if err != nil || len(data) < head+8 || string(data[:len(passMagic)]) != passMagic {
		return 0, nil, false
	}
	body := data[head:]
	if digest.Of(body) != digest.SHA256(data[len(passMagic):head]) {
		_ = os.Remove(name)
		return 0, nil, false
	}
	return binary.BigEndian.Uint64(body), body[8:], true
}

func (p *Passes) passed(o *opened) (uint64, bool) {
	items, _, ok := p.read(o)
	return items, ok
}

func (p *Passes) prepared(o *opened) []byte {
	_, prepared, _ := p.read(o)
	return prepared
}

// remember keeps a pass: the file appears whole.
func (p *Passes) remember(o *opened, items uint64) {
	if p == nil || len(o.opts.Inputs) == 0 {
		return
	}
	if os.MkdirAll(p.Dir, 0o700) != nil || privatedir.Check(p.Dir) != nil {
		return
	}
	o.mu.Lock()
	body := append(binary.BigEndian.AppendUint64(nil, items), o.prepared...)
	o.mu.Unlock()
	sum := digest.Of(body)
	tmp, err := os.CreateTemp(p.Dir, "new-")
	if err != nil {
		return
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(append(append([]byte(passMagic), sum[:]...), body...))
	if closeErr := tmp.Close(); err == nil && closeErr == nil {
		_ = os.Rename(tmp.Name(), p.entry(o))
	}
}
