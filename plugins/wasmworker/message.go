package wasmworker

import (
	"paceline/core/digest"
	"paceline/core/seed"
)

// Mode says how a module is run.
type Mode string

// Modes. The interpreter is far slower; it is for replaying what the compiler did.
const (
	Compiler    Mode = "compiler"
	Interpreter Mode = "interpreter"
)

// Load is the head of a load frame. All limits are in bytes unless their name says pages.
type Load struct {
	Digest      digest.SHA256 `json:"sha256"` // of the module's bytes, checked again by the worker
	Mode        Mode          `json:"mode"`
	Pure        bool          `json:"pure"` // refuse WASI imports
	MemoryPages uint32        `json:"memory_pages"`
	MaxReply    uint32        `json:"max_reply"`
	LogBytes    int64         `json:"log_bytes"`   // forwarded at most, in the life of the worker
	CacheDir    string        `json:"cache_dir"`   // empty: no cache
	InputSizes  []int64       `json:"input_sizes"` // of the inherited descriptors, in their order
	CPUMillis   uint32        `json:"cpu_ms"`      // for loading; the parent watches it, this is the backstop
}

// Loaded answers a load.
type Loaded struct {
	Cache CacheUse `json:"cache"`
	Note  string   `json:"note,omitempty"` // why the cache was not used, for people
}

// CacheUse says what the compile cache did.
type CacheUse string

// Uses of the cache.
const (
	CacheHit     CacheUse = "hit"
	CacheMiss    CacheUse = "miss"    // compiled and stored
	CacheDamaged CacheUse = "damaged" // an entry could not be used; compiled and stored anew
	CacheOff     CacheUse = "off"     // not asked for, or the folder cannot be used
)

// Instantiate makes a fresh instance and runs its start function and _initialize.
type Instantiate struct {
	Instance uint32    `json:"instance"`
	Seed     seed.Seed `json:"seed"` // the component's
}

// Fault says what kind of failure ended a request.
type Fault string

// Faults.
const (
	FaultTrap      Fault = "trap"      // unreachable, out of bounds, stack overflow, ...
	FaultExit      Fault = "exit"      // the guest ended itself, also with code 0
	FaultOversized Fault = "oversized" // the reply is above the limit
	FaultMalformed Fault = "malformed" // the reply is not what the ABI says
	FaultMemory    Fault = "memory"    // the guest has no memory for the request, or failed after it was refused more
	FaultRefused   Fault = "refused"   // the module is no plugin of this ABI
	FaultInternal  Fault = "internal"  // the worker itself
)

// Failure answers a request that failed. The instance that a call failed in is closed already.
type Failure struct {
	Fault Fault  `json:"fault"`
	Text  string `json:"text"`
	Code  uint32 `json:"code,omitempty"`  // exit code
	Found uint64 `json:"found,omitempty"` // size of what was too large
	Limit uint64 `json:"limit,omitempty"`
	Grown bool   `json:"grown,omitempty"` // memory: it was refused to grow to Found, and failed after that
}

// Error gives the text.
func (f *Failure) Error() string { return string(f.Fault) + ": " + f.Text }
