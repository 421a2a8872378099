package chat

// Request is one request, ready to be sent: its body is a list of shared fragments whose concatenation is the JSON.
// Fragments are never written to after they were handed over, so many requests may hold the same ones.
type Request struct {
	Body    [][]byte
	Size    int64 // sum of the fragments' lengths
	Stream  bool  // the body asks for a stream
	Headers []Header
	closing int // bytes of the last fragment that stand before the parameters
}
