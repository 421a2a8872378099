package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// exchange is one thing that a customer wants, and the answer.
type exchange struct {
	code, ask, answer string
}

// wants are what customers come with; %s is the parcel's number.
var wants = []exchange{
	{"I001", "Where is my parcel %s? It was to come yesterday and the page still says that it waits at the depot.", "Parcel %s left the depot this morning and is on tour now. It should be with you by six in the evening. If it is not, tell me and we look further."},
	{"I002", "Can %s go to my office instead? I will not be at home this week.", "Yes, as long as the parcel is not in the van yet, and %s is not. Please give me street, number and post code of the office."},
	{"I003", "I am away until Thursday. Could %s come on Friday?", "Friday is within seven days, so that works. I have set the delivery of %s to Friday; you get a notice on the evening before."},
	{"I004", "The box of %s is crushed on one side and something rattles inside. What do I do now?", "I am sorry to hear that. Please take a photo of the box of %s from the outside and one of what is inside, and send both through the form of the parcel. You get our answer within three working days."},
	{"I005", "My neighbour has nothing, the shop has nothing: %s is gone.", "Then let us search for it. The search for %s is opened after two working days from the planned delivery; I have noted it, and you get a message when it begins. Do you know what the parcel looks like?"},
	{"I006", "The damage report for %s was closed last week. How do I get the postage back?", "Since the report on %s is closed, the postage can be paid back. Please tell me to which account, and it is with you in about five days."},
	{"I007", "I would like to send something of twelve kilos to my sister. How does that go?", "Twelve kilos is fine, since we take up to twenty. You can print the label online or have it made at a counter. Would you rather print it yourself?"},
	{"I008", "What does a box of 60 by 40 by 30 cost within the country?", "That box counts as medium. Please tell me the weight, since the price goes by weight from five kilos on."},
	{"I009", "Until when is the counter at the market open on Saturdays?", "The counter at the market is open from nine to one on Saturdays. On other days it closes at six."},
	{"I010", "I want to send books to Norway. Do I have to fill in a form for customs?", "Yes, parcels to Norway need a customs form, also for books. It asks for the content, the value and the weight of each item. I can send you the form; what is your mail address?"},
	{"I011", "The courier threw the parcel over the gate and drove off. That cannot be right.", "No, that is not how it should be, and I am sorry. I will pass your complaint on to the depot. At what time was that, about?"},
	{"I012", "I have a new mobile number. The notices for %s still go to the old one.", "I can change that for %s. Please give me the new number; the next notice then goes there."},
	{"I014", "Do you by chance also clean offices? We look for someone from May on.", "That is not something I can help with. I pass your message on to a person of our office, who will write to you tomorrow."},
}

// customers are the first wants of each conversation, as indices into wants; the last word is always thanks.
var customers = [][]int{
	{0, 2, 8}, {3, 5, 10, 0}, {6, 7, 9}, {4, 0, 1, 11}, {1, 11, 0, 8, 2}, {7, 6, 12},
	{10, 0, 4}, {2, 1, 11, 8, 0, 3}, {9, 7, 6, 8}, {11, 0, 2}, {5, 12, 8, 6, 7}, {0, 4, 10, 5, 2, 1, 8},
}

// workflow plays one customer.
func workflow(r *rand.Rand, index int, list []int) []row {
	number := fmt.Sprintf("HW%09d", 100_000_000+r.IntN(899_999_999))
	var rows []row
	for i, want := range list {
		w := wants[want]
		ask := fill(w.ask, number)
		if i == 0 {
			ask = "Hello, I am a customer. " + ask
		} else {
			ask = pick(r, []string{"Good. ", "I see. ", "All right, thank you for that. ", "One more thing. "}) + ask
		}
		answer := row{
			Role: "assistant", IntentCodes: []string{w.code},
			Reasoning: fmt.Sprintf("The customer's message is about this: %s. Nothing else must be settled first.", meaning(w.code)),
			Content:   "intent: " + w.code + "\n" + fill(w.answer, number),
		}
		rows = append(rows, row{Role: "user", Content: ask, Delay: pause(r)}, answer)
	}
	rows = append(rows,
		row{Role: "user", Content: pick(r, []string{"That was all, thank you.", "Thanks, good bye!", "Great, have a nice day."}), Delay: pause(r)},
		row{Role: "assistant", IntentCodes: []string{"I013"}, Content: "intent: I013\nYou are welcome. Write again when something is open, and have a good day."})
	rows[0].ID, rows[0].Delay = fmt.Sprintf("sim_%03d", index+1), 0
	return rows
}

func fill(text, number string) string { return strings.ReplaceAll(text, "%s", number) }

// meaning gives the line of the system prompt's table.
func meaning(code string) string {
	_, rest, _ := strings.Cut(system, "\n"+code+" ")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}
