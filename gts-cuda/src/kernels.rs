//! The kernels of a device, compiled at their first launch and retained until the device is dropped.

use super::arguments::{CollectArguments, ListArguments};
use super::cubin_cache::CubinCache;
use super::driver::{Context, Function, Module};
use super::edge_list::ListingArguments;
use super::entry::Entry;
use super::launch::FEW;
use super::merging::{ActivatedArguments, MergeArguments, RangeArguments};
use super::program::{
    MergeProgram, Variant, listing_text, merge_text, pick_text, places_text, program_text, support_text,
};
use gts_contract::KernelDescriptor;
use gts_core::page::PageFormat;
use gts_core::phase::{self, Phase};
use gts_device::error::Result;
use gts_device::kernel::SEARCH;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The key of an entry point: everything that determines the text of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EntryKey {
    /// The address of the descriptor, which is a static.
    kernel: usize,
    format: Option<PageFormat>,
    variant: Variant,
    entry: Entry,
}

/// The key of a kernel that builds edge lists: everything that determines the text of its program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct ListingKey {
    vertex_bytes: usize,
    format: PageFormat,
    values: bool,
}

/// The runtime's own kernels for one width of vertex numbers.
#[derive(Debug)]
pub(super) struct Support {
    pub(super) fill: Function,
    pub(super) fill_any: Function,
    pub(super) order_values: Function,
    pub(super) name_vertices: Function,
    pub(super) least_ranks: Function,
    pub(super) named_of_groups: Function,
    pub(super) set_bits: Function,
    pub(super) set_few_bits: Function,
    pub(super) set_few_cells: Function,
    pub(super) report: Function,
    pub(super) collect_few: Function,
    pub(super) collect_small: Function,
    pub(super) collect_large: Function,
    pub(super) measure_pages: Function,
    pub(super) copy_ranges: Function,
}

/// The compiled and loaded kernels of a device.
#[derive(Debug)]
pub(super) struct Kernels {
    cache: CubinCache,
    functions: Mutex<HashMap<EntryKey, Arc<Function>>>,
    support: Mutex<HashMap<usize, Arc<Support>>>,
    merges: Mutex<HashMap<(usize, MergeProgram), Arc<Function>>>,
    picks: Mutex<HashMap<usize, Arc<Function>>>,
    places: Mutex<HashMap<usize, Arc<Function>>>,
    listings: Mutex<HashMap<ListingKey, Arc<Function>>>,
    /// The kernel that counts matches, and the kernel that lists matches.
    searches: Mutex<[Option<Arc<Function>>; 2]>,
}

impl Kernels {
    pub(super) fn new(cache: CubinCache) -> Self {
        Self {
            cache,
            functions: Mutex::default(),
            support: Mutex::default(),
            merges: Mutex::default(),
            picks: Mutex::default(),
            places: Mutex::default(),
            listings: Mutex::default(),
            searches: Mutex::default(),
        }
    }

    /// Returns the given entry points of a kernel. Missing entry points are compiled as one program.
    pub(super) fn entries(
        &self,
        context: &Arc<Context>,
        kernel: &'static KernelDescriptor,
        format: Option<&PageFormat>,
        variant: Variant,
        entries: &[Entry],
    ) -> Result<Vec<Arc<Function>>> {
        let kernel_address = std::ptr::from_ref(kernel).addr();
        let key = |entry| EntryKey { kernel: kernel_address, format: format.copied(), variant, entry };
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<Entry> =
            entries.iter().copied().filter(|&entry| !functions.contains_key(&key(entry))).collect();
        if !missing.is_empty() {
            let text = program_text(kernel, format, variant, &missing);
            let module = self.load(context, kernel.name, &text)?;
            for entry in missing {
                let function = module.function(&entry.symbol(kernel), &entry.parameters(kernel))?;
                functions.insert(key(entry), Arc::new(function));
            }
        }
        Ok(entries.iter().map(|&entry| functions[&key(entry)].clone()).collect())
    }

