// Package standin makes a data set in place of the one of MLPerf Agentic Inference, which is not public: the same counts of
// conversations, client turns and answers, one large system prompt with tools that the workflow conversations share, deep
// coding conversations whose answers call bash, seven conversations that end on a client turn, and delays of tools.
//
// What it says means nothing, and it can never pass as the official one: its first row is metadata that says what it is, and
// its digest is another. The same seed gives the same bytes on every machine.
package standin
