package export

import "paceline/core/journal"

// ClientName is how exports name their client.
const ClientName = "Paceline"

// Honesty is what every export says of its client.
const Honesty = "Made with Paceline, which is not the reference client. Official results of the scenario CoP must come from the unmodified reference client."

// Client tells which program measured.
type Client struct {
	Name      string `json:"name"`
	Version   string `json:"version"`
	Commit    string `json:"commit,omitempty"`
	Dirty     bool   `json:"dirty,omitempty"`
	Go        string `json:"go"`
	Platform  string `json:"platform"`
	Reference bool   `json:"reference_client"` // always false
	Note      string `json:"note"`
}

func clientOf(b journal.Build) Client {
	return Client{Name: ClientName, Version: b.Version, Commit: b.Commit, Dirty: b.Dirty, Go: b.Go, Platform: b.OS + "/" + b.Arch, Note: Honesty}
}

// version and revision are for fields in which the reference client tells its own.
func (c *Client) version() string { return ClientName + " " + c.Version }

func (c *Client) revision() string {
	switch {
	case c.Commit == "":
		return ClientName + ":unknown"
	case c.Dirty:
		return ClientName + ":" + c.Commit + "+changes"
	}
	return ClientName + ":" + c.Commit
}
