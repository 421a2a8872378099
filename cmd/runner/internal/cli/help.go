package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// columns is the width of a terminal that help and lists are made for.
const columns = 80

// wrap breaks lines between words so that none is wider than columns where its words allow it. Lines of a paragraph are
// joined first; an empty line ends a paragraph. Every line but the first begins with indent.
func wrap(text, indent string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("\n\n" + indent)
		}
		at := utf8.RuneCountInString(indent)
		for j, word := range strings.Fields(paragraph) {
			word = printable(word)
			n := utf8.RuneCountInString(word)
			switch {
			case j == 0:
			case at+1+n > columns:
				b.WriteString("\n" + indent)
				at = utf8.RuneCountInString(indent)
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += n
		}
	}
	return b.String()
}

// printable puts a question mark in place of what moves a terminal's cursor or cannot be shown: some texts are strangers'.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, s)
}

// readable makes the help of a command and of those below it fit a terminal.
func readable(c *cobra.Command) {
	c.Long = wrap(c.Long, "")
	for _, sub := range c.Commands() {
		readable(sub)
	}
}

// usage writes how a command is called, its examples, its commands and its flags.
func usage(c *cobra.Command) error {
	line := c.UseLine()
	if own := strings.Contains(c.Use, " "); c.HasAvailableSubCommands() && own { // it takes arguments of its own beside its commands
		line += "\n  " + c.CommandPath() + " COMMAND"
	} else if c.HasAvailableSubCommands() {
		line = c.CommandPath() + " COMMAND"
	}
	b := fmt.Appendf(nil, "Usage:\n  %s\n", line)
	if c.HasExample() {
		b = fmt.Appendf(b, "\nExamples:\n%s\n", c.Example)
	}
	if c.HasAvailableSubCommands() {
		b = append(b, "\nCommands:\n"...)
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				indent := strings.Repeat(" ", sub.NamePadding()+3)
				b = fmt.Appendf(b, "  %-*s %s\n", sub.NamePadding(), sub.Name(), strings.TrimPrefix(wrap(sub.Short, indent), indent))
			}
		}
		b = fmt.Appendf(b, "\n`%s COMMAND --help` tells more.\n", c.CommandPath())
	}
	if c.HasAvailableLocalFlags() {
		b = fmt.Appendf(b, "\nFlags:\n%s\n", strings.TrimRight(c.LocalFlags().FlagUsagesWrapped(columns), "\n "))
	}
	_, err := c.OutOrStderr().Write(b)
	return err
}
