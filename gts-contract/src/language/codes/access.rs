//! Errors in accesses to attributes, and in the order of updates.

macro_rules! access {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    301 FieldAccess "A field of something other than the attributes"
        "Only the first parameter of a kernel has fields: the attributes. The parameter itself is not a value."
        "let all = a;" => "let count = a.count[v];\na.count[v] = count;";

    302 Indexing "An index into something that has no elements"
        "Attributes and local arrays have elements, and a number has none. Bind a computed array with `let` before you \
         index it."
        "let x = 3u32;\na.count[v] = x[0];" => "let x = [3u32; 2];\na.count[v] = x[0];";

    303 IndexCount "Too many or too few indices"
        "An attribute with a value per vertex has the index `[v]`. If the value is an array, a second index selects an \
         element: `[v][i]`. A param or global has no index, unless it is an array. An edge value has the index `[e]`."
        "a.count[v] = a.limit[v];" => "a.count[v] = a.limit;";

    304 VertexIndex "An attribute indexed by something other than a vertex"
        "An attribute with a value per vertex is indexed by a `Vertex` or a `VertexId`, not by a plain number. To \
         index it by a computed number `n`, write `Vertex::new(n)`."
        "a.count[0] = 1;" => "a.count[Vertex::new(0)] = 1;";

    305 EdgeIndex "An edge value indexed by something other than the edge"
        "A kernel reads the `#[edge]` value of the edge for which it runs. Add the parameter `e: Edge` to a `scan` or \
         `traverse` kernel, and write `a.weight[e]`. Values of other edges cannot be read, because they may be in a \
         page that is not loaded. A `#[wa(per = edge)]` is updated in an `intersect` kernel with the parameter `e: \
         Edge`."
        r"
#[gts_kernel(scan)]
fn heavy(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += a.weight[dst];
}" => r"
#[gts_kernel(scan)]
fn heavy(a: &mut A, src: Vertex, dst: Vertex, e: Edge) {
    a.count[dst] += a.weight[e];
}";

    306 EdgePosition "The position of an edge in a kernel without positions"
        "`e.position()` is the position of the edge in the list of `src`. Only `scan` and `traverse` kernels have \
         positions. A reduction may read the lists of the opposite direction, and an `intersect` kernel treats lists \
         as sets."
        r"
#[gts_kernel(gather)]
fn places(a: &mut A, v: Vertex) {
    let sum = v.neighbors().sum(|u, e| e.position() as u32);
    a.count[v] = sum;
}" => r"
#[gts_kernel(scan)]
fn places(a: &mut A, src: Vertex, dst: Vertex, e: Edge) {
    a.count[src] += e.position() as u32;
}";

    307 GlobalRead "A global read in a kernel"
        "Threads update a `#[global]` during the pass, so no thread has its final value. The host reads this value \
         after the pass with `run.global`, and can pass it to a kernel as a `#[param]`. For the same reason, an update \
         of a global returns no old value."
        "a.count[v] = a.total as u32;" => "a.total += a.count[v] as u64;";

    308 ReadOnly "A store into a param or an edge value"
        "The host sets a `#[param]` before a pass, and the store contains the `#[edge]` values. Kernels only read \
         them. Write results to a `#[wa]` or a `#[global]`."
        "a.limit = a.count[v];" => "a.total += a.count[v] as u64;";

    309 RaElsewhere "An `#[ra]` read at another vertex"
        "The values of an `#[ra]` may be streamed with the pages of their vertices. A kernel therefore reads them only \
         at the vertex whose page is loaded: `src` of an edge kernel, `u` of an `intersect` kernel, or `v`. A `#[wa]` \
         is in the device's memory and can be read at any vertex."
        r"
#[gts_attributes]
struct Rank {
    #[ra(from = next)]
    rank: f32,
    #[wa(init = 0.0, merge = sum)]
    next: f32,
}

#[gts_kernel(scan)]
fn push(r: &mut Rank, src: Vertex, dst: Vertex) {
    r.next[src] += r.rank[dst];
}" => r"
#[gts_attributes]
struct Rank {
    #[ra(from = next)]
    rank: f32,
    #[wa(init = 0.0, merge = sum)]
    next: f32,
}

#[gts_kernel(scan)]
fn push(r: &mut Rank, src: Vertex, dst: Vertex) {
    r.next[dst] += r.rank[src];
}";

    310 RaWritten "A store into an `#[ra]`"
        "Kernels only read an `#[ra]`. Write the `#[wa]` that its `from` names, and call `run.rotate` after the pass \
         to move the values into the `#[ra]`."
        r"
#[gts_attributes]
struct Rank {
    #[ra(from = next)]
    rank: f32,
    #[wa(init = 0.0, merge = sum)]
    next: f32,
}

#[gts_kernel(vertex)]
fn reset(r: &mut Rank, v: Vertex) {
    r.rank[v] = 1.0;
}" => r"
#[gts_attributes]
struct Rank {
    #[ra(from = next)]
    rank: f32,
    #[wa(init = 0.0, merge = sum)]
    next: f32,
}

#[gts_kernel(vertex)]
fn reset(r: &mut Rank, v: Vertex) {
    r.next[v] = 1.0;
}";

    311 OtherMerge "An update other than the declared merge"
        "Several threads may update the same element, and several devices may each have a copy of it. The declared \
         merge combines the copies. An edge kernel therefore updates an attribute only by the operation of its merge: \
         `+=` for `sum`, `fetch_min` for `min`, `|=` for `or`. A vertex kernel may store any value at its own vertex. \
         Every kernel updates a global by its merge."
        r"
#[gts_kernel(scan)]
fn far(a: &mut A, src: Vertex, dst: Vertex) {
    a.level[dst].fetch_max(3);
}" => r"
#[gts_kernel(scan)]
fn near(a: &mut A, src: Vertex, dst: Vertex) {
    a.level[dst].fetch_min(3);
}";

    312 EdgeWaAccess "A use of a `#[wa(per = edge)]` other than an update by its merge"
        "A `#[wa(per = edge)]` is updated by its merge in `intersect` kernels. The host reads the values with \
         `run.take_edges`. A kernel can use neither the value nor the old value that an update returns, because no \
         thread has the value of an edge before the pass ends."
        r"
#[gts_attributes]
struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
}

