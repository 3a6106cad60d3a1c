//! Errors of access to attributes, and of the order of updates.

macro_rules! access {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    301 FieldAccess "A field of something other than the attributes"
        "Only the first parameter of a kernel has fields, and they are its attributes. The parameter itself is no \
         value."
        "let all = a;" => "let count = a.count[v];\na.count[v] = count;";

    302 Indexing "An index into something that has none"
        "Attributes and local arrays have elements. A number has none, and a computed array is bound with `let` \
         first."
        "let x = 3u32;\na.count[v] = x[0];" => "let x = [3u32; 2];\na.count[v] = x[0];";

    303 IndexCount "Too many or too few indices"
        "An attribute per vertex has an index `[v]`, and an array attribute a second one, `[v][i]`. A param or global \
         is one value without an index, unless it is an array. An edge value has the index `[e]`."
        "a.count[v] = a.limit[v];" => "a.count[v] = a.limit;";

    304 VertexIndex "An attribute indexed by something other than a vertex"
        "The index of an attribute is a `Vertex` or a `VertexId`, so that it is a vertex of the graph. The vertex of \
         a computed number is `Vertex::new(n)`."
        "a.count[0] = 1;" => "a.count[Vertex::new(0)] = 1;";

    305 EdgeIndex "An edge value indexed by something other than the edge"
        "An `#[edge]` value belongs to the edge for which a `scan` or `traverse` kernel runs: take the parameter `e: \
         Edge` and write `a.weight[e]`. Values of other edges cannot be read, because they may be in a page that is \
         not loaded. A result per edge is updated in an `intersect` kernel with the parameter `e: Edge`."
        r"
#[gts_kernel(scan)]
fn heavy(a: &mut A, src: Vertex, dst: Vertex) {
    a.count[dst] += a.weight[dst];
}" => r"
#[gts_kernel(scan)]
fn heavy(a: &mut A, src: Vertex, dst: Vertex, e: Edge) {
    a.count[dst] += a.weight[e];
}";

    306 EdgePosition "The position of an edge where edges have none"
        "`e.position()` is the place of an edge in the list of `src`, which a `scan` or `traverse` walks. A reduction \
         may walk the opposite lists, and an `intersect` kernel takes lists as sets."
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
        "Threads update a `#[global]` during the pass, and no thread has its final value. The host reads it after the \
         pass with `run.global`, and passes it on as a `#[param]`. For the same reason an update of a global has no \
         value."
        "a.count[v] = a.total as u32;" => "a.total += a.count[v] as u64;";

    308 ReadOnly "A store into a param or an edge value"
        "The host sets a `#[param]` before a pass, and the store holds the `#[edge]` values. Kernels read both. \
         Results go into a `#[wa]` or a `#[global]`."
        "a.limit = a.count[v];" => "a.total += a.count[v] as u64;";

    309 RaElsewhere "An `#[ra]` read at another vertex"
        "The values of an `#[ra]` may travel with the pages of their vertices, so a kernel reads them only at the \
         vertex whose page it walks: `src` of an edge kernel, `u` of an `intersect` kernel, or `v`. A `#[wa]` is in \
         the device's memory and can be read at any vertex."
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
        "An `#[ra]` holds the values of the pass before, so kernels only read it. Write the `#[wa]` that it comes \
         from, and call `run.rotate` after the pass."
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
        "Several threads, and several devices with copies of an attribute, update the same element. The copies become \
         one value by the declared merge, so edge kernels update an attribute only by the operation of its merge: \
         `+=` for sum, `fetch_min` for min, `|=` for or. A vertex kernel may store anything at its own vertex. A \
         global is updated by its merge everywhere."
        r"
#[gts_kernel(scan)]
fn far(a: &mut A, src: Vertex, dst: Vertex) {
    a.level[dst].fetch_max(3);
}" => r"
#[gts_kernel(scan)]
fn near(a: &mut A, src: Vertex, dst: Vertex) {
    a.level[dst].fetch_min(3);
}";

    312 EdgeWaAccess "A result per edge used outside its merge"
        "A `#[wa(per = edge)]` is updated by its merge in `intersect` kernels, and the host takes it with \
         `run.take_edges`. A kernel cannot read it, nor use the value before an update: no thread has the value of an \
         edge before the pass ends."
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

    313 MergeByHand "A read and a store in place of one update"
        "Between the read and the store another thread may store into the same element, and its update would be lost. \
         Atomic updates do both at once: `+=`, `fetch_min`, `fetch_max`, `|=` and the others return the old value to \
         compare with."
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
        "Several edges may store into the same element, and the last one would win. A plain store in an edge kernel \
         has the same value for all edges: a constant, a param, `step()`, or something of the vertex where it is \
         stored. Otherwise update by the merge, or declare `merge = any` if any of the values will do."
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
        "An update changes what another access in the same expression reads, and CUDA C does not fix which comes \
         first. Bind the first one with `let`."
        "a.count[v] = a.count[v].fetch_add(1) + a.count[v];"
            => "let before = a.count[v].fetch_add(1);\na.count[v] = before + a.count[v];";

    316 MissingValue "Arithmetic on a value that may be missing"
        "`UNREACHED` is the largest integer, and stands for a missing value. `+ 1` would overflow, and other \
         arithmetic would turn it into a number that looks valid. Compare first: `!= UNREACHED`, or any comparison \
         that is false for the largest integer. `saturating_add` leaves `UNREACHED` unchanged."
        "a.level[v] = a.level[v] + 1;" => "if a.level[v] != UNREACHED {\n    a.level[v] = a.level[v] + 1;\n}";

    317 ReadWhileWritten "A read of values that other threads write"
        "The kernel reads an attribute at one vertex while other threads write it there, so the answer depends on \
         their order. Results that move one way (a minimum, maximum, or, and) end the same. Otherwise write a second \
         attribute, or accept any order with `racy`."
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

    318 ArrivalTime "A result that depends on the time of arrival"
        "The kernel reads values that its other threads improve, so an improvement may arrive in this step or in the \
         next. `step()` and random numbers differ between the two. Read a second attribute that holds what the step \
         before left."
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
        "The new value is made from an attribute that other threads improve. A later, better input would lead to a \
         value that the merge rejects, so what came first stays. Compute this attribute in a kernel of its own, after \
         the other one has settled."
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

    320 ClosingCondition "A condition that other threads close"
        "The condition holds until other threads have improved the attribute that it reads, so it depends on their \
         order whether the statement runs. A condition that stays true once it is true leads to the same result in \
         any order."
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
        "The statement runs each time a thread improves an attribute. How often that happens, and which thread comes \
         last, depends on the order. Compute the result in a kernel of its own, after the attribute has settled."
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
        "Several edges may find the attribute as it was before one of them changes it, and each of them then adds. \
         Add in a vertex kernel, which runs once for each vertex, after the step."
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
