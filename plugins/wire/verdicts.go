package wire

import (
	"paceline/core/judge"
	"paceline/core/verdict"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

func concludeRequest(c judge.Conclusion) *pb.ConcludeRequest {
	return &pb.ConcludeRequest{Account: c.Account, Metrics: c.Metrics, RunConfig: c.RunConfig, Facts: factsTo(c.Facts), Telemetry: c.Telemetry}
}

// account checks an account's size.
func (o *opened) account(call string, account []byte) error {
	if len(account) > lock.MaxAccount {
		return o.malformed(call, "an account of %d bytes, and %d are allowed", len(account), lock.MaxAccount)
	}
	return nil
}

// findings translates and checks findings.
func (o *opened) findings(call string, list []*pb.Finding) ([]verdict.Finding, error) {
	var findings []verdict.Finding
	for i, f := range list {
		severity, ok := map[pb.Finding_Severity]verdict.Severity{
			pb.Finding_SEVERITY_INFO: verdict.Info, pb.Finding_SEVERITY_WARNING: verdict.Warning, pb.Finding_SEVERITY_ERROR: verdict.Error,
		}[f.GetSeverity()]
		switch {
		case !ok:
			return nil, o.malformed(call, "findings[%d].severity: %s", i, unknown(int32(f.GetSeverity())))
		case f.GetCode() == "":
			return nil, o.malformed(call, "findings[%d].code is empty", i)
		case !isJSON(raw(f.GetDetail()), 0):
			return nil, o.malformed(call, "findings[%d].detail is no JSON", i)
		}
		findings = append(findings, verdict.Finding{Severity: severity, Code: f.GetCode(), Message: f.GetMessage(), Trajectory: f.GetTrajectory(),
			Repeat: f.GetRepeat(), Turn: f.GetTurn(), Detail: raw(f.GetDetail())})
	}
	return findings, nil
}

// items translates and checks item scores.
func (o *opened) items(call string, list []*pb.ItemScore) ([]verdict.ItemScore, error) {
	var items []verdict.ItemScore
	for i, s := range list {
		if !isJSON(raw(s.GetDetail()), 0) {
			return nil, o.malformed(call, "items[%d].detail is no JSON", i)
		}
		items = append(items, verdict.ItemScore{Trajectory: s.GetTrajectory(), Repeat: s.GetRepeat(), Turn: s.Turn, Scored: s.GetScored(),
			Micro: s.GetMicro(), Reason: s.GetReason(), Detail: raw(s.GetDetail()), Group: s.GetGroup()})
	}
	return items, nil
}

func scoreOf(response *pb.ConcludeScoreResponse) verdict.Score {
	score := verdict.Score{HigherIsBetter: response.GetHigherIsBetter(), ThresholdMicro: response.ThresholdMicro, Passed: response.GetPassed(),
		Complete: response.GetComplete(), Parts: valuesOf(response.GetParts()), Scored: response.GetScored(), Missing: response.GetMissing(),
		Excluded: response.GetExcluded()}
	if v := response.GetScore(); v != nil {
		score.Score = &verdict.Value{Name: v.GetName(), Micro: v.GetMicro(), Unit: v.GetUnit()}
	}
	return score
}

func valuesOf(list []*pb.Value) []verdict.Value {
	var values []verdict.Value
	for _, v := range list {
		values = append(values, verdict.Value{Name: v.GetName(), Micro: v.GetMicro(), Unit: v.GetUnit()})
	}
	return values
}
