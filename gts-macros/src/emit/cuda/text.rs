//! Lines of text that are indented by brace level.

/// A text to which lines are appended.
#[derive(Debug, Default)]
pub(super) struct CodeText {
    text: String,
    level: usize,
}

impl CodeText {
    /// Appends a line. Empty lines are not indented.
    pub(super) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", self.level));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Appends a preprocessor line, without indentation.
    pub(super) fn directive(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// Appends a line that ends with an opening brace.
    pub(super) fn open(&mut self, line: &str) {
        self.line(line);
        self.level += 1;
    }

    /// Appends a line that closes a brace and opens the next one.
    pub(super) fn reopen(&mut self, line: &str) {
        self.level -= 1;
        self.open(line);
    }

    /// Appends a line that begins with a closing brace.
    pub(super) fn close(&mut self, line: &str) {
        self.level -= 1;
        self.line(line);
    }

    /// Returns the whole text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}
