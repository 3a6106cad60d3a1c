//! Errors of attribute structs.

macro_rules! structs {
    ([$next:ident $($later:ident)*] $($rows:tt)*) => { $next! { [$($later)*] $($rows)*

    101 NamedFields "An attribute struct without named fields"
        "Each field of an attribute struct is an attribute. Bodies and the host refer to an attribute by its name."
        r"
#[gts_attributes]
struct Counts(u32);" => r"
#[gts_attributes]
struct Counts {
    #[wa(init = 0, merge = sum)]
    count: u32,
}";

    102 StructGenerics "Generics that an attribute struct cannot have"
        "An attribute struct has at most one type parameter, and `#[gts_attributes]` lists its types. The macro emits \
         CUDA C for each listed type, so the struct has no lifetimes, constant parameters, bounds or `where` clauses."
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

    103 TypeList "A malformed list of types"
        "The argument of `#[gts_attributes]` is a type parameter and its possible types, each listed once: `T = f32 | \
         f64`. The types are u8, u16, u32, u64, i32, i64, f32, f64, bool and VertexId."
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
        "A struct with a type parameter needs a list of types, and the list must name this parameter. The macro cannot \
         see which types a program will use, so it emits CUDA C for each listed type."
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

    105 DuplicateAttribute "Two attributes with the same name"
        "Bodies and the host refer to an attribute by the name of its field, so each field of a struct has a different \
         name."
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
        "Names that begin with `gts_` are reserved for the emitted code. Built-in functions and values, such as \
         `step`, `activate` and `UNREACHED`, have the same meaning in every body, so a local cannot have their names."
        "let step = 3u32;\na.count[v] = step;" => "let stride = 3u32;\na.count[v] = stride;";

    107 AttributeType "A type that attributes cannot have"
        "The type of an attribute is u8, u16, u32, u64, i32, i64, f32, f64, bool, VertexId or the type parameter of \
         the struct, or an array of one of these with a literal length. These types are the same on the host and on \
         every device. The macro does not resolve type aliases."
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
        "The kinds of fields are `#[wa]` (written by kernels), `#[ra]` (only read by kernels), `#[edge]` (a value per \
         edge from the store), `#[param]` (set by the host) and `#[global]` (updated by kernels and read by the host)."
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
        "The kind of a field states who writes the attribute and where the attribute is stored. Each field has exactly \
         one kind: `#[wa]`, `#[ra]`, `#[edge]`, `#[param]` or `#[global]`."
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

    110 MissingSetting "A missing setting"
        "A `#[wa]` needs `init`, the value before the first pass, and `merge`, the operation that combines the updates \
         of several threads. A `#[global]` needs `merge`."
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

    111 SettingForm "Malformed settings"
        "Settings are written in parentheses as `key = value`, separated by commas. Each key occurs at most once."
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
        "The settings of a `#[wa]` are `init`, `merge` and `per = edge`. An `#[ra]` has `from`, an `#[edge]` or a \
         `#[param]` has `default`, and a `#[global]` has `merge`."
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
        "The merges are sum, min, max, or, and, any. A merge combines the updates of several threads or several \
         devices into one value. `any` keeps one of the values."
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
        "`or` and `and` combine bits or conditions, so floats do not support them. `sum` adds numbers, so bool and \
         VertexId do not support it."
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
        "The initial value is a literal of the attribute's type, `UNREACHED`, or a limit such as `u32::MAX`. All \
         elements of an array have the same initial value. A float literal has a decimal point: `1.0`."
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
        "The `from` of an `#[ra]` names a `#[wa]` of the same struct, and `run.rotate` moves the values of the `#[wa]` \
         into the `#[ra]`. The two therefore have the same type, and each has a value per vertex."
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
        "A store contains at most one value per edge, so a struct has at most one `#[edge]` attribute."
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

    118 EdgeType "A type that an `#[edge]` attribute cannot have"
        "A store contains edge values of type u32, i32, f32, u64 or f64, and no arrays."
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

    119 EdgeWaType "A type or merge that a `#[wa(per = edge)]` cannot have"
        "A `#[wa(per = edge)]` is one number or condition per edge, and cannot be an array or a VertexId. Kernels \
         update it only by its merge, and `any` is not an operation."
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