    /// Returns the runtime's own kernels for vertex numbers of `vertex_bytes` bytes.
    pub(super) fn support(&self, context: &Arc<Context>, vertex_bytes: usize) -> Result<Arc<Support>> {
        let mut support = self.support.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = support.get(&vertex_bytes) {
            return Ok(found.clone());
        }
        let module = self.load(context, "gts_support", &support_text(vertex_bytes))?;
        let collect = [size_of::<CollectArguments>()];
        let made = Arc::new(Support {
            fill: module.function("gts_fill", &[8; 4])?,
            fill_any: module.function("gts_fill_any", &[8; 4])?,
            order_values: module.function("gts_order_values", &[8; 8])?,
            name_vertices: module.function("gts_name_vertices", &[8; 8])?,
            least_ranks: module.function("gts_least_ranks", &[8; 5])?,
            named_of_groups: module.function("gts_named_of_groups", &[8; 5])?,
            set_bits: module.function("gts_set_bits", &[8; 3])?,
            set_few_bits: module.function("gts_set_few_bits", &[8, 8 * (1 + FEW)])?,
            set_few_cells: module.function("gts_set_few_cells", &[8, 8 * (1 + FEW)])?,
            report: module.function("gts_report", &[8; 10])?,
            collect_few: module.function("gts_collect_few", &collect)?,
            collect_small: module.function("gts_collect_small", &collect)?,
            collect_large: module.function("gts_collect_large", &collect)?,
            measure_pages: module.function("gts_measure_pages", &[8; 5])?,
            copy_ranges: module.function("gts_copy_ranges", &[size_of::<RangeArguments>()])?,
        });
        support.insert(vertex_bytes, made.clone());
        Ok(made)
    }

    /// Returns the kernel that merges replicas.
    pub(super) fn merge(
        &self,
        context: &Arc<Context>,
        vertex_bytes: usize,
        program: MergeProgram,
    ) -> Result<Arc<Function>> {
        let key = (vertex_bytes, program);
        let mut merges = self.merges.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = merges.get(&key) {
            return Ok(found.clone());
        }
        let module = self.load(context, "gts_merge", &merge_text(vertex_bytes, program))?;
        let (name, bytes) = match program.activated {
            false => ("gts_merge", size_of::<MergeArguments>()),
            true => ("gts_unite", size_of::<ActivatedArguments>()),
        };
        let function = Arc::new(module.function(name, &[bytes])?);
        merges.insert(key, function.clone());
        Ok(function)
    }

    /// Returns the kernel that selects the most frequent value for each vertex. Each key is `key_bytes` bytes long.
    pub(super) fn pick(&self, context: &Arc<Context>, key_bytes: usize) -> Result<Arc<Function>> {
        let mut picks = self.picks.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = picks.get(&key_bytes) {
            return Ok(found.clone());
        }
        let module = self.load(context, "gts_pick", &pick_text(key_bytes))?;
        let function = Arc::new(module.function("gts_pick", &[8; 3])?);
        picks.insert(key_bytes, function.clone());
        Ok(function)
    }

    /// Returns the kernel that computes where each vertex's list begins.
    pub(super) fn places(&self, context: &Arc<Context>, vertex_bytes: usize) -> Result<Arc<Function>> {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = places.get(&vertex_bytes) {
            return Ok(found.clone());
        }
        let module = self.load(context, "gts_find_places", &places_text(vertex_bytes))?;
        let function = Arc::new(module.function("gts_find_places", &[size_of::<ListArguments>(), 8, 8])?);
        places.insert(vertex_bytes, function.clone());
        Ok(function)
    }

    /// Returns the kernel that builds an edge list from pages. The list includes edge values if `values` is set.
    pub(super) fn listing(
        &self,
        context: &Arc<Context>,
        format: &PageFormat,
        vertex_bytes: usize,
        values: bool,
    ) -> Result<Arc<Function>> {
        let key = ListingKey { vertex_bytes, format: *format, values };
        let mut listings = self.listings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = listings.get(&key) {
            return Ok(found.clone());
        }
        let module = self.load(context, "gts_list_edges", &listing_text(vertex_bytes, format, values))?;
        let function = Arc::new(module.function("gts_list_edges", &[size_of::<ListingArguments>()])?);
        listings.insert(key, function.clone());
        Ok(function)
    }

    /// Returns the kernel that searches for a pattern. The kernel lists matches if `lists` is set, and otherwise counts
    /// matches.
    pub(super) fn search(&self, context: &Arc<Context>, lists: bool) -> Result<Arc<Function>> {
        let mut searches = self.searches.lock().unwrap_or_else(PoisonError::into_inner);
        let [counts, lists_them] = &mut *searches;
        let (search, entry) = if lists { (lists_them, Entry::ListMatches) } else { (counts, Entry::CountMatches) };
        if let Some(found) = search.as_ref() {
            return Ok(found.clone());
        }
        let module = self.load(context, SEARCH.name, &program_text(&SEARCH, None, Variant::whole(4), &[entry]))?;
        let function = Arc::new(module.function(&entry.symbol(&SEARCH), &entry.parameters(&SEARCH))?);
        *search = Some(function.clone());
        Ok(function)
    }

    fn load(&self, context: &Arc<Context>, name: &str, text: &str) -> Result<Module> {
        phase::during(Phase::Compile, || {
            let cubin = self.cache.cubin(name, text, context.architecture())?;
            Module::load(context, &cubin.bytes)
        })
    }
}
