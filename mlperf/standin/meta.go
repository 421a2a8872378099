package standin

import (
	"encoding/json"
	"strconv"

	"paceline/mlperf/rules"
)

// Name is the name that every stand-in bears in its metadata.
const Name = "paceline-standin-mlperf-agentic"

const (
	metaType = "dataset_metadata" // rows of this type are no messages
	notice   = "A stand-in that was made up for rehearsals. It is not the data set of MLPerf Agentic Inference, and a run over it is no result of MLPerf."
	version  = 1 // of the generator: another one makes other bytes
)

// Meta is the first row of a stand-in.
type Meta struct {
	Type         string `json:"_type"`
	Name         string `json:"name"`
	StandIn      bool   `json:"standin"`
	Official     bool   `json:"official"`
	Notice       string `json:"notice"`
	Version      int    `json:"version"`
	Seed         string `json:"seed"` // unsigned 64 bit, decimal
	Trajectories int    `json:"trajectories"`
	Of           int    `json:"of"` // how many a whole one has
}

func (o Options) meta() Meta {
	return Meta{Type: metaType, Name: Name, StandIn: true, Notice: notice, Version: version, Seed: strconv.FormatUint(o.Seed, 10),
		Trajectories: o.Trajectories, Of: rules.Trajectories}
}

// ReadMeta reads a row as the metadata of a stand-in; nil: it is none.
func ReadMeta(row []byte) *Meta {
	var m Meta
	if err := json.Unmarshal(row, &m); err != nil || m.Type != metaType || !m.StandIn && m.Name != Name {
		return nil
	}
	return &m
}

// Whole says whether the stand-in has as many conversations as the data set that it stands for.
func (m *Meta) Whole() bool { return m.Trajectories == m.Of }
