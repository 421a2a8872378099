package sample

// Outcome says how one planned turn ended: OK, an error class, or NotSent. Every planned turn of a started conversation
// ends in exactly one.
type Outcome string

// Outcomes. The error classes tell causes apart that a reader would act on differently.
const (
	OK              Outcome = "ok"
	ConnectRefused  Outcome = "connect_refused"  // nobody listens
	Connect         Outcome = "connect"          // any other failure to connect: DNS, route, time limit of connecting
	TLS             Outcome = "tls"              // handshake or certificate
	Timeout         Outcome = "timeout"          // the turn's own time limit
	Reset           Outcome = "reset"            // the connection broke before the end of the answer
	Truncated       Outcome = "truncated"        // a clean end of a stream without finish reason and end mark
	Status          Outcome = "status"           // any other HTTP status than 200
	Auth            Outcome = "auth"             // 401 or 403
	Overload        Outcome = "overload"         // 429, 503 or 529, or the in-band form of one
	ContextOverflow Outcome = "context_overflow" // the prompt does not fit the model
	InBandError     Outcome = "in_band_error"    // status 200 and an error inside
	MalformedStream Outcome = "malformed_stream" // a data event that is not JSON, or broken chunked coding
	NotAnAnswer     Outcome = "not_an_answer"    // status 200 with HTML or JSON without choices
	EmptyBody       Outcome = "empty_body"       // status 200 and nothing at all
	TooLarge        Outcome = "too_large"        // the answer is above the configured limit
	Cancelled       Outcome = "cancelled"        // the run ended before the answer did
	PluginError     Outcome = "plugin_error"     // the workload plugin failed for this turn
	Unfinished      Outcome = "unfinished"       // sent, and the runner died before it recorded how it ended
	NotSent         Outcome = "not_sent"         // with its cause
)

// Failed reports whether o is an error class: neither ok, nor cancelled, unfinished or not sent.
func (o Outcome) Failed() bool {
	switch o {
	case OK, NotSent, Cancelled, Unfinished:
		return false
	default:
		return true
	}
}

// Causes of NotSent.
const (
	CausePriorFailure = "prior_failure" // an earlier turn of the conversation failed
	CauseRunEnded     = "run_ended"     // time limit, interrupt or stop rule
	CausePlugin       = "plugin_error"  // the plan or the live step failed
	CauseRunnerDied   = "runner_died"   // found when reading the journal
	CauseAgentEnded   = "agent_ended"   // a live agent ended while planned turns were left
)

// Notes that a turn may carry beside its outcome; sorted in the record.
const (
	NoteMissingDone     = "missing_done"     // finish reason came, the end mark did not
	NoteNoFinish        = "no_finish_reason" // the end mark came, the finish reason did not: perhaps the server gave up
	NoteEmptyAnswer     = "empty_answer"     // ok, and no generated text at all
	NoteNotStreamed     = "not_streamed"     // a stream was asked for and one JSON document came
	NoteNoUsage         = "no_usage"         // ok, and no token counts
	NoteRechecked       = "rechecked"        // the outcome was told by the same request after the load, see Recheck
	NoteConnectionRetry = "connection_retry" // a reused connection died before any response byte: sent once more
)

// Phase of a run.
type Phase string

// Phases.
const (
	Prepare Phase = "prepare"
	Warmup  Phase = "warmup"
	Measure Phase = "measure"
	Drain   Phase = "drain"
)
