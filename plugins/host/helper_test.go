package host

import (
	"context"
	"fmt"
	"time"

	"paceline/plugins/lock"
)

// helperCommand makes the test binary a runner whose plugin hangs.
const helperCommand = "hang-helper"

// helper opens a plugin, starts a call that never returns and tells the worker's process id; then it ends in the way
// that it was told, or waits to be killed.
func helper(way string) int {
	h, err := New(Options{NoCache: true})
	if err != nil {
		return 1
	}
	module := guest(loop)
	p, err := h.Load(Module{Name: "std/test", Bytes: module.Bytes()})
	if err != nil {
		return 1
	}
	c, err := p.Open(context.Background(), ComponentOptions{Name: "comp", Limits: lock.Limits{Batch: 100 * time.Second}})
	if err != nil {
		return 1
	}
	pid := pidOf(c)[0]
	if way == "idle" {
		fmt.Println(pid)
		select {}
	}
	go func() { _, _ = c.send(context.Background(), nil) }()
	for start := h.CPU(); h.CPU() < start+20*time.Millisecond; {
		time.Sleep(time.Millisecond) // until the guest runs
	}
	fmt.Println(pid)
	switch way {
	case "normal":
		_ = h.Close()
		return 0
	case "error":
		return 1 // an error path that closes nothing
	}
	select {}
}
