// `LISTS`: whether matches are listed instead of counted.
template <bool LISTS> struct gts_search {
    const gts_search_arguments &args;
    u32 lane;
    // State of the level whose number is `lane`.
    u32 place;
    u32 at;
    u32 end;
    u32 pivot;
    u32 bound;
    u32 pending;
    // The lane's share of the count.
    u64 found;
    bool overflow;
    // State of the warp.
    u32 batches;
    bool stopped;
    u32 split;
    // Whether the listing has no room for further rows.
    bool full;
    // The warp's work: the lowest level of the current walk (0 if there is no walk), and the range of remaining
    // entries.
    u32 base;
    u64 rest;
    u64 behind;

    __device__ __forceinline__ gts_search(const gts_search_arguments &args)
        : args(args), lane(threadIdx.x % GTS_WARP), place(0), at(0), end(0), pivot(0), bound(0), pending(0), found(0),
          overflow(false), batches(0), stopped(false), split(0), full(false), base(0), rest(0), behind(0) {}

    __device__ __forceinline__ u32 of(u32 value, u32 level) const { return __shfl_sync(GTS_ALL_LANES, value, level); }

    __device__ __forceinline__ void add(u64 count) {
        found += count;
        overflow |= found < count;
    }

    __device__ __forceinline__ u32 degree(u32 v) const {
        return (u32)(gts_load(args.starts + v + 1) - gts_load(args.starts + v));
    }

    // Returns the first index in `low..high` of a list whose vertex is not below `w`, or `high`.
    __device__ __forceinline__ u32 seek(u64 start, u32 low, u32 high, u32 w) const {
        while (low < high) {
            u32 middle = low + (high - low) / 2;
            if (gts_load(args.neighbours + start + middle) < w) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    // Returns whether the list of `v` contains `w`.
    __device__ __forceinline__ bool names(u32 v, u32 w) const {
        u64 start = gts_load(args.starts + v);
        u32 before = gts_load(args.before + v);
        u32 low = w < v ? 0 : before;
        u32 high = w < v ? before : degree(v);
        u32 found_at = seek(start, low, high, w);
        return found_at < high && gts_load(args.neighbours + start + found_at) == w;
    }

    // Returns whether a vertex's degree suffices for a level.
    __device__ __forceinline__ bool has_degree(u32 level, u32 w) const {
        const gts_search_level &wanted = args.levels[level];
        return wanted.least_degree <= (u32)__popc(wanted.adjacent) || degree(w) >= wanted.least_degree;
    }

    // Begins a level: selects the shortest list that the level can walk, and computes the exclusive upper bound on the
    // level's vertex.
    __device__ __forceinline__ void enter(u32 level) {
        const gts_search_level &wanted = args.levels[level];
        u32 below = wanted.behind;
        for (u32 left = wanted.below; left != 0; left &= left - 1) {
            below = min(below, of(place, __ffs(left) - 1));
        }
        u32 length = GTS_ALL_LANES;
        if (wanted.adjacent >> lane & 1) {
            length = below <= place ? gts_load(args.before + place) : degree(place);
        }
        u32 best = 0;
        u32 least = GTS_ALL_LANES;
        for (u32 left = wanted.adjacent; left != 0; left &= left - 1) {
            u32 other = __ffs(left) - 1;
            u32 its = of(length, other);
            if (its < least) {
                best = other;
                least = its;
            }
        }
        // The index of the first vertex with the required label. The walk detects the end of these vertices.
        u32 begin = 0;
        if (wanted.first != 0) {
            begin = seek(gts_load(args.starts + of(place, best)), 0, least, wanted.first);
        }
        if (lane == level) {
            at = begin;
            end = least;
            pivot = best;
            bound = below;
            pending = 0;
        }
    }

    // Returns whether the lane's vertex `w` from the list of level `walked` fits a level. All lanes must call this
    // function.
    __device__ __forceinline__ bool fits(u32 level, u32 walked, u32 w, bool ok) const {
        const gts_search_level &wanted = args.levels[level];
        ok = ok && has_degree(level, w);
        for (u32 left = wanted.distinct; left != 0; left &= left - 1) {
            u32 q = of(place, __ffs(left) - 1);
            ok = ok && q != w;
        }
        for (u32 left = wanted.adjacent & ~(1u << walked); left != 0; left &= left - 1) {
            u32 v = of(place, __ffs(left) - 1);
            ok = ok && names(v, w);
        }
        for (u32 left = wanted.apart; left != 0; left &= left - 1) {
            u32 v = of(place, __ffs(left) - 1);
            ok = ok && !names(v, w);
        }
        return ok;
    }

    // Returns the number of vertices that fit the last level if the lane's vertex `w` is chosen at the level before.
    // Every vertex in the list must fit, except for vertices that have been chosen. All lanes must call this function.
    __device__ __forceinline__ u64 count_by_length(u32 level, u32 w, bool ok) const {
        const gts_search_level &wanted = args.levels[level];
        u32 walked = __ffs(wanted.adjacent) - 1;
        u32 v = chosen(level, walked, w);
        u32 below = wanted.behind;
        for (u32 left = wanted.below; left != 0; left &= left - 1) {
            below = min(below, chosen(level, __ffs(left) - 1, w));
        }
        u32 count = 0;
        if (ok) {
            if (below == v) {
                count = gts_load(args.before + v);
            } else if (below == GTS_ALL_LANES) {
                count = degree(v);
            } else {
                count = seek(gts_load(args.starts + v), 0, degree(v), below);
            }
            if (wanted.first != 0) {
                count -= seek(gts_load(args.starts + v), 0, count, wanted.first);
            }
        }
        for (u32 left = wanted.distinct; left != 0; left &= left - 1) {
            u32 other = __ffs(left) - 1;
            u32 q = chosen(level, other, w);
            bool joined = args.levels[max(other, walked)].adjacent >> min(other, walked) & 1;
            if (ok && q >= wanted.first && q < below && (joined || names(v, q))) {
                count--;
            }
        }
        return count;
    }

    // Returns the chosen vertex of a level before `last`. At the level just before `last`, each lane has its own vertex
    // `w`.
    __device__ __forceinline__ u32 chosen(u32 last, u32 level, u32 w) const {
        u32 its = of(place, level);
        return level + 1 == last ? w : its;
    }

    // Checks at intervals whether the warp must stop, and whether it must leave its work as units.
    __device__ __forceinline__ void tick() {
        if (++batches % GTS_SEARCH_TICKS != 0) {
            return;
        }
        u32 seen = 0;
        if (lane == 0) {
            stopped = *(volatile const u32 *)&args.status->stop != 0;
            seen = *(volatile u32 *)&args.control->split;
        }
        stopped = of(stopped, 0) != 0;
        seen = of(seen, 0);
        if (LISTS) {
            u32 filled = lane == 0 && *(volatile u64 *)&args.control->rows > args.room_of_rows;
            full = of(filled, 0) != 0;
        }
        split = batches >= GTS_SEARCH_LEAST ? seen : 0;
    }

    // Walks the rest of level `base` and of the higher levels. Returns false if the walk was interrupted.
    __device__ bool walk(u32 base) {
        u32 last = args.num_levels - 1;
        for (u32 level = base;;) {
            u32 waiting = of(pending, level);
            u32 walked = of(pivot, level);
            u32 from = of(place, walked);
            u64 start = gts_load(args.starts + from);
            u32 here = of(at, level);
            if (waiting != 0) {
                u32 bit = __ffs(waiting) - 1;
                u32 w = gts_load(args.neighbours + start + here - GTS_WARP + bit);
                if (lane == level) {
                    pending &= pending - 1;
                    place = w;
                }
                __syncwarp();
                level++;
                enter(level);
                continue;
            }
            u32 stop = of(end, level);
            if (here >= stop) {
                if (level == base) {
                    return true;
                }
                level--;
                continue;
            }
            tick();
            if (stopped || (LISTS && full)) {
                return false;
            }
            if (split != 0) {
                leave(base, level);
                return false;
            }
            u32 below = of(bound, level);
            bool ok = here + lane < stop;
            u32 w = ok ? gts_load(args.neighbours + start + here + lane) : 0;
            // Neighbours are in ascending order, so the walk ends at the first neighbour that is not below the bound.
            bool beyond = __any_sync(GTS_ALL_LANES, ok && w >= below);
            ok = fits(level, walked, w, ok && w < below);
            if (lane == level) {
                at = here + GTS_WARP;
                end = beyond ? min(at, stop) : stop;
            }
            if (LISTS && level == last) {
                if (!list(level, w, ok)) {
                    // Step back, so that the next launch repeats the batch.
                    if (lane == level) {
                        at = here;
                    }
                    return false;
                }
            } else if (level == last) {
                add(ok);
            } else if (level + 1 == last && args.by_length) {
                add(count_by_length(last, w, ok));
            } else {
                u32 passed = __ballot_sync(GTS_ALL_LANES, ok);
                if (lane == level) {
                    pending = passed;
                }
                __syncwarp();
            }
        }
    }

    // Adds a row for each lane whose vertex passes at the last level. If the listing has too little room, adds no row
    // and returns false.
    __device__ bool list(u32 last, u32 w, bool ok) {
        u32 passed = __ballot_sync(GTS_ALL_LANES, ok);
        if (passed == 0) {
            return true;
        }
        u32 count = __popc(passed);
        u64 slot = 0;
        if (lane == 0) {
            slot = atomicAdd(&args.control->rows, (u64)count);
        }
        slot = __shfl_sync(GTS_ALL_LANES, slot, 0);
        if (slot + count > args.room_of_rows) {
            // Rows are reserved in order, so exactly one reservation crosses the end of the room.
            if (lane == 0 && slot <= args.room_of_rows) {
                args.control->listed = slot;
            }
            full = true;
            return false;
        }
        u32 *row = args.rows + (slot + __popc(passed & ((1u << lane) - 1))) * (last + 1);
        for (u32 level = 0; level < last; level++) {
            u32 v = of(place, level);
            if (ok) {
                row[level] = v;
            }
        }
        if (ok) {
            row[last] = w;
        }
        return true;
    }

    // Saves the search for the next launch.
    __device__ void save(u32 *words) const {
        if (lane == 0) {
            words[0] = GTS_SEARCH_WAITS;
            words[1] = base;
            words[2] = (u32)rest;
            words[3] = (u32)(rest >> 32);
            words[4] = (u32)behind;
            words[5] = (u32)(behind >> 32);
        }
        u32 *own = words + 6 + lane;
        own[0 * GTS_WARP] = place;
        own[1 * GTS_WARP] = at;
        own[2 * GTS_WARP] = end;
        own[3 * GTS_WARP] = pivot;
        own[4 * GTS_WARP] = bound;
        own[5 * GTS_WARP] = pending;
    }

    // Restores a saved search.
    __device__ __forceinline__ void take_up(const u32 *words) {
        base = words[1];
        rest = words[2] | (u64)words[3] << 32;
        behind = words[4] | (u64)words[5] << 32;
        const u32 *own = words + 6 + lane;
        place = own[0 * GTS_WARP];
        at = own[1 * GTS_WARP];
        end = own[2 * GTS_WARP];
        pivot = own[3 * GTS_WARP];
        bound = own[4 * GTS_WARP];
        pending = own[5 * GTS_WARP];
        __syncwarp();
    }

    // Leaves the rest of the levels from `base` to `level` as units for the next round.
    __device__ void leave(u32 base, u32 level) {
        u64 rows = min((u64)GTS_SEARCH_PIECES, (args.room / split - 1) / args.num_levels);
        for (u32 each = base; each <= level; each++) {
            u32 waiting = of(pending, each);
            u32 begin = of(at, each);
            u32 stop = of(end, each);
            if (waiting != 0) {
                begin = begin - GTS_WARP + __ffs(waiting) - 1;
            }
            if (begin >= stop) {
                continue;
            }
            u32 least = each + 1 + (args.by_length != 0) == args.num_levels ? GTS_WARP : 1u;
            u32 piece = max((u32)((stop - begin + rows - 1) / rows), least);
            u32 pieces = (stop - begin + piece - 1) / piece;
            u64 slot = take(pieces);
            u32 stride = GTS_SEARCH_STRIDE(args.num_levels);
            for (u32 index = 0; index < pieces; index++) {
                u32 *unit = args.left + (slot + index) * stride;
                if (lane < each) {
                    unit[3 + lane] = place;
                }
                if (lane == 0) {
                    unit[0] = each;
                    unit[1] = begin + index * piece;
                    unit[2] = min(begin + (index + 1) * piece, stop);
                }
            }
        }
    }

    // Reserves `count` units of the next round, and returns the index of the first unit.
    __device__ __forceinline__ u64 take(u32 count) {
        u64 slot = 0;
        if (lane == 0) {
            slot = atomicAdd(&args.control->left, (u64)count);
        }
        return __shfl_sync(GTS_ALL_LANES, slot, 0);
    }

    // Returns the vertex whose list contains an entry.
    __device__ __forceinline__ u64 owner(u64 entry) const {
        u64 low = 0;
        u64 high = args.num_vertices;
        while (low + 1 < high) {
            u64 middle = low + (high - low) / 2;
            if (gts_load(args.starts + middle) <= entry) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return low;
    }

    // Continues the warp's work. First completes the walk of level `base`, unless `base` is 0. Then searches from each
    // entry in `rest..behind`: the list's owner is the first vertex, and the entry is the second. Returns false if the
    // work was interrupted.
    __device__ __forceinline__ bool go_on() {
        // If a walk is in progress, the first vertex's list is not part of the rest.
        u64 v = base != 0 ? (u64)of(place, 0) + 1 : owner(rest);
        for (;;) {
            if (base != 0) {
                if (!walk(base)) {
                    if (split != 0 && !full && rest < behind) {
                        leave_entries(rest, behind);
                    }
                    return false;
                }
                base = 0;
            }
            for (; base == 0 && v < args.num_vertices && rest < behind; v++) {
                u64 start = gts_load(args.starts + v);
                u64 stop = gts_load(args.starts + v + 1);
                if (stop <= rest) {
                    continue;
                }
                u64 first = rest;
                rest = min(stop, behind);
                if (v >= args.levels[0].first && v < args.levels[0].behind && has_degree(0, (u32)v)) {
                    if (lane == 0) {
                        place = (u32)v;
                    }
                    __syncwarp();
                    enter(1);
                    if (lane == 1) {
                        at = max(at, (u32)(first - start));
                        end = min(end, (u32)(rest - start));
                    }
                    __syncwarp();
                    base = 1;
                }
            }
            if (base == 0) {
                return true;
            }
        }
    }

    __device__ void leave_entries(u64 first, u64 behind) {
        u64 slot = take(1);
        if (lane == 0) {
            u32 *unit = args.left + slot * GTS_SEARCH_STRIDE(args.num_levels);
            unit[0] = 0;
            unit[1] = (u32)first;
            unit[2] = (u32)(first >> 32);
            unit[3] = (u32)behind;
            unit[4] = (u32)(behind >> 32);
        }
    }

    // Begins a unit of the round.
    __device__ __forceinline__ void begin(u64 index) {
        base = 0;
        if (args.units == nullptr) {
            u64 all = gts_load(args.starts + args.num_vertices);
            rest = index * GTS_SEARCH_CHUNK;
            behind = min((index + 1) * GTS_SEARCH_CHUNK, all);
            return;
        }
        const u32 *words = args.units + index * GTS_SEARCH_STRIDE(args.num_levels);
        u32 level = gts_load(words);
        if (level == 0) {
            rest = gts_load(words + 1) | (u64)gts_load(words + 2) << 32;
            behind = gts_load(words + 3) | (u64)gts_load(words + 4) << 32;
            return;
        }
        if (lane < level) {
            place = gts_load(words + 3 + lane);
        }
        __syncwarp();
        enter(level);
        if (lane == level) {
            at = gts_load(words + 1);
            end = min(end, gts_load(words + 2));
        }
        __syncwarp();
        base = level;
        rest = 0;
        behind = 0;
    }

    // Completes the restored search if `begun` is set, then processes units until none is left or one is interrupted.
    __device__ __forceinline__ void units(bool begun) {
        for (;; begun = false) {
            if (!begun) {
                u64 index = 0;
                if (lane == 0) {
                    index = atomicAdd(&args.control->next, 1ull);
                }
                index = __shfl_sync(GTS_ALL_LANES, index, 0);
                if (index >= args.num_units) {
                    return;
                }
                begin(index);
            }
            if (!go_on()) {
                return;
            }
        }
    }
};

// Processes units until none is left, then marks the warp as idle. If half of the warps are now idle, sets `split`, so
// that the other warps leave their work.
template <bool LISTS> static __device__ __forceinline__ void gts_search_all(const gts_search_arguments &args) {
    gts_search<LISTS> search(args);
    u32 *saved = nullptr;
    if (LISTS) {
        saved = args.saved + (u64)(blockIdx.x * (GTS_BLOCK / GTS_WARP) + threadIdx.x / GTS_WARP) * GTS_SEARCH_SAVED;
        u32 state = saved[0];
        __syncwarp();
        if (state == GTS_SEARCH_ENDED) {
            return;
        }
        if (state == GTS_SEARCH_WAITS) {
            search.take_up(saved);
        }
        search.units(state == GTS_SEARCH_WAITS);
        if (search.full) {
            search.save(saved);
            return;
        }
        if (search.lane == 0) {
            saved[0] = GTS_SEARCH_ENDED;
        }
    } else {
        search.units(false);
    }
    u64 found = search.found;
    bool overflow = search.overflow;
    for (u32 distance = GTS_WARP / 2; distance > 0; distance /= 2) {
        u64 other = __shfl_down_sync(GTS_ALL_LANES, found, distance);
        bool over = __shfl_down_sync(GTS_ALL_LANES, (u32)overflow, distance) != 0;
        if (search.lane < distance) {
            found += other;
            overflow = overflow || over || found < other;
        }
    }
    if (search.lane != 0) {
        return;
    }
    if (found != 0 && atomicAdd(&args.control->found, found) > ~found) {
        overflow = true;
    }
    if (overflow) {
        atomicExch(&args.control->overflow, 1u);
    }
    u32 warps = gridDim.x * (GTS_BLOCK / GTS_WARP);
    u32 idle = atomicAdd(&args.control->idle, 1u) + 1;
    if (idle * 2 >= warps && idle < warps) {
        atomicCAS(&args.control->split, 0u, warps - idle);
    }
}
