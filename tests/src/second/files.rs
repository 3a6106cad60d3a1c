//! Files of a store, held in memory, and their checksums.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Contents of a store's files, by file name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files(pub BTreeMap<String, Vec<u8>>);

impl Files {
    /// Reads all files of a folder.
    ///
    /// # Errors
    ///
    /// The folder or a file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let mut files = BTreeMap::new();
        for entry in fs::read_dir(folder).map_err(text)? {
            let entry = entry.map_err(text)?;
            files.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path()).map_err(text)?);
        }
        Ok(Self(files))
    }

    /// Writes the files whose contents differ from `before` to a folder.
    ///
    /// # Errors
    ///
    /// A file cannot be written.
    pub fn write(&self, folder: &Path, before: &Self) -> Result<(), String> {
        let changed = self.0.iter().filter(|(name, bytes)| before.0.get(*name) != Some(bytes));
        for (name, bytes) in changed {
            fs::write(folder.join(name), bytes).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Returns the value of a key in the manifest.
    ///
    /// # Errors
    ///
    /// The manifest does not contain the key.
    pub fn stated(&self, key: &str) -> Result<String, String> {
        let manifest = String::from_utf8_lossy(self.bytes("manifest")?).into_owned();
        let line = manifest.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        line.map(str::to_owned).ok_or_else(|| format!("the manifest states no {key}"))
    }

    /// Returns the numeric value of a key in the manifest.
    ///
    /// # Errors
    ///
    /// The manifest does not contain the key, or the value is not a number.
    pub fn number(&self, key: &str) -> Result<u64, String> {
        self.stated(key)?.parse().map_err(|_| format!("{key} is no number"))
    }

    /// Sets the numeric value of an existing key in the manifest.
    pub fn state(&mut self, key: &str, value: u64) {
        let manifest = String::from_utf8_lossy(&self.0["manifest"]).into_owned();
        let start = format!("{key} ");
        let line = |line: &str| if line.starts_with(&start) { format!("{key} {value}\n") } else { format!("{line}\n") };
        self.0.insert("manifest".to_owned(), manifest.lines().map(line).collect::<String>().into_bytes());
    }

    /// Returns the content of a file.
    ///
    /// # Errors
    ///
    /// The file does not exist.
    pub fn bytes(&self, name: &str) -> Result<&[u8], String> {
        self.0.get(name).map(Vec::as_slice).ok_or_else(|| format!("there is no {name}"))
    }

    /// Reads a file as a table of `N`-byte numbers.
    ///
    /// # Errors
    ///
    /// The file does not exist, or its size is not a multiple of `N`.
    pub fn table<const N: usize>(&self, name: &str) -> Result<Vec<u64>, String> {
        let bytes = self.bytes(name)?;
        if bytes.len() % N != 0 {
            return Err(format!("{name} ends within a number"));
        }
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        Ok(bytes.chunks(N).map(number).collect())
    }

    /// Updates all checksums in the files.
    pub fn reseal(&mut self) {
        let page_size = self.number("page-size").unwrap_or(4096) as usize;
        for side in ["out", "in"] {
            if let Some(pages) = self.0.get(&format!("{side}.pages")) {
                let sums = pages.chunks(page_size).flat_map(|page| xxh3_64(page).to_le_bytes()).collect();
                self.0.insert(format!("{side}.sums"), sums);
            }
        }
        let manifest = String::from_utf8_lossy(&self.0["manifest"]).into_owned();
        let mut text = String::new();
        for line in manifest.lines().filter(|line| !line.starts_with("checksum ")) {
            match *line.split(' ').collect::<Vec<_>>() {
                ["file", name, bytes, _] => text.push_str(&format!("file {name} {bytes} {:016x}\n", self.sum(name))),
                _ => text.push_str(&format!("{line}\n")),
            }
        }
        text.push_str(&format!("checksum {:016x}\n", xxh3_64(text.as_bytes())));
        self.0.insert("manifest".to_owned(), text.into_bytes());
    }

    /// Checks all checksums, and that the manifest lists all files with their sizes.
    ///
    /// # Errors
    ///
    /// The first mismatch.
    pub fn check_seals(&self) -> Result<(), String> {
        let manifest = std::str::from_utf8(self.bytes("manifest")?).map_err(|error| error.to_string())?;
        let (text, sum) = manifest.trim_end().rsplit_once("checksum ").ok_or("the manifest has no checksum")?;
        if sum != format!("{:016x}", xxh3_64(text.as_bytes())) {
            return Err("the checksum of the manifest is wrong".to_owned());
        }
        let mut named = vec!["manifest"];
        for line in text.lines().filter_map(|line| line.strip_prefix("file ")) {
            let [name, bytes, sum] = *line.split(' ').collect::<Vec<_>>() else { return Err(format!("file {line}")) };
            let found = self.bytes(name)?.len();
            if bytes != found.to_string() || sum != format!("{:016x}", self.sum(name)) {
                return Err(format!("{name} is not as it is stated"));
            }
            named.push(name);
        }
        let page_size = self.number("page-size")? as usize;
        for side in ["out", "in"].into_iter().filter(|side| named.contains(&format!("{side}.pages").as_str())) {
            let pages = self.bytes(&format!("{side}.pages"))?.chunks(page_size).map(xxh3_64);
            if !pages.eq(self.table::<8>(&format!("{side}.sums"))?) {
                return Err(format!("a checksum of {side}.pages is wrong"));
            }
        }
        match self.0.keys().find(|name| !named.contains(&name.as_str())) {
            Some(name) => Err(format!("{name} is not stated")),
            None => Ok(()),
        }
    }

    /// Returns the checksum of a file. For pages, returns the checksum of the page checksums.
    fn sum(&self, name: &str) -> u64 {
        xxh3_64(self.bytes(&name.replace(".pages", ".sums")).unwrap_or_default())
    }
}