#[gts_kernel(intersect)]
fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    let before = s.support[e].fetch_add(1);
    if before > 3 {
        activate(u);
    }
}" => r"
#[gts_attributes]
struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
}

#[gts_kernel(intersect)]
fn count(s: &mut Support, u: Vertex, v: Vertex, w: Vertex, e: Edge) {
    s.support[e] += 1;
}";

    313 MergeByHand "A read and a store instead of one update"
        "Between the read and the store, another thread may update the same element, and its update would be lost. \
         Write one atomic update, such as `+=`, `|=` or `fetch_min`. If you need the old value for a comparison, call \
         a method such as `fetch_min`, which returns it."
        r"
#[gts_kernel(scan)]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] = a.count[dst] + 1;
}" => r"
#[gts_kernel(scan)]
fn count(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += 1;
}";

    314 StoreByEdge "A store whose value depends on the edge"
        "Several edges may store to the same element, and the last store would win. A plain store in an edge kernel \
         must therefore store the same value for all edges. The value may consist of constants, params, `step()`, and \
         the number and degrees of the vertex at which it is stored. Otherwise, update the element by its merge, or \
         declare `merge = any` if any of the values will do."
        r"
#[gts_kernel(scan)]
fn spread(a: &mut A, src: Vertex, dst: Vertex) {
    a.level[dst] = a.level[src];
}" => r"
#[gts_kernel(scan)]
fn spread(a: &mut A, src: Vertex, dst: Vertex) {
    a.level[dst].fetch_min(a.level[src]);
}";

    315 TwoAccesses "An update and another access in one expression"
        "An update may change the value that another access in the same expression reads, and CUDA C does not specify \
         the order of the two. Bind the first one with `let`."
        "a.count[v] = a.count[v].fetch_add(1) + a.count[v];"
            => "let before = a.count[v].fetch_add(1);\na.count[v] = before + a.count[v];";

    316 MissingValue "Arithmetic on a value that may be missing"
        "`UNREACHED` is the largest integer and represents a missing value. `+ 1` would overflow, and other arithmetic \
         would produce a number that looks valid. Exclude the missing value first, with `!= UNREACHED` or any \
         comparison that is false for the largest integer. `saturating_add` leaves `UNREACHED` unchanged."
        "a.level[v] = a.level[v] + 1;" => "if a.level[v] != UNREACHED {\n    a.level[v] = a.level[v] + 1;\n}";

    317 ReadWhileWritten "A read of values that other threads write"
        "The kernel reads an attribute at a vertex where other threads write it, so the result depends on the order of \
         the threads. The order does not matter at the end if the merge moves values in one direction only: `min`, \
         `max`, `or` or `and`. Otherwise, write to a second attribute, finish the attribute that is read in an earlier pass, \
         or accept any order with `racy`."
        r"
#[gts_kernel(scan)]
fn grow(a: &mut A, src: Vertex, dst: Vertex) {
    if a.count[src] > 2 {
        a.count[dst] += 1;
    }
}" => r"
#[gts_attributes]
struct Two {
    #[wa(init = 0, merge = sum)]
    before: u32,
    #[wa(init = 0, merge = sum)]
    after: u32,
}

#[gts_kernel(scan)]
fn grow(t: &mut Two, src: Vertex, dst: Vertex) {
    if t.before[src] > 2 {
        t.after[dst] += 1;
    }
}";

    318 ArrivalTime "A result that depends on the step in which a value arrives"
        "Other threads of the kernel improve the values that it reads, so an improvement may arrive in this step or in \
         the next. `step()` and random numbers differ between the two steps. Read a second attribute that contains the \
         values of the previous step."
        r"
