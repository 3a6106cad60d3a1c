//! Splits PTX text into tokens.

/// A token and the number of its line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) line: u32,
}

/// Splits text into words (names, numbers and opcodes) and single characters. Comments are skipped.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'.');
    while at < bytes.len() {
        let begin = at;
        match bytes[at] {
            b'\n' => {
                line += 1;
                at += 1;
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                while at < bytes.len() && bytes[at] != b'\n' {
                    at += 1;
                }
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let end = text[at..].find("*/").map_or(bytes.len(), |end| at + end + 2);
                line += text[at..end].matches('\n').count() as u32;
                at = end;
            }
            b'"' => {
                at = text[at + 1..].find('"').map_or(bytes.len(), |end| at + end + 2);
                tokens.push(Token { text: &text[begin..at], line });
            }
            byte if is_word(byte) => {
                while at < bytes.len() && (is_word(bytes[at]) || text[at..].starts_with("::")) {
                    at += if bytes[at] == b':' { 2 } else { 1 };
                }
                tokens.push(Token { text: &text[begin..at], line });
            }
            _ => {
                let width = text[at..].chars().next().map_or(1, char::len_utf8);
                at += width;
                tokens.push(Token { text: &text[begin..at], line });
            }
        }
    }
    tokens
}

/// Parses a PTX number: decimal, hexadecimal, octal, binary, or the bits of a floating-point number.
pub(crate) fn number(text: &str) -> Option<u64> {
    let text = text.strip_suffix('U').unwrap_or(text);
    let in_base = |digits: &str, base| u64::from_str_radix(digits, base).ok();
    let prefix = |prefix: &str| text.strip_prefix(prefix);
    if let Some(digits) = prefix("0x").or_else(|| prefix("0X")) {
        in_base(digits, 16)
    } else if let Some(digits) = prefix("0f").or_else(|| prefix("0F")).or_else(|| prefix("0d")).or_else(|| prefix("0D"))
    {
        in_base(digits, 16)
    } else if let Some(digits) = prefix("0b").or_else(|| prefix("0B")) {
        in_base(digits, 2)
    } else if text.len() > 1 && text.starts_with('0') {
        in_base(&text[1..], 8)
    } else {
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_signs_keep_their_lines() {
        let found = tokens("// a\n@%p1 bra $L__1;\n/* b\n */ ld.u32 %r1,[%rd2+-4];");
        let shown: Vec<_> = found.iter().map(|token| (token.text, token.line)).collect();
        assert_eq!(shown[..5], [("@", 2), ("%p1", 2), ("bra", 2), ("$L__1", 2), (";", 2)]);
        assert_eq!(shown[5], ("ld.u32", 4));
        assert_eq!(shown[shown.len() - 4..].iter().map(|s| s.0).collect::<String>(), "-4];");
    }

    #[test]
    fn numbers_of_all_bases() {
        let read = ["7", "0x1F", "0f3F800000", "0d3FF0000000000000", "0b101", "017", "12U", "x"].map(number);
        let bits = [Some(7), Some(31), Some(0x3F80_0000), Some(0x3FF0 << 48), Some(5), Some(15), Some(12), None];
        assert_eq!(read, bits);
    }
}
