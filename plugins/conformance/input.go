package conformance

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"paceline/core/seed"
	"paceline/plugins/store"
	"paceline/plugins/wire"
)

// checkInputs goes through the inputs: they have no fault, and going again says the same.
func (c *component) checkInputs(ctx context.Context) error {
	if len(c.inputs) == 0 {
		return skipf("the component has no inputs")
	}
	first, err := c.work.CheckInputs(ctx, nil)
	if err != nil {
		return err
	}
	again, err := c.work.CheckInputs(ctx, nil)
	if err != nil {
		return fmt.Errorf("checked again: %w", err)
	}
	if first.Items != again.Items {
		return unlike(fmt.Sprintf("%d items in the inputs, as before", first.Items), "%d", again.Items)
	}
	return nil
}

// hostileInput is an input that no component expects.
type hostileInput struct {
	name string
	data []byte
}

// hostileInputs are made from the first bytes of the real input.
func hostileInputs(real []byte) []hostileInput {
	noise := make([]byte, 64<<10)
	random := seed.Derive(rootSeed, seed.Sample, []byte("noise")).Rand()
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	flipped := bytes.Clone(real)
	for i := 7; i < len(flipped); i += 101 {
		flipped[i] ^= 0x41
	}
	return []hostileInput{
		{"an empty one", nil},
		{"one byte", []byte{0}},
		{"the real one, cut in the middle", real[:len(real)/2]},
		{"the real one with flipped bits", flipped},
		{"noise", noise},
		{"deep JSON", bytes.Repeat([]byte("["), 1<<20)},
		{"one line of 8 MiB", bytes.Repeat([]byte("x"), 8<<20)},
		{"a million empty lines", bytes.Repeat([]byte("\n"), 1<<20)},
	}
}

// mostReal is how much of a real input the hostile ones are made from.
const mostReal = 1 << 20

// hostileInputs opens the component with inputs that are broken: each is refused or taken, and nothing crashes or hangs.
func (c *component) hostileInputs(ctx context.Context) error {
	if len(c.inputs) == 0 {
		return skipf("the component has no inputs")
	}
	inputs := c.inputs
	defer func() { c.inputs = inputs }()
	c.inputs = nil
	if err := crashed(c.tryInputs(ctx)); err != nil {
		return fmt.Errorf("no input at all: %w", err)
	}
	for i := range inputs {
		real := make([]byte, min(inputs[i].Size, mostReal))
		if _, err := inputs[i].File.ReadAt(real, 0); err != nil {
			return err
		}
		for _, h := range hostileInputs(real) {
			if err := c.tryHostile(ctx, inputs, i, h); err != nil {
				return fmt.Errorf("input %s, %s: %w", inputs[i].Name, h.name, err)
			}
		}
	}
	return nil
}

// tryHostile replaces one input.
func (c *component) tryHostile(ctx context.Context, inputs []wire.Input, i int, h hostileInput) error {
	path := filepath.Join(c.s.temp, "input")
	if err := os.WriteFile(path, h.data, 0o600); err != nil {
		return err
	}
	in, err := store.OpenInput(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	c.inputs = slices.Clone(inputs)
	c.inputs[i] = wire.Input{Name: inputs[i].Name, File: in.File, Size: in.Size, SHA256: in.SHA256, Path: "the input"}
	return crashed(c.tryInputs(ctx))
}

// tryInputs goes as far as a run would, and one plan further.
func (c *component) tryInputs(ctx context.Context) error {
	w, err := c.s.main.plugin.OpenWorkload(ctx, c.options(c.s.main, 1))
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	if _, err := w.CheckInputs(ctx, nil); err != nil {
		return err
	}
	_, err = w.Plan(ctx, 0, 0)
	return err
}