#[gts_attributes]
struct Seen {
    #[wa(init = 0, merge = or)]
    bits: u64,
    #[wa(init = 0, merge = max)]
    seen: u32,
}

#[gts_kernel(traverse)]
fn spread(s: &mut Seen, src: Vertex, dst: Vertex) {
    let bits = s.bits[src];
    if bits & !s.bits[dst].fetch_or(bits) != 0 {
        s.seen[dst].fetch_max(step());
        activate(dst);
    }
}" => r"
#[gts_attributes]
struct Seen {
    #[wa(init = 0, merge = or)]
    bits: u64,
}

#[gts_kernel(traverse)]
fn spread(s: &mut Seen, src: Vertex, dst: Vertex) {
    let bits = s.bits[src];
    if bits & !s.bits[dst].fetch_or(bits) != 0 {
        activate(dst);
    }
}";

    319 AgainstMerge "An update that may move against the merge"
        "The new value is computed from an attribute that other threads improve. A better input may arrive later and \
         lead to a value that the merge rejects, so the value from the first input remains. Compute the value in a \
         separate kernel, when the other attribute no longer changes."
        r"
#[gts_attributes]
struct Offers {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = max)]
    offered: u32,
}

#[gts_kernel(traverse)]
fn offer(o: &mut Offers, src: Vertex, dst: Vertex) {
    let next = o.level[src] + 1;
    o.offered[dst].fetch_max(next);
    if o.level[dst].fetch_min(next) > next {
        activate(dst);
    }
}" => r"
#[gts_attributes]
struct Offers {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = max)]
    offered: u32,
}

#[gts_kernel(traverse)]
fn spread(o: &mut Offers, src: Vertex, dst: Vertex) {
    let next = o.level[src] + 1;
    if o.level[dst].fetch_min(next) > next {
        activate(dst);
    }
}

#[gts_kernel(scan)]
fn offer(o: &mut Offers, src: Vertex, dst: Vertex) {
    if o.level[src] != UNREACHED {
        o.offered[dst].fetch_max(o.level[src] + 1);
    }
}";

    320 ClosingCondition "A condition that other threads may make false"
        "The condition becomes false when other threads improve the attribute that it reads. Whether the statement \
         runs then depends on the order of the threads. Use a condition that stays true once it is true: it leads to \
         the same result in any order."
        r"
#[gts_attributes]
struct Marks {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = or)]
    mark: u32,
}

#[gts_kernel(traverse)]
fn mark(m: &mut Marks, src: Vertex, dst: Vertex) {
    if m.level[src] > 10 {
        m.mark[dst] |= 1;
    }
    let next = m.level[src] + 1;
    if m.level[dst].fetch_min(next) > next {
        activate(dst);
    }
}" => r"
#[gts_attributes]
struct Marks {
    #[wa(init = UNREACHED, merge = min)]
    level: u32,
    #[wa(init = 0, merge = or)]
    mark: u32,
}

#[gts_kernel(traverse)]
fn mark(m: &mut Marks, src: Vertex, dst: Vertex) {
    if m.level[src] < 10 {
        m.mark[dst] |= 1;
    }
    let next = m.level[src] + 1;
    if m.level[dst].fetch_min(next) > next {
        activate(dst);
    }
}";

    321 OrderOfImprovements "A result that depends on the order of improvements"
        "The statement runs each time a thread improves an attribute. The number of improvements, and the thread that \
         makes the last one, depend on the order of the threads. Compute the result in a separate kernel, when the \
         attribute no longer changes."
        r"
#[gts_kernel(traverse)]
fn improve(a: &mut A, src: Vertex, dst: Vertex) {
    let next = a.level[src] + 1;
    if a.level[dst].fetch_min(next) > next {
        a.count[dst] += 1;
        activate(dst);
    }
}" => r"
#[gts_kernel(traverse)]
fn improve(a: &mut A, src: Vertex, dst: Vertex) {
    let next = a.level[src] + 1;
    if a.level[dst].fetch_min(next) > next {
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn count(a: &mut A, v: Vertex) {
    if a.level[v] != UNREACHED {
        a.count[v] += 1;
    }
}";

    322 AddedTwice "A guard that several edges may pass"
        "Several edges may pass the guard before one of them changes the attribute. The statement runs for each of \
         these edges, so the result depends on their number and their order. Compute the result in a vertex kernel \
         after the step: it runs once for each vertex."
        r"
#[gts_kernel(traverse)]
fn find(a: &mut A, src: Vertex, dst: Vertex) {
    if a.level[dst] == UNREACHED {
        a.level[dst] = step() + 1;
        a.total += 1;
        activate(dst);
    }
}" => r"
#[gts_kernel(traverse)]
fn find(a: &mut A, src: Vertex, dst: Vertex) {
    if a.level[dst] == UNREACHED {
        a.level[dst] = step() + 1;
        activate(dst);
    }
}

#[gts_kernel(vertex)]
fn count(a: &mut A, v: Vertex) {
    a.total += 1;
}";
    } };
}
