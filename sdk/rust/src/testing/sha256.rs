/// Words from the square roots of the first eight primes.
#[rustfmt::skip]
const START: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// Words from the cube roots of the first 64 primes.
#[rustfmt::skip]
const ROUNDS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// SHA-256, since a host tells a component the digests of its inputs.
pub(super) fn sum(bytes: &[u8]) -> [u8; 32] {
    let mut state = START;
    let mut text = bytes.to_vec();
    text.push(0x80);
    while text.len() % 64 != 56 {
        text.push(0);
    }
    text.extend_from_slice(&(bytes.len() as u64 * 8).to_be_bytes());
    for block in text.chunks_exact(64) {
        mix(&mut state, block);
    }
    let mut out = [0; 32];
    for (to, word) in out.chunks_exact_mut(4).zip(state) {
        to.copy_from_slice(&word.to_be_bytes());
    }
    out
}

fn mix(state: &mut [u32; 8], block: &[u8]) {
    let mut w = [0u32; 64];
    for (to, b) in w.iter_mut().zip(block.chunks_exact(4)) {
        *to = u32::from_be_bytes([b[0], b[1], b[2], b[3]]);
    }
    for i in 16..64 {
        let (a, b) = (w[i - 15], w[i - 2]);
        let low = a.rotate_right(7) ^ a.rotate_right(18) ^ a >> 3;
        let high = b.rotate_right(17) ^ b.rotate_right(19) ^ b >> 10;
        w[i] = w[i - 16].wrapping_add(low).wrapping_add(w[i - 7]).wrapping_add(high);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (k, w) in ROUNDS.iter().zip(w) {
        let turn = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let t = h.wrapping_add(turn).wrapping_add(e & f ^ !e & g).wrapping_add(*k).wrapping_add(w);
        let turn = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let u = turn.wrapping_add(a & b ^ a & c ^ b & c);
        (h, g, f, e, d, c, b, a) = (g, f, e, d.wrapping_add(t), c, b, a, t.wrapping_add(u));
    }
    for (to, v) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *to = to.wrapping_add(v);
    }
}

#[test]
fn known_digests() {
    let hex = |b: &[u8]| sum(b).iter().map(|b| format!("{:02x}", b)).collect::<String>();
    for (text, want) in [
        (String::new(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc".into(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("x".repeat(200), "aa20c23e3201834050679e1d88941b9a6fed0557c9a705cb2c315e2e63fd486d"),
    ] {
        assert_eq!(hex(text.as_bytes()), want);
    }
}
