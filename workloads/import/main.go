// Command import is the plugin std/import: workloads that read the trace files which people have, and the normal form.
package main

import (
	"runtime/debug"

	"paceline/sdk"
	"paceline/workloads/import/aiperfdag"
	"paceline/workloads/import/aiperfturns"
	"paceline/workloads/import/atif"
	"paceline/workloads/import/claudecode"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/langfuse"
	"paceline/workloads/import/langsmith"
	"paceline/workloads/import/minisweagent"
	"paceline/workloads/import/mlperfrows"
	"paceline/workloads/import/mooncake"
	"paceline/workloads/import/normal"
	"paceline/workloads/import/openai"
	"paceline/workloads/import/openinference"
	"paceline/workloads/import/otel"
	"paceline/workloads/import/sharegpt"
	"paceline/workloads/import/sweagent"
	"paceline/workloads/import/tracelab"
	"paceline/workloads/import/trie"
	"paceline/workloads/import/vllm"
	"paceline/workloads/import/weka"
)

// formats are the importers, the most telling first: automatic detection takes the first of those that fit best.
func formats() []frame.Format {
	return []frame.Format{
		normal.Format(),
		trie.Format(),
		mlperfrows.Format(),
		mooncake.Format(),
		weka.Format(),
		tracelab.Format(),
		aiperfdag.Format(),
		aiperfturns.Format(),
		atif.Format(),
		minisweagent.Format(),
		sweagent.Format(),
		claudecode.Format(),
		langsmith.Format(),
		langfuse.Format(),
		openinference.Format(),
		otel.Format(),
		sharegpt.Format(),
		vllm.Format(),
		openai.Format(),
	}
}

var plugin = sdk.Plugin{Name: "import", Version: "0.1.0", Components: components()}

func components() []sdk.Component {
	all := formats()
	list := []sdk.Component{frame.Auto(all)}
	for _, f := range all {
		list = append(list, frame.Component(f))
	}
	return list
}

// memoryLimit is where the collector works as hard as it must: below the 256 MiB that a guest has, so that the largest index
// fits.
const memoryLimit = 208 << 20

func init() {
	debug.SetMemoryLimit(memoryLimit)
	sdk.Serve(&plugin)
}

func main() {}
