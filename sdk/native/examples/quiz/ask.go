package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"paceline/sdk"
)

// maxAnswer bounds what is read of an answer.
const maxAnswer = 1 << 20

// ask sends one question. Items that belong together name one conversation, so that a target of several engines keeps it
// where its cache is. Whoever has a client for OpenAI's API gives it the target's URL and token in place of this.
func ask(target *sdk.Target, conversation, question string) (string, error) {
	if target == nil {
		return "", sdk.Errorf(sdk.CodeFailedPrecondition, "the host gives no target")
	}
	body, err := json.Marshal(map[string]any{
		"model": target.Model, "max_tokens": 16, "messages": []map[string]string{{"role": "user", "content": question}},
	})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Second) // a step has a minute
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, target.Url+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("Authorization", "Bearer "+target.Token)
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Paceline-Conversation", conversation)
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", sdk.Errorf(sdk.CodeUnavailable, "ask the target: %v", err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil || answer.StatusCode != http.StatusOK {
		return "", sdk.Errorf(sdk.CodeUnavailable, "ask the target: status %d: %.200s", answer.StatusCode, text)
	}
	var said struct {
		Choices []struct {
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(text, &said); err != nil || len(said.Choices) == 0 {
		return "", sdk.Errorf(sdk.CodeUnavailable, "the answer is no chat completion: %.200s", text)
	}
	return said.Choices[0].Message.Content, nil
}
