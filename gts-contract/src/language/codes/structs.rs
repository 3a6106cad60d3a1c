//! Errors of attribute structs.

macro_rules! structs {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    101 NamedFields "An attribute struct without named fields"
        "Each field of an attribute struct is an attribute, which bodies and the host reach by its name."
        r"
#[gts_attributes]
struct Counts(u32);" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    102 StructGenerics "Generics that an attribute struct cannot have"
        "An attribute struct has at most one type parameter, and the list of types is everything that is said about \
         it. Each listed type gets its own CUDA C, so lifetimes, constants, bounds and `where` clauses have no use."
        r"
#[gts_attributes(T = f32 | f64)]
struct Rank<T>
where
    T: Copy,
{
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}" => r"
#[gts_attributes(T = f32 | f64)]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}";

    103 TypeList "A list of types that is malformed"
        "The argument of `#[gts_attributes]` is a type parameter and the types that it may take, each once: `T = f32 \
         | f64`. The types are u8, u16, u32, u64, i32, i64, f32 and f64."
        r"
#[gts_attributes(T = f32 | f32)]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}" => r"
#[gts_attributes(T = f32 | f64)]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}";

    104 UnlistedParameter "A type parameter and a list of types that do not match"
        "A struct with a type parameter lists the types of this parameter, and a list needs a parameter of the same \
         name. The macro cannot see which types a program will use, and emits CUDA C for each listed one."
        r"
#[gts_attributes]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}" => r"
#[gts_attributes(T = f32 | f64)]
struct Rank<T> {
    #[wa(init = 0.0, merge = sum)]
    rank: T,
}";

    105 DuplicateAttribute "Two attributes of one name"
        "Bodies and the host name an attribute by its field, so a struct has one field of each name."
        r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[wa(init = 0, merge = max)]
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
    #[wa(init = 0, merge = max)]
    most: u32,
}";

    106 ReservedName "A name that the framework reserves"
        "Names that begin with `gts_` belong to the emitted code. Built-in functions and values, such as `step`, \
         `activate` and `UNREACHED`, keep their meaning in every body, so a local cannot have their names."
        "let step = 3u32;\na.count[v] = step;" => "let stride = 3u32;\na.count[v] = stride;";

    107 AttributeType "A type that attributes cannot have"
        "An attribute is a u8, u16, u32, u64, i32, i64, f32, f64, bool or VertexId, or an array of one of them with a \
         literal length. These types are the same on the host and on every device. The macro does not see through a \
         type alias."
        r"
#[gts_attributes]
struct Names {
    #[wa(init = 0, merge = any)]
    name: String,
}" => r"
#[gts_attributes]
struct Names {
    #[wa(init = 0, merge = any)]
    name: u32,
}";

    108 UnknownFieldKind "An unknown kind of attribute"
        "A field is a `#[wa]` (written by kernels), `#[ra]` (the values of the pass before), `#[edge]` (a value of \
         the store per edge), `#[param]` (set by the host) or `#[global]` (one value for the host)."
        r"
#[gts_attributes]
struct Counts {
    #[rw(init = 0, merge = sum)]
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    109 FieldKind "An attribute without exactly one kind"
        "The kind of a field states who writes the attribute and where its memory is, so each field has one kind: \
         `#[wa]`, `#[ra]`, `#[edge]`, `#[param]` or `#[global]`."
        r"
#[gts_attributes]
struct Counts {
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    110 MissingSetting "A setting that is missing"
        "A `#[wa]` needs `init`, the value before the first pass, and `merge`, the way in which updates of several \
         threads become one value. An `#[ra]` needs `from`, and a `#[global]` needs `merge`."
        r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0)]
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    111 SettingForm "Settings that are malformed"
        "Settings stand in parentheses as `key = value`, separated by commas, each once."
        r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, init = 1, merge = sum)]
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    112 UnknownSetting "An unknown setting"
        "`#[wa]` takes `init`, `merge` and `per = edge`. `#[ra]` takes `from`, `#[edge]` and `#[param]` take \
         `default`, and `#[global]` takes `merge`."
        r"
#[gts_attributes]
struct Counts {
    #[wa(initial = 0, merge = sum)]
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    113 UnknownMerge "An unknown merge"
        "A merge is one of sum, min, max, or, and, any. It states how the updates of several threads, or of several \
         devices, become one value; `any` keeps one of them."
        r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = add)]
    count: u32,
}" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    114 MergeOfType "A merge that the type does not support"
        "`or` and `and` combine bits or conditions, so floats do not support them. `sum` needs a number: neither a \
         bool nor a VertexId is one."
        r"
#[gts_attributes]
struct Marks {
    #[wa(init = 0.0, merge = or)]
    mark: f32,
}" => r"
#[gts_attributes]
struct Marks {
    #[wa(init = 0, merge = or)]
    mark: u32,
}";

    115 InitialValue "An initial value that does not fit the type"
        "The initial value is a literal of the attribute's type, `UNREACHED`, or a limit such as `u32::MAX`. The \
         elements of an array all begin with the same value. A float has a point: `1.0`."
        r"
#[gts_attributes]
struct Rank {
    #[wa(init = 1, merge = sum)]
    rank: f32,
}" => r"
#[gts_attributes]
struct Rank {
    #[wa(init = 1.0, merge = sum)]
    rank: f32,
}";

    116 RaSource "An `#[ra]` without a matching `#[wa]`"
        "An `#[ra]` holds the values that a `#[wa]` of the same struct had before `run.rotate`. The two take turns in \
         the same memory, so they have the same type and a value per vertex."
        r"
#[gts_attributes]
struct Rank {
    #[ra(from = next)]
    rank: f64,
    #[wa(init = 0.0, merge = sum)]
    next: f32,
}" => r"
#[gts_attributes]
struct Rank {
    #[ra(from = next)]
    rank: f32,
    #[wa(init = 0.0, merge = sum)]
    next: f32,
}";

    117 SecondEdgeValue "A second edge value"
        "A store keeps one value per edge beside the edge's target, so a struct has one `#[edge]` attribute at most."
        r"
#[gts_attributes]
struct Roads {
    #[edge]
    length: u32,
    #[edge]
    toll: u32,
}" => r"
#[gts_attributes]
struct Roads {
    #[edge]
    length: u32,
}";

    118 EdgeType "A type that a store keeps no edge values of"
        "A store keeps edge values of the types u32, i32, f32, u64 and f64, and no arrays."
        r"
#[gts_attributes]
struct Roads {
    #[edge]
    length: u8,
}" => r"
#[gts_attributes]
struct Roads {
    #[edge]
    length: u32,
}";

    119 EdgeWaType "A type or merge that values of edges cannot have"
        "A `#[wa(per = edge)]` is one number or condition per edge, neither an array nor a VertexId. Kernels update \
         it only by its merge, and `any` names no operation."
        r"
#[gts_attributes]
struct Support {
    #[wa(per = edge, init = 0, merge = any)]
    support: u32,
}" => r"
#[gts_attributes]
struct Support {
    #[wa(per = edge, init = 0, merge = sum)]
    support: u32,
}";
    } };
}
