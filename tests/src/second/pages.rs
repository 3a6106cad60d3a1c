//! Reads the pages of one direction as adjacency lists, with the file position of every entry.

use super::Files;
use std::ops::Range;

/// An edge in a vertex's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Entry {
    /// Number of the vertex at the other end.
    pub(super) vertex: u64,
    /// Bits of the edge value.
    pub(super) value: u64,
}

/// Position of an entry in the file: offsets of its record ID and its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) record: usize,
    pub(super) value: usize,
}

/// The pages of one direction, as lists.
#[derive(Debug)]
pub(super) struct Pages {
    /// Bytes of the page number in a record ID, and bytes of the whole record ID.
    pub(super) width: (usize, usize),
    /// Bytes per edge value.
    pub(super) value_bytes: usize,
    /// List of each vertex, in stored order.
    pub(super) lists: Vec<Vec<Entry>>,
    /// File position of each entry, parallel to `lists`.
    pub(super) spots: Vec<Vec<Spot>>,
    /// Page number and slot that refer to each vertex in record IDs.
    pub(super) names: Vec<(u64, u64)>,
    /// Vertices of each page; empty for pages of a large vertex.
    pub(super) small: Vec<Range<usize>>,
}

/// The vertices of one page.
struct Place {
    start: u64,
    end: u64,
    /// Number of pages left of a large vertex, including this one; 0 for a small page.
    left: u64,
}

impl Pages {
    /// Reads the pages of a direction, `out` or `in`.
    pub(super) fn read(files: &Files, side: &str) -> Result<Self, String> {
        let page_size = files.number("page-size")? as usize;
        let vertices = files.number("vertices")?;
        let value_bytes = match files.stated("values")?.as_str() {
            "none" => 0,
            "u32" | "i32" | "f32" => 4,
            "u64" | "f64" => 8,
            other => return Err(format!("values of type {other}")),
        };
        let stated = files.stated(side)?;
        let (width, count) = stated.split_once(' ').ok_or("no number of pages")?;
        let (p, q) = width.split_once(',').ok_or("no width")?;
        let [p, q, count] = [p, q, count].map(|number| number.parse::<usize>().unwrap_or(0));
        let bytes = files.bytes(&format!("{side}.pages"))?;
        if bytes.len() != count * page_size {
            return Err(format!("{} bytes are not {count} pages", bytes.len()));
        }
        let places = places(files, side, vertices)?;
        if places.len() != count {
            return Err("the page table has another length".to_owned());
        }
        let mut names = vec![(0, 0); vertices as usize];
        for (page, place) in places.iter().enumerate().rev() {
            // If a vertex has several pages, record IDs refer to the first one.
            (place.start..place.end).for_each(|vertex| names[vertex as usize] = (page as u64, vertex - place.start));
        }
        let none = || vec![Vec::new(); vertices as usize];
        let vertices_of = |place: &Place| match place.left {
            0 => place.start as usize..place.end as usize,
            _ => 0..0,
        };
        let small = places.iter().map(vertices_of).collect();
        let mut pages = Self { width: (p, p + q), value_bytes, lists: none(), spots: vec![], names, small };
        pages.spots = (0..vertices).map(|_| Vec::new()).collect();
        for (number, place) in places.iter().enumerate() {
            let page = &bytes[number * page_size..(number + 1) * page_size];
            pages
                .read_page(page, number * page_size, place, &places)
                .map_err(|why| format!("{side} page {number}: {why}"))?;
        }
        Ok(pages)
    }

