package wire

import (
	"fmt"
	"slices"

	"paceline/core/verdict"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

func unitOf(u pb.Unit) verdict.Unit {
	switch u {
	case pb.Unit_UNIT_TURN:
		return verdict.UnitTurn
	case pb.Unit_UNIT_CONVERSATION:
		return verdict.UnitConversation
	default:
		return verdict.Unit(unknown(int32(u)))
	}
}

func needOf(n pb.Need) (verdict.Need, error) {
	need, ok := map[pb.Need]verdict.Need{
		pb.Need_NEED_ANSWER: verdict.NeedAnswer, pb.Need_NEED_RECORDED: verdict.NeedRecorded, pb.Need_NEED_TRUTH: verdict.NeedTruth,
		pb.Need_NEED_APPENDED: verdict.NeedAppended, pb.Need_NEED_HISTORY: verdict.NeedHistory, pb.Need_NEED_TOOLS: verdict.NeedTools,
		pb.Need_NEED_PARAMS: verdict.NeedParams, pb.Need_NEED_CHUNKS: verdict.NeedChunks, pb.Need_NEED_TELEMETRY: verdict.NeedTelemetry,
	}[n]
	if !ok {
		return "", fmt.Errorf("needs: %s", unknown(int32(n)))
	}
	return need, nil
}

// judgeAbout describes an opened judge or counter; what this runner does not know is refused by name.
func (o *opened) judgeAbout() (verdict.About, error) {
	about := verdict.About{Name: o.opts.FullName, Kind: string(kindOf(o.about.GetKind())), Digest: o.plugin.host.Digest(),
		Version: o.plugin.description.GetVersion(), Config: raw(o.opts.Config), Unit: unitOf(o.about.GetUnit()),
		Deterministic: purityOf(o.about.GetPurity()) != lock.PurityNative}
	if o.about.GetUnit() == pb.Unit_UNIT_UNSPECIFIED && o.about.GetKind() == pb.Kind_KIND_SCORER && slices.Contains(o.about.GetCapabilities(), pb.Capability_CAPABILITY_TARGET) {
		about.Unit = verdict.UnitConversation // it judges no samples
	}
	if about.Unit != verdict.UnitTurn && about.Unit != verdict.UnitConversation {
		return about, o.malformed("Describe", "unit: %s", about.Unit)
	}
	for _, n := range o.about.GetNeeds() {
		need, err := needOf(n)
		if err != nil {
			return about, o.malformed("Describe", "%v", err)
		}
		about.Needs = append(about.Needs, need)
	}
	ids := map[string]bool{}
	for i, p := range o.about.GetProbes() {
		probe := verdict.Probe{ID: p.GetId(), After: p.GetWhen() == pb.Probe_WHEN_AFTER, GetPath: p.GetGetPath(), ChatRequest: raw(p.GetChatRequest())}
		switch {
		case probe.ID == "" || ids[probe.ID]:
			return about, o.malformed("Describe", "probes[%d]: id %q is empty or there twice", i, probe.ID)
		case p.GetWhen() != pb.Probe_WHEN_AFTER && p.GetWhen() != pb.Probe_WHEN_BEFORE:
			return about, o.malformed("Describe", "probes[%d].when: %s", i, unknown(int32(p.GetWhen())))
		case (probe.GetPath == "") == (probe.ChatRequest == nil) || !isJSON(probe.ChatRequest, '{'):
			return about, o.malformed("Describe", "probes[%d]: either get_path or a chat_request that is a JSON object", i)
		}
		ids[probe.ID] = true
		about.Probes = append(about.Probes, probe)
	}
	return about, nil
}
