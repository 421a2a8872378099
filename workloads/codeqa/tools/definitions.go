package tools

// Definitions is the list of tools as it goes into a request.
const Definitions = `[` +
	`{"type":"function","function":{"name":"list","description":"List the files and folders in one folder of the tree.",` +
	`"parameters":{"type":"object","properties":{` +
	`"path":{"type":"string","description":"The folder, e.g. docs/adr. Left out: the root of the tree."}},` +
	`"additionalProperties":false}}},` +
	`{"type":"function","function":{"name":"grep","description":"Find the lines that match a regular expression. ` +
	`Each is given as path:line: text; the last line of the result counts them all.",` +
	`"parameters":{"type":"object","properties":{` +
	`"pattern":{"type":"string","description":"The expression, e.g. max_retries|MaxRetries"},` +
	`"path":{"type":"string","description":"A file or folder to search in. Left out: the whole tree."},` +
	`"ignore_case":{"type":"boolean","description":"Whether upper and lower case are the same. Default: false."}},` +
	`"required":["pattern"],"additionalProperties":false}}},` +
	`{"type":"function","function":{"name":"read","description":"Read lines of one file. Each line has its number in front.",` +
	`"parameters":{"type":"object","properties":{` +
	`"path":{"type":"string","description":"The file, e.g. docs/architecture.md"},` +
	`"start":{"type":"integer","minimum":1,"description":"The first line. Default: 1."},` +
	`"lines":{"type":"integer","minimum":1,"maximum":200,"description":"How many lines. Default: 200."}},` +
	`"required":["path"],"additionalProperties":false}}}]`

// Limits of calls and of their results.
const (
	MaxResult  = 8000      // bytes of a result; what is more is cut at the end of a line, and the result says so
	MaxLines   = 200       // lines that one read gives
	MaxMatches = 100       // lines that one grep shows; it counts them all
	MaxEntries = 200       // entries that one list shows
	MaxLine    = 240       // bytes of a line that grep shows
	MaxPattern = 200       // bytes of an expression
	MaxSteps   = 3_000_000 // of matching in one grep; an ordinary one over the whole tree takes about 200,000
	maxQuoted  = 80        // bytes of the model's own text that an error repeats
)
