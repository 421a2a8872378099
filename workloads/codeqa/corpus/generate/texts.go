package main

import (
	"fmt"
	"strings"
)

// messages are the texts that users see: key, English, Norwegian, German.
var messages = [][4]string{
	{"board.empty", "No ship lies here today.", "Ingen skip ligger her i dag.", "Heute liegt hier kein Schiff."},
	{"board.price_pending", "The price follows.", "Prisen kommer senere.", "Der Preis folgt."},
	{"board.stale", "The board is older than two minutes.", "Tavla er eldre enn to minutter.", "Die Tafel ist älter als zwei Minuten."},
	{"call.accepted", "Your call is with the harbour.", "Anløpet er meldt til havna.", "Ihr Anlauf ist gemeldet."},
	{"call.CALL_UNREADABLE", "We could not read your call.", "Vi kunne ikke lese meldingen.", "Wir konnten die Meldung nicht lesen."},
	{"call.NO_WATER_DATA", "We have no tide for this harbour right now.", "Vi har ikke tidevann for havna nå.", "Wir haben gerade keine Gezeiten für diesen Hafen."},
	{"call.NO_WINDOW", "The water is too low for your draught.", "Vannet er for lavt for dypgangen.", "Das Wasser ist zu niedrig für Ihren Tiefgang."},
	{"call.QUAY_FULL", "All quays are taken.", "Alle kaier er opptatt.", "Alle Kais sind belegt."},
	{"call.SHIP_TOO_LONG", "Your ship is longer than our longest quay.", "Skipet er lengre enn den lengste kaia.", "Ihr Schiff ist länger als unser längster Kai."},
	{"call.TIMES_REVERSED", "You leave before you arrive.", "Avgang er før ankomst.", "Die Abfahrt liegt vor der Ankunft."},
	{"price.long_stay", "Discount for a long stay", "Rabatt for langt opphold", "Rabatt für lange Liegezeit"},
	{"price.minimum", "Minimum price", "Minstepris", "Mindestpreis"},
	{"price.power", "Shore power", "Landstrøm", "Landstrom"},
	{"sign_in.expired", "Please sign in again.", "Vennligst logg inn på nytt.", "Bitte melden Sie sich neu an."},
	{"sign_in.harbour", "Harbour office", "Havnekontor", "Hafenamt"},
	{"tide.falling", "Falling", "Fallende", "Fallend"},
	{"tide.high", "High water", "Høyvann", "Hochwasser"},
	{"tide.low", "Low water", "Lavvann", "Niedrigwasser"},
	{"tide.predicted_only", "Predicted, not measured", "Beregnet, ikke målt", "Berechnet, nicht gemessen"},
	{"tide.rising", "Rising", "Stigende", "Steigend"},
}

// texts makes one file a language.
func texts() []file {
	var list []file
	for i, language := range []string{"en", "nb", "de"} {
		var b strings.Builder
		fmt.Fprintf(&b, "{\n  \"_language\": %q,\n  \"_reviewed\": \"2025-%02d-%02d\"", language, 3+2*i, 9+4*i)
		for _, m := range messages {
			fmt.Fprintf(&b, ",\n  %q: %q", m[0], m[i+1])
		}
		b.WriteString("\n}\n")
		list = append(list, file{"i18n/" + language + ".json", b.String()})
	}
	return list
}
