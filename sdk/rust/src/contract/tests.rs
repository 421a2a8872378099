use super::*;

fn trajectory(bytes: &[u8]) -> Result<Trajectory, DecodeError> {
    Trajectory::decode(bytes)
}

#[test]
fn presence() {
    assert!(Turn::default().encode().is_empty());
    let zero = Turn { fork_of: Some(0), after: Some(After::default()), ..Default::default() };
    let back = Turn::decode(&zero.encode()).unwrap();
    assert_eq!((back.fork_of, back.after), (Some(0), Some(After::default())));
}

#[test]
fn oneof_keeps_the_last_member() {
    let mut bytes = b"\x0a\x01a\x12\x02\x08\x03".to_vec();
    let filler = |p: &Piece| match &p.kind {
        Some(PieceKind::Filler(f)) => (f.tokens, f.key.clone()),
        other => panic!("got {:?}", other),
    };
    assert_eq!(filler(&Piece::decode(&bytes).unwrap()), (3, vec![]));
    // The same message once more is joined with the first.
    bytes.extend_from_slice(b"\x12\x03\x12\x01k");
    assert_eq!(filler(&Piece::decode(&bytes).unwrap()), (3, b"k".to_vec()));
    bytes.extend_from_slice(b"\x18\x00");
    let last = Piece::decode(&bytes).unwrap();
    assert_eq!(last.kind, Some(PieceKind::AnswerOfTurn(0)));
    assert_eq!(last.encode(), b"\x18\x00");
    // Members in another form are skipped.
    let odd = Piece::decode(b"\x0a\x00\x10\x01\x1a\x00\x0d\0\0\0\0").unwrap();
    assert_eq!(odd.kind, Some(PieceKind::Text(vec![])));
}

#[test]
fn numbers() {
    for micro in [0, 1, -1, i64::MIN, i64::MAX] {
        let v = Value { micro, ..Default::default() };
        assert_eq!(Value::decode(&v.encode()), Ok(v));
    }
    let unknown = Finding { severity: Severity(-7), ..Default::default() };
    assert_eq!(unknown.encode().len(), 11);
    assert_eq!(Finding::decode(&unknown.encode()), Ok(unknown));
    assert_eq!((Severity(-7).name(), Severity::ERROR.name()), ("", "error"));
}

#[test]
fn numeric_lists_in_both_forms() {
    let after = After::decode(b"\x08\x01\x0a\x02\x02\x03\x08\x04").unwrap();
    assert_eq!(after.turns, [1, 2, 3, 4]);
    assert_eq!(after.encode(), b"\x0a\x04\x01\x02\x03\x04");
}

#[test]
fn faults() {
    let deep = b"\xfb\x07".repeat(101);
    let cases: &[(&[u8], DecodeFault, u32)] = &[
        (b"\x0a\x05ab", DecodeFault::Truncated, 1),
        (b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", DecodeFault::Truncated, 1),
        (b"\x80", DecodeFault::Truncated, 0),
        (b"\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", DecodeFault::Varint, 5),
        (b"\x28\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", DecodeFault::Varint, 5),
        (b"\x00\x01", DecodeFault::FieldNumber, 0),
        (b"\x0e", DecodeFault::WireType, 1),
        (b"\x0c", DecodeFault::Group, 1),
        (b"\xfb\x07\x08\x01", DecodeFault::Truncated, 127),
        (b"\xfb\x07\x0c", DecodeFault::Group, 127),
        (&deep, DecodeFault::Depth, 127),
        (b"\xf9\x07\x01\x02", DecodeFault::Truncated, 127),
        (b"\x0a\x01\xff", DecodeFault::Utf8, 1),
    ];
    for (bytes, fault, field) in cases {
        let e = trajectory(bytes).unwrap_err();
        assert_eq!((e.message, e.fault, e.field), ("Trajectory", *fault, *field), "{:x?}", bytes);
    }
    let nested = trajectory(b"\x2a\x02\x08\x80").unwrap_err();
    assert_eq!(nested.to_string(), "decode Turn: field 1: truncated");
}

#[test]
fn skips_what_it_does_not_know() {
    for unknown in [
        &b"\xf8\x07\x05"[..],
        b"\xfa\x07\x02ab",
        b"\xfd\x07abcd",
        b"\xf9\x07abcdefgh",
        b"\xfb\x07\x08\x01\xfb\x07\xfc\x07\xfc\x07",
        b"\x08\x05",
    ] {
        let m = trajectory(&[unknown, b"\x12\x04code"].concat()).unwrap();
        assert_eq!((m.domain.as_str(), m.id.as_str()), ("code", ""));
    }
}

/// Changes bytes of a message: nothing may panic, and what is read can be written and read again.
#[test]
fn survives_anything() {
    let turn = Turn {
        append: vec![Message { body: Some(MessageBody::Json(b"{}".to_vec())) }],
        after: Some(After { turns: vec![0, 300] }),
        ..Default::default()
    };
    let whole = Trajectory {
        id: "é".into(),
        turns: vec![turn],
        start_offset_ns: Some(1 << 40),
        ..Default::default()
    };
    let seed = whole.encode();
    let mut state = 7u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for _ in 0..50_000 {
        let mut bytes = seed.clone();
        for _ in 0..=random(3) {
            let at = random(bytes.len());
            bytes[at] = random(256) as u8;
        }
        bytes.truncate(random(bytes.len() + 1));
        if let Ok(m) = Trajectory::decode(&bytes) {
            let again = m.encode();
            assert_eq!(again.len(), m.encoded_len());
            assert_eq!(Trajectory::decode(&again).unwrap().encode(), again);
        }
    }
}
