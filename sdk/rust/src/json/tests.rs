use super::*;

#[test]
fn accepts() {
    for doc in [
        "null",
        " true ",
        "false",
        "0",
        "-0.5e+10",
        "1E9",
        "\"\"",
        "[]",
        "{}",
        "[ ]",
        "{ }",
        "[1,[2,{\"a\":[{}]}],\"]\"]",
        "{\"a\":1,\"b\":{\"c\":[]}}",
        "\"\\u00e9\\\\\"",
        "\"\x7f\"",
    ] {
        assert!(parse(doc.as_bytes()).is_ok(), "{}", doc);
    }
    assert!(parse(b"\"\xff\"").is_ok());
    let deep = "[".repeat(MAX_DEPTH) + &"]".repeat(MAX_DEPTH);
    assert_eq!(parse(deep.as_bytes()).unwrap().items().count(), 1);
}

#[test]
fn refuses() {
    for (doc, offset) in [
        ("", 0),
        ("nul", 0),
        ("01", 1),
        ("-", 1),
        ("1.", 2),
        ("1e", 2),
        ("+1", 0),
        ("\"", 1),
        ("\"\n\"", 1),
        ("\"\\x\"", 2),
        ("\"\\u12g4\"", 5),
        ("[", 1),
        ("[1", 2),
        ("[1,]", 3),
        ("[,1]", 1),
        ("[1 2]", 3),
        ("{", 1),
        ("{\"a\"}", 4),
        ("{\"a\":}", 5),
        ("{\"a\":1,}", 7),
        ("{1:2}", 1),
        ("[}", 1),
        ("[1}", 2),
        ("{\"a\":1]", 6),
        ("1 1", 2),
        ("nullx", 4),
        ("]", 0),
        ("\u{feff}1", 0),
    ] {
        assert_eq!(parse(doc.as_bytes()).map_err(|e| e.offset), Err(offset), "{}", doc);
    }
    let deep = "[".repeat(MAX_DEPTH + 1) + &"]".repeat(MAX_DEPTH + 1);
    assert_eq!(parse(deep.as_bytes()).unwrap_err().what, "nested too deeply");
}

#[test]
fn reads() {
    let doc = parse(br#" {"a" : [1 , "x]\"", {"y":2} ,null], "n":-7,"a\u0062":true,"n":8} "#).unwrap();
    assert_eq!(doc.get("n").and_then(Value::i64), Some(8));
    assert_eq!(doc.get("n").and_then(Value::u64), Some(8));
    assert_eq!(doc.get("ab").and_then(Value::bool), Some(true));
    let kinds: Vec<Kind> = doc.get("a").unwrap().items().map(Value::kind).collect();
    assert_eq!(kinds, [Kind::Number, Kind::String, Kind::Object, Kind::Null]);
    assert_eq!(doc.fields().count(), 4);
    assert_eq!(doc.get("c"), None);
    assert_eq!(doc.items().count(), 0);
    assert_eq!(parse(b"\"s\"").unwrap().get("a"), None);
    assert_eq!(parse(b"[ ]").unwrap().items().count(), 0);
    assert_eq!(parse(b"99999999999999999999").unwrap().u64(), None);
}

#[test]
fn texts() {
    for (doc, want) in [
        (&br#""a\n\/\"\\b""#[..], "a\n/\"\\b"),
        (br#""\ud83d\ude00!""#, "\u{1f600}!"),
        (br#""\ud83dx""#, "\u{fffd}x"),
        (br#""\ud83d\u0041""#, "\u{fffd}A"),
        (br#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
        (b"\"cut \xe2\x82\"", "cut \u{fffd}\u{fffd}"),
        (b"\"cut \xe2\x82\\n\"", "cut \u{fffd}\u{fffd}\n"),
    ] {
        assert_eq!(parse(doc).unwrap().str().unwrap(), want);
    }
}

#[test]
fn quotes() {
    let mut out = Vec::new();
    quote(&mut out, "a\"\\\n\r\t\u{8}\u{c}\u{1}<&>\u{2028}\u{7f}é");
    let want = "\"a\\\"\\\\\\n\\r\\t\\b\\f\\u0001\\u003c\\u0026\\u003e\\u2028\u{7f}é\"";
    assert_eq!(String::from_utf8(out).unwrap(), want);
    let mut out = Vec::new();
    quote(&mut out, b"\xff\"\xe2\x82 \xef\xbf\xbd\xed");
    assert_eq!(String::from_utf8(out).unwrap(), "\"\\ufffd\\\"\\ufffd\\ufffd \u{fffd}\\ufffd\"");
}

/// Cuts, swaps and joins pieces of JSON: nothing may panic, and what is accepted can be read to its end.
#[test]
fn survives_anything() {
    let seed = br#"{"a":[1,-2.5e3,"x\u00e9\\",{"b":null}],"c":true,"":"\ud800"}"#;
    let mut state = 1u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for _ in 0..20_000 {
        let mut doc = seed.to_vec();
        for _ in 0..random(4) {
            let at = random(doc.len());
            doc[at] = seed[random(seed.len())];
            doc.truncate(random(doc.len()) + 1);
            doc.extend_from_slice(&seed[random(seed.len())..]);
        }
        if let Ok(v) = parse(&doc) {
            walk(v);
        }
    }
}

fn walk(v: Value<'_>) {
    let _ = (v.str(), v.number(), v.bool());
    v.items().for_each(walk);
    v.fields().for_each(|(_, v)| walk(v));
    assert_eq!(parse(v.bytes()).unwrap(), v);
}
