package rules

// Names are the model names that the checker of this version allows, letter for letter; the last three are agentic.
func Names() []string {
	return []string{"llama3_1-8b", "gpt-oss-120b", "deepseek-r1", "kimi-k3", "qwen3_6-35b-a3b", "deepseek-v4_1-flash"}
}

// Last is the last cohort that the set serves.
func (s SeedSet) Last() Cohort { return s.Cohort.Plus(adoption - 1) }