    fn read_page(&mut self, page: &[u8], at: usize, place: &Place, places: &[Place]) -> Result<(), String> {
        let (slots, entries) = (number(page, 8, 4), number(page, 12, 4));
        if number(page, 0, 8) != place.start || slots != place.end - place.start {
            return Err("the header is not that of its place".to_owned());
        }
        if !self.fits(page.len(), slots, entries) {
            return Err("too many entries".to_owned());
        }
        if place.left > 1 && self.fits(page.len(), 1, entries + 1) {
            return Err("a page that is not the last of its vertex is not full".to_owned());
        }
        let bounds: Vec<u64> = (0..=slots).map(|slot| number(page, page.len() - 4 * (slot as usize + 1), 4)).collect();
        if bounds[0] != 0 || bounds[slots as usize] != entries || bounds.windows(2).any(|pair| pair[0] > pair[1]) {
            return Err("the slots do not ascend".to_owned());
        }
        let values = self.values_at(entries);
        for slot in 0..slots {
            let vertex = (place.start + slot) as usize;
            for entry in bounds[slot as usize]..bounds[slot as usize + 1] {
                let spot = Spot {
                    record: 16 + entry as usize * self.width.1,
                    value: values + entry as usize * self.value_bytes,
                };
                let name = number(page, spot.record, self.width.0);
                let other = number(page, spot.record + self.width.0, self.width.1 - self.width.0);
                let target = places.get(name as usize).map_or(0, |place| place.start + other);
                if self.names.get(target as usize) != Some(&(name, other)) {
                    return Err(format!("entry {entry} names no vertex"));
                }
                let value = number(page, spot.value, self.value_bytes);
                self.lists[vertex].push(Entry { vertex: target, value });
                self.spots[vertex].push(Spot { record: at + spot.record, value: at + spot.value });
            }
        }
        Ok(())
    }

    /// Returns the offset of the values in a page with this number of entries.
    fn values_at(&self, entries: u64) -> usize {
        let end = 16 + entries as usize * self.width.1;
        if self.value_bytes == 0 { end } else { end.div_ceil(self.value_bytes) * self.value_bytes }
    }

    fn fits(&self, page_size: usize, slots: u64, entries: u64) -> bool {
        entries < 1 << 30
            && slots < 1 << 30
            && self.values_at(entries) + entries as usize * self.value_bytes + 4 * (slots as usize + 1) <= page_size
    }

    /// Sorts a list and writes it in place of the vertex's old list, which must have the same length.
    pub(super) fn write(&self, file: &mut [u8], vertex: u64, list: &[Entry]) {
        let mut list = list.to_vec();
        list.sort_unstable();
        for (entry, spot) in list.iter().zip(&self.spots[vertex as usize]) {
            let (page, slot) = self.names[entry.vertex as usize];
            let (p, width) = self.width;
            file[spot.record..spot.record + p].copy_from_slice(&page.to_le_bytes()[..p]);
            file[spot.record + p..spot.record + width].copy_from_slice(&slot.to_le_bytes()[..width - p]);
            file[spot.value..spot.value + self.value_bytes]
                .copy_from_slice(&entry.value.to_le_bytes()[..self.value_bytes]);
        }
    }

    /// Returns the lists of the opposite direction, each in ascending order.
    pub(super) fn turned_around(&self) -> Vec<Vec<Entry>> {
        let mut lists = vec![Vec::new(); self.lists.len()];
        for (vertex, list) in (0..).zip(&self.lists) {
            list.iter().for_each(|entry| lists[entry.vertex as usize].push(Entry { vertex, value: entry.value }));
        }
        lists.iter_mut().for_each(|list| list.sort_unstable());
        lists
    }
}

/// Returns the vertices of each page.
fn places(files: &Files, side: &str, vertices: u64) -> Result<Vec<Place>, String> {
    let starts = files.table::<8>(&format!("{side}.start-vids"))?;
    let lefts = files.table::<4>(&format!("{side}.lp-ranges"))?;
    if starts.len() != lefts.len() {
        return Err("the columns of the page table differ in length".to_owned());
    }
    let mut places: Vec<Place> = Vec::new();
    for (page, (&start, &left)) in starts.iter().zip(&lefts).enumerate() {
        let next = places.last().map_or(0, |place| if place.left > 1 { place.start } else { place.end });
        let goes_on = places.last().is_some_and(|place| place.left > 1);
        let counts_down = places.last().is_none_or(|place| place.left <= 1 || place.left - 1 == left);
        let end = if left > 0 { start + 1 } else { starts.get(page + 1).copied().unwrap_or(vertices) };
        if start != next || end <= start || end > vertices || !counts_down || (goes_on && left == 0) {
            return Err(format!("entry {page} of the page table is out of line"));
        }
        places.push(Place { start, end, left });
    }
    match places.last() {
        Some(place) if place.left > 1 || place.end != vertices => Err("the page table ends too soon".to_owned()),
        None if vertices > 0 => Err("the page table is empty".to_owned()),
        _ => Ok(places),
    }
}

/// Returns the little-endian number in `len` bytes.
fn number(bytes: &[u8], at: usize, len: usize) -> u64 {
    bytes[at..at + len].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
