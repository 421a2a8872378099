package native

import (
	"bufio"
	"encoding/json"
	"io"
)

// Command is the hidden command of the runner that is the guard.
const Command = "plugin-guard"

// order is what the runner tells the guard in one line on its standard input: what to start. The end of the standard input
// is the order to end.
type order struct {
	File       string   // name of the executable in the private folder
	Env        []string // of the plugin
	Inputs     int      // descriptors from 4 on that the plugin gets from 3 on
	Containers []string // names of container commands to clean up with; empty: the plugin may have none
	Label      string   // of its containers, key=value
}

// told is one line that the guard tells the runner on descriptor 3.
type told struct {
	Dir      string `json:",omitempty"` // the private folder is there
	PID      int    `json:",omitempty"` // the plugin was started
	Refused  string `json:",omitempty"` // it could not be started
	Ended    string `json:",omitempty"` // how it ended; nothing of it is left
	CutLines uint64 `json:",omitempty"` // of what it printed above the rate, with Ended
	CutBytes uint64 `json:",omitempty"`
}

func readLine(r *bufio.Reader, v any) error {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, v)
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(line, '\n'))
	return err
}

// Names in the private folder.
const (
	workFolder   = "w" // the plugin's working folder, empty at first
	socketFolder = "s"
	codeFolder   = "x" // holds the executable
)

// files of the private folder; names are short, since the path of a unix socket may have 103 bytes on some systems.
const folderPattern = "pl"
