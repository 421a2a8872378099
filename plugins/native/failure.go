package native

import "strings"

// Fault says what kind of failure a Failure is.
type Fault string

// Faults.
const (
	FaultStart     Fault = "start"     // the process could not be started, or did not say that it is a plugin
	FaultInterface Fault = "interface" // it speaks no contract that this runner speaks
	FaultDied      Fault = "died"      // the process ended
	FaultTimeout   Fault = "timeout"   // the call took longer than it may
	FaultCancelled Fault = "cancelled" // the caller gave up
	FaultRequest   Fault = "request"   // the request is above its limit: it was not sent
	FaultReply     Fault = "reply"     // the reply is above its limit
	FaultStatus    Fault = "status"    // the plugin's own error; the process stays in use
)

// Failure is one failure of a native plugin. After any fault but a status and a request that was not sent the process is
// being ended.
type Failure struct {
	Fault Fault
	Code  uint32 // of a status: that of google.rpc.Code
	Text  string
	Found uint64 // bytes of a request or a reply, where known
	Err   error
}

// Error tells the failure without plugin and call, which its receiver knows.
func (f *Failure) Error() string {
	text := string(f.Fault)
	if f.Text != "" {
		text += ": " + f.Text
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return text
}

// Unwrap gives the cause behind.
func (f *Failure) Unwrap() error { return f.Err }

// oneLine makes text of a plugin fit to stand in a message.
func oneLine(text string, limit int) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	text = strings.NewReplacer("\n", " | ", "\r", "", "\t", " ").Replace(text)
	if len(text) > limit {
		text = strings.ToValidUTF8(text[:limit], "") + "..."
	}
	return text
}
