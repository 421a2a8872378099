package sample

// SelfCheck is one look of the client at itself, taken off the timed path about once a second. Counters are totals since
// the start of the process, so that a difference of two checks describes the span between them.
type SelfCheck struct {
	At               Offset `json:"at"`
	Phase            Phase  `json:"phase"`
	Users            int    `json:"users"`     // with a conversation
	InFlight         int    `json:"in_flight"` // turns
	Asked            int    `json:"asked"`     // users that the load pattern asks for
	CPUNanos         int64  `json:"cpu_ns"`    // user and system time of the runner
	WorkerCPUNanos   int64  `json:"worker_cpu_ns"`
	GCPauseNanos     int64  `json:"gc_pause_ns"`      // stop-the-world time
	GCPauseMaxNanos  int64  `json:"gc_pause_max_ns"`  // longest pause since the check before
	SchedLatMaxNanos int64  `json:"sched_lat_max_ns"` // longest wait of a ready goroutine since the check before
	HeapBytes        int64  `json:"heap_bytes"`
	JournalQueue     int64  `json:"journal_queue_bytes"`
	JournalLost      int64  `json:"journal_lost"`
	PlanWaits        int64  `json:"plan_waits"`   // times a user waited for a plan
	PlanWaitNanos    int64  `json:"plan_wait_ns"` // their sum
	ClientNanos      int64  `json:"client_ns"`    // sum over turns: time between Done and the next Sent beyond the delay
	Turns            int64  `json:"turns"`
}
